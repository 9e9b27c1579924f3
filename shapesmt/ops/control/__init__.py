"""Branches, loops, sequences and texts."""
