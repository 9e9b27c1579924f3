"""The version, which logs name."""

__version__ = "0.1.0"
