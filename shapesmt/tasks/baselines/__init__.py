"""A file of earlier answers, with which those of a later run are compared."""

from shapesmt.tasks.baselines.compare import change_of as change_of, entry_of as entry_of
from shapesmt.tasks.baselines.entries import Entry as Entry, read as read, write as write
