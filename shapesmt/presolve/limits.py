"""Limits: how many inputs are listed, divided into cells or sampled, and what happens beyond."""

from __future__ import annotations

# Listing: every admissible value, and every combination of them
MAX_VALUES = 1 << 20  # of one symbol; beyond, it has ends and no list: cells and samples answer
MAX_POINTS = 1 << 21  # of several together; beyond, cells answer
MANY = 4096  # values; beyond, the border of a condition that changes once is bisected
LARGEST_DIVIDED = 1 << 40  # a number whose divisors are listed; of a larger one they aren't

# Cells: progressions along which expressions are polynomials; beyond any of these a solver answers
MAX_SYMBOLS = 4
MAX_UNEVEN = 512  # listed values of a symbol that are no progression
MAX_PERIOD = 1 << 14
MAX_CELLS = 1 << 16  # at once
MAX_WORK = 3 << 17  # values of expressions, over all rounds
FEW_ROUNDS = 8  # after so many, a quarter of that has to do: what needs both isn't decided in the end
MAX_ROUNDS = 24
REACHES = (1 << 26, 1 << 20, 1 << 15, 1 << 12, 1 << 10, 1 << 8)
"""How far places are followed: the farthest at which nothing overflows."""

# Sampling: what it shows is evaluated exactly or proven afterwards
FARTHEST = 1 << 40  # how far a symbol without an end is looked at, where places lie ever further apart
NEAR = 1 << 7  # how many steps of it, where they lie evenly
FIRST = 1 << 14  # how many of its first values, where a condition may repeat
