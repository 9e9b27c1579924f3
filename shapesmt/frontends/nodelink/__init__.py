"""Read node-link documents, which networkx reads and writes too."""

from shapesmt.frontends.nodelink.fields import RefusedError as RefusedError
from shapesmt.frontends.nodelink.reader import attribute as attribute, parse as parse, read as read
