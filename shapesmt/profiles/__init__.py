"""Profiles: the valid inputs as boxes of three points each (minimum, usual, maximum), as compilers take them."""

from shapesmt.profiles.points import Points
from shapesmt.profiles.question import profile, profiled

__all__ = ["Points", "profile", "profiled"]
