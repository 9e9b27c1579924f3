"""Exported programs and modules in memory; PyTorch is imported only for these."""

from shapesmt.frontends.torch.live.export import (
    Exported as Exported,
    Request as Request,
    export_module as export_module,
    quiet as quiet,
    request as request,
)
from shapesmt.frontends.torch.live.program import Held as Held, document_of as document_of
