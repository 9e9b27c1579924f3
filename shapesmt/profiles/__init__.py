"""The valid inputs as boxes of three points each, as compilers take them."""

from shapesmt.profiles.question import profile, profiled

__all__ = ["profile", "profiled"]
