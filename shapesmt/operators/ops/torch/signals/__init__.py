"""Fourier transforms, framed signals, and random numbers."""
