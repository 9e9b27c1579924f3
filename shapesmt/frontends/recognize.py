"""Recognise formats by the first bytes of a file."""

from __future__ import annotations

import re
from itertools import accumulate

SUFFIXES = (".onnx", ".pt2")
"""Suffixes of the model files that are searched for in folders."""

_TEXT = re.compile(rb"(?:\s|#[^\n]*\n)*(?:(?P<onnxtxt><)|(?P<json>\{)|(?P<textproto>[a-z_]+\s*[:{]))")
_NUMBER = rb"[\x80-\xff]{0,9}[\x00-\x7f]"
_TENSORFLOW = re.compile(  # a graph's first node begins with its name, a saved model's first graph with a message
    rb"(?P<graph>\n" + _NUMBER + rb"\n" + _NUMBER + rb"[A-Za-z0-9._>])"
    rb"|(?P<saved_model>\x08\x01\x12" + _NUMBER + rb"[\n\x12])"
    rb"|(?:\s|\#[^\n]*\n)*(?:(?P<graph_text>(?:node|library|versions)\s*:?\s*\{)"
    rb"|(?P<saved_model_text>saved_model_schema_version\s*:|meta_graphs\s*:?\s*\{))"
)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!(?!(?i:doctype\s+html\b))|net[\s>/])")
_BRACKETS = re.compile(rb'(?s)"(?:[^"\\]|\\.)*(?:"|\\?\Z)|=>|(?P<opened>[(\[{<])|(?P<closed>[)\]}>])')


def text_format(content: bytes) -> str | None:
    r"""Return ONNX's name of a text format, recognised by the first character after spaces and comments, or None.

    >>> [text_format(start) for start in (b"# a model\n<ir_version: 8", b"{", b"graph {", bytes([8, 10]))]
    ['onnxtxt', 'json', 'textproto', None]
    """
    match = _TEXT.match(content, 0, 1 << 16)
    return match.lastgroup if match else None


def is_zip(content: bytes) -> bool:
    """Whether the content starts like a zip file, as PyTorch's archives do."""
    return content[:4] == b"PK\x03\x04"


def is_binary(content: bytes) -> bool:
    """Whether the content starts like a binary ONNX file, that is, like none of the other formats."""
    return not (is_xml(content) or is_zip(content) or tensorflow_format(content) or text_format(content))


def is_xml(content: bytes) -> bool:
    """Whether the content starts like XML, as OpenVINO's files do."""
    return _XML.match(content) is not None


def tensorflow_format(content: bytes) -> str:
    r"""Return TensorFlow's format by the first bytes: "graph" or "saved_model", with ".text" for text; "" for neither.

    >>> [tensorflow_format(start) for start in (b"\n\x05\n\x01x", b"# text\nnode {", b"\x08\x01\x12\x09\n", b"{")]
    ['graph', 'graph.text', 'saved_model', '']
    """
    match = _TENSORFLOW.match(content)
    return "" if match is None else (match.lastgroup or "").replace("_text", ".text")


def nesting(text: bytes) -> int:
    r"""Return the depth of nested brackets in a text, ignoring those in quotes; a quote may be unclosed.

    >>> nesting(b'(["((" {}])'), nesting(b'<"' + b'"\\' * 30_000)
    (3, 1)
    """
    step = {"opened": 1, "closed": -1, None: 0}
    return max(accumulate(step[match.lastgroup] for match in _BRACKETS.finditer(text)), default=0)
