"""The page of `memory`: the worst case in words, and the bytes over the ranges as drawings."""
