"""Models made smaller by proof: every rewrite rests on an identity that holds for all admissible inputs."""

from shapesmt.optimize.annotation import annotate_model as annotate_model
from shapesmt.optimize.answer import (
    analyse_protobuf as analyse_protobuf,
    answer_simplify as answer_simplify,
    refusal as refusal,
    save_checked as save_checked,
    simplify as simplify,
)
from shapesmt.optimize.basis import folder_of as folder_of
from shapesmt.optimize.draft import Draft as Draft
from shapesmt.optimize.protobuf import write as write
