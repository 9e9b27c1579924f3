"""Drawings of a page, as SVG: chains of causes, and grids of values."""
