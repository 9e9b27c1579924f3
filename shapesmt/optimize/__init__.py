"""Models made smaller by proof: every rewrite rests on an identity that holds for all admissible inputs."""

from shapesmt.optimize.annotated import annotated as annotated
from shapesmt.optimize.answer import (
    analysed_protobuf as analysed_protobuf,
    refused as refused,
    simplified as simplified,
    simplify as simplify,
)
