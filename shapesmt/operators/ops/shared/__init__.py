"""Helpers that rules of several families and domains share."""
