"""Models made smaller by proof: every rewrite rests on an identity that holds for all admissible inputs."""

from shapesmt.tasks.simplify.annotation import write_tightened as write_tightened
from shapesmt.tasks.simplify.answer import (
    analyse_protobuf as analyse_protobuf,
    refusal as refusal,
    save_checked as save_checked,
    write_simplified as write_simplified,
)
from shapesmt.tasks.simplify.basis import folder_of as folder_of
from shapesmt.tasks.simplify.draft import Draft as Draft
from shapesmt.tasks.simplify.protobuf import write as write
