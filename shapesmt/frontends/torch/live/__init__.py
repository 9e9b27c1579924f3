"""Exported programs and modules in memory; PyTorch is imported only for these."""

from shapesmt.frontends.torch.live.export import Exported, Request, exported, quiet, request
from shapesmt.frontends.torch.live.program import Held, document_of

__all__ = ["Exported", "Held", "Request", "document_of", "exported", "quiet", "request"]
