"""Operators that look up, write, select, count and sort elements."""
