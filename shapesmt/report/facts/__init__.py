"""The facts of which `render` makes the sentences of a report: their kinds and operands, given to `in_words`."""
