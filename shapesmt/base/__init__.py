"""The base of all rooms: errors, deadlines, lazy imports, frozen classes, the version, garbage collector pauses."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.base.deadline import (
        Deadline as Deadline,
        TimeUp as TimeUp,
        limit as limit,
        look as look,
        stage as stage,
    )
    from shapesmt.base.errors import (
        InternalError as InternalError,
        ModelError as ModelError,
        ShapeMismatch as ShapeMismatch,
        ShapesmtError as ShapesmtError,
        SizeOverflowError as SizeOverflowError,
        UsageError as UsageError,
        printable as printable,
    )
    from shapesmt.base.lazy import (
        cached_property as cached_property,
        lazy_imports as lazy_imports,
    )
    from shapesmt.base.version import (
        __version__ as __version__,
        followed_runtime as followed_runtime,
    )
