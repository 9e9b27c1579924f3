"""SARIF 2.1.0 for code scanning services: one run for all models, with rules, code flows and fingerprints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import PurePath
from typing import Any, TextIO
from urllib.parse import quote

from shapesmt.base.errors import printable
from shapesmt.base.version import __version__
from shapesmt.network.laws import CATALOGUE
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import AnyResult, Change, Source, Unchecked, changes_in, reports_in, unchecked_in
from shapesmt.reports.render.notices import Notice, notices_of, step
from shapesmt.reports.render.places import checked_out
from shapesmt.reports.render.quoting import json_text

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_KEPT = ("verdict", "symbols", "assumptions", "requirements", "precondition")
FINGERPRINTS = ("shapesmt/v1", "primaryLocationLineHash")  # GitHub reads the second


def write_sarif(result: AnyResult, stream: TextIO) -> None:
    """Write the log of the reports in a result."""
    stream.write(f"{json_text(sarif_log(result, __version__), indent=1)}\n")


def sarif_log(result: AnyResult, version: str) -> dict[str, Any]:
    """Return the log of one run over all models; a report's `model` is the path of its file.

    >>> from shapesmt.prover.algebra import Verdict
    >>> from shapesmt.reports.answers import Counts, Report
    >>> log = sarif_log(Report("models/m.onnx", Verdict.PROVED, {}, Counts(2, proved=2)), "0.1.0")
    >>> log["version"], log["runs"][0]["properties"]["verdict"], log["runs"][0]["results"]
    ('2.1.0', 'PROVED', [])
    """
    reports = reports_in(result)
    located = [(_uri(report.model), notice) for report in reports for notice in notices_of(report)]
    rules = sorted({notice.code for _, notice in located})
    uris = list(dict.fromkeys(_uri(report.model) for report in reports))
    verdict = Verdict.worst(report.verdict for report in reports)
    models = [{"uri": _uri(r.model), **{k: v for k, v in r.to_dict().items() if k in _KEPT}} for r in reports]
    run = {
        "tool": {"driver": {"name": "shapesmt", "version": version, "rules": [_rule(code) for code in rules]}},
        "invocations": [_invocation(unchecked_in(result), changes_in(result))],
        "artifacts": [{"location": {"uri": uri}, "roles": ["analysisTarget"]} for uri in uris],
        "columnKind": "unicodeCodePoints",
        "results": list(_results(located, uris, rules)),
        "properties": {"verdict": verdict.value, "models": models},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _invocation(unchecked: Sequence[Unchecked], changes: Sequence[Change]) -> dict[str, Any]:
    """Return the invocation: whether all models could be checked, the errors of others, and what became worse."""
    said = [(model.model, model.error) for model in unchecked]
    said += [(c.model, f"worse than the baseline: {'; '.join(c.reasons)}") for c in changes if c.state == "worse"]
    notifications = [
        {
            "level": "error",
            "message": {"text": text},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(model)}}}],
        }
        for model, text in said
    ]
    return {"executionSuccessful": not unchecked, "toolExecutionNotifications": notifications}


def _rule(code: str) -> dict[str, Any]:
    """Return the SARIF rule of an error code; only its id for a code that a plugin defines."""
    entry = CATALOGUE.get(code)
    if entry is None:
        return {"id": code}
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in entry.title.replace("-", " ").split()),
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.sentence},
        "help": {"text": entry.remedy},
    }


def _results(
    located: Sequence[tuple[str, Notice]], uris: Sequence[str], rules: Sequence[str]
) -> Iterator[dict[str, Any]]:
    seen: Counter[tuple[str, str]] = Counter()
    for uri, notice in located:
        # Models have no lines, but code scanning shows no result without one.
        model = {"artifactLocation": {"uri": uri, "index": uris.index(uri)}, "region": {"startLine": 1}}
        seen[uri, notice.identity] += 1
        place = _place(notice.source, model)
        result = {
            "ruleId": notice.code,
            "ruleIndex": rules.index(notice.code),
            "level": notice.level,
            "message": {"text": notice.text},
            "locations": [_location(place, notice.node, "operator")],
            "partialFingerprints": dict.fromkeys(FINGERPRINTS, _fingerprint(notice, seen[uri, notice.identity])),
            "properties": notice.details or {},
        }
        if notice.known is not None:
            result["baselineState"] = "unchanged" if notice.known else "new"
        if place is not model:
            result["relatedLocations"] = [_location(model, notice.node, "operator")]
        if notice.because:
            result["codeFlows"] = [{"threadFlows": [{"locations": list(_flow(notice, model))}]}]
        yield result


def _place(source: Source | None, model: dict[str, Any]) -> dict[str, Any]:
    """Return the line of Python if its file is below the working directory, else the model."""
    path = checked_out(source)
    if source is None or not path:
        return model
    return {"artifactLocation": {"uri": _uri(path)}, "region": {"startLine": source.line}}


def _flow(notice: Notice, model: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the nodes that computed the clashing sizes, and last the one that fails."""
    for cause in notice.because:
        kind = "operator" if cause.node else "input"
        at = _location(_place(cause.source, model), cause.node or cause.tensor, kind)
        yield {"location": {**at, "message": {"text": step(cause)}}, "importance": "important"}
    at = _location(_place(notice.source, model), notice.node, "operator")
    yield {"location": {**at, "message": {"text": notice.text}}, "importance": "essential"}


def _location(place: dict[str, Any], node: str, kind: str) -> dict[str, Any]:
    """Return the location of a node: `place`, a line of Python or the model's file, and its path in the graph."""
    whole = printable(node, 1000)
    logical = {"name": whole.rpartition("/")[2] or whole, "fullyQualifiedName": whole, "kind": kind}
    return {"physicalLocation": place, "logicalLocations": [logical]}


def _fingerprint(notice: Notice, occurrence: int) -> str:
    """Return a hash of the node, its law and its code, which stays the same when other nodes change."""
    return f"{sha256(notice.identity.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}:{occurrence}"


def _uri(path: str) -> str:
    """Return a path as a URI reference: a relative path as it is, an absolute one with its scheme.

    >>> _uri("my models/unet#1.onnx"), _uri("/models/a.onnx")
    ('my%20models/unet%231.onnx', 'file:///models/a.onnx')
    """
    pure = PurePath(path)
    if pure.is_absolute():
        return pure.as_uri()
    return quote(pure.as_posix(), errors="surrogatepass")
