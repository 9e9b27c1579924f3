"""The whole graph of a page: a map of its nodes, or blocks that open."""
