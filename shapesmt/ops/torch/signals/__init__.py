"""Fourier transforms, framed signals, numerical derivatives and integrals, and random numbers."""
