"""Reshape, concatenate, split, slice, gather and scatter elements."""
