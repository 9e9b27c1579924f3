"""Branches, loops, sequences and text operators."""
