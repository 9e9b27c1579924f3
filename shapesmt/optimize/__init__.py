"""Models made smaller by proof: every rewrite rests on an identity that holds for all admissible inputs."""

from shapesmt.optimize.annotated import annotated as annotated
from shapesmt.optimize.answer import (
    analysed_protobuf as analysed_protobuf,
    refused as refused,
    save_checked as save_checked,
    simplified as simplified,
    simplify as simplify,
)
from shapesmt.optimize.basis import folder_of as folder_of
from shapesmt.optimize.draft import Draft as Draft
from shapesmt.optimize.protobuf import write as write
