"""Limits of how many inputs are listed, divided into cells or sampled, and what happens above them."""

from __future__ import annotations

# Listing: every admissible value, and every combination of them
MAX_VALUES = 1 << 20  # values listed per symbol; above, only its bounds are known: cells and samples answer
MAX_POINTS = 1 << 21  # combinations of several symbols' values; above, cells answer
FEW_POINTS = 1 << 15  # combinations of values that a condition bounds; above, it isn't replaced by lists of values
FEW_VALUES = 64  # values of a symbol in such a list
FEW_PER_SYMBOL = {2: 64, 3: 16, 4: 8}  # values at which it is tried whether a symbol matters, by the number of symbols
MANY = 4096  # values; above, bisection finds the value at which a condition changes, if it changes once
LARGEST_DIVIDED = 1 << 40  # the largest number whose divisors are listed; a larger one narrows no symbol

# Cells: progressions along which expressions are polynomials; above any of these limits a solver answers
MAX_CASES = 32  # cases that symbols with few values make of a condition on others; above, cells answer
MAX_SYMBOLS = 4
MAX_UNEVEN = 512  # listed values of a symbol that don't form a progression
MAX_PERIOD = 1 << 14
MAX_CELLS = 1 << 16  # at once
MAX_WORK = 3 << 18  # evaluated values of expressions, over all rounds of splitting
FEW_ROUNDS = 8  # later, only an eighth of MAX_WORK: questions that need many rounds and much work stay undecided
MAX_ROUNDS = 24
REACHES = (1 << 26, 1 << 20, 1 << 15, 1 << 12, 1 << 10, 1 << 8)
"""Largest sizes of points in cells; the first at which no expression overflows is used."""

# Sampling: results are evaluated exactly or proven afterwards
FARTHEST = 1 << 40  # steps of an unbounded symbol that a sample with growing distances covers
NEAR = 1 << 7  # steps of an unbounded symbol that an even sample covers
FIRST = 1 << 14  # values in a sample of the first ones, for conditions that may repeat
SEARCHED = 1 << 11  # values among which the first ones are searched that the facts about a symbol admit
