"""Read node-link documents, which networkx reads and writes too."""

from shapesmt.frontends.nodelink.reader import parse as parse, read as read
