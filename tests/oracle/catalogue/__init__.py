"""The operators of the random graphs, a line or two each.

To add one, write a line in the file of its family, as `tests/oracle/recipes.py` says; a new file is listed below.
"""

from __future__ import annotations

from tests.oracle.catalogue import (
    contrib,
    elementwise,
    flow,
    images,
    items,
    lists,
    ml,
    numbers,
    products,
    shapes,
)

RECIPES = tuple(
    recipe
    for family in (elementwise, shapes, items, lists, products, images, numbers, flow, ml, contrib)
    for recipe in family.RECIPES
)
