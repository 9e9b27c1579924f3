"""Models made smaller by proof: every rewrite rests on an identity that holds for all admissible inputs."""

from shapesmt.optimize.annotated import annotated
from shapesmt.optimize.answer import refused, save_checked, simplified, simplify
from shapesmt.optimize.basis import folder_of
from shapesmt.optimize.draft import Draft
from shapesmt.optimize.protobuf import write

__all__ = ["Draft", "annotated", "folder_of", "refused", "save_checked", "simplified", "simplify", "write"]
