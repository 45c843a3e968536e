"""RFC 9457 problem details, written."""

from __future__ import annotations

from dataclasses import replace

from google.rpc.error_details_pb2 import BadRequest, ErrorInfo

from .. import hub
from ..code import is_phrase, name_of, phrase
from ..hub import Detail, Received, Wire
from ..jsontree import Node, compact, get, parse_or_missing, quote, text_of
from ..protojson import Codec, parse
from ..schema import Catalog
from . import forms
from .aip193 import http_status
from .carried import Shape, Writing
from .detail import identity, known_part
from .member import Place
from .options import Encoding
from .write import details_member, rest_members

CONTENT_TYPE = "application/problem+json"
ABOUT_BLANK = "about:blank"


def write_problem(error: hub.Error, options: Encoding) -> tuple[int, str]:
    """Return the HTTP status and the body of an error as problem details."""
    w = Writing(error, options, Shape.OBJECTS)
    status, stands = http_status(w)
    info = identity(w.codec, options.catalog, w.details)
    kind, title = own_labels(info, options.catalog)
    received_kind, received_title = _received_labels(w, kind, title, status)
    if received_title is None and (not title or (kind == ABOUT_BLANK and received_kind is None)):
        title = phrase(status)  # RFC 9457 section 4.2.1
    parts = [
        f'{{"type":{received_kind or quote(kind)},"title":{received_title or quote(title)},"status":{status}',
        f',"detail":{quote(error.message)},"code":"{name_of(error.number)}"',
    ]
    if info is not None:
        parts.append(f',"reason":{quote(info.reason)}')
        if info.domain:
            parts.append(f',"domain":{quote(info.domain)}')
        if info.metadata:
            entries = [f"{quote(key)}:{quote(info.metadata[key])}" for key in sorted(info.metadata)]
            parts.append(',"metadata":{' + ",".join(entries) + "}")
    parts.append(details_member(w))
    violations = violations_text(w.codec, w.details)
    if violations:
        parts.append(f',"errors":{violations}')

    def place(name: str, value: Node) -> Place:
        if (received_kind and name == "type") or (received_title and name == "title"):
            return Place.SAID
        if name == "errors" and not violations:
            return Place.STANDS
        return forms.PROBLEM.place_in(name, value)

    def says(r: Received) -> Received:
        return replace(r, http_status=0) if stands and r.wire == Wire.HTTP else r

    parts.append(rest_members(w, Wire.PROBLEM, False, place, says))
    return status, "".join(parts) + "}"


def _received_labels(w: Writing, kind: str, title: str, status: int) -> tuple[str | None, str | None]:
    """Return the tokens of the type and the title that a problem had where they stand in the
    place of the error's own: where readers see them for what they are."""
    members = w.error.on(Wire.PROBLEM).members
    if not members:
        return None, None
    root = parse_or_missing(members)
    received_kind = received_title = None
    value = get(root, "type")
    if type(value) is str and text_of(value) not in (kind, ABOUT_BLANK):
        known = w.options.catalog.by_problem_type(text_of(value)) is not None
        guarded = known and not w.details
        if not guarded or w.options.carries(w.error):
            received_kind, w.guarded = compact(value), guarded
    value = get(root, "title")
    if type(value) is str and text_of(value) != title and not is_phrase(text_of(value), status):
        received_title = compact(value)
    return received_kind, received_title


def own_labels(info: ErrorInfo | None, catalog: Catalog) -> tuple[str, str]:
    """Return the type and title that an error has of its own: those of its definition. A
    type is not made for the errors of others."""
    if info is None:
        return ABOUT_BLANK, ""
    definition = catalog.find(info.domain, info.reason)
    if definition is None:
        return ABOUT_BLANK, ""
    return definition.problem_type or ABOUT_BLANK, definition.title


def violations_text(codec: Codec, details: list[Detail]) -> str:
    """Return the field violations of the first BadRequest that can be read, for people; ""
    without any."""
    for detail in details:
        if detail.name != hub.BAD_REQUEST:
            continue
        value = known_part(codec, detail)
        if value is None:
            continue
        bad = parse(BadRequest, value)
        if not isinstance(bad, BadRequest) or not bad.field_violations:
            return ""
        texts = [f'{{"field":{quote(v.field)},"detail":{quote(v.description)}}}' for v in bad.field_violations]
        return "[" + ",".join(texts) + "]"
    return ""


__all__ = ["ABOUT_BLANK", "CONTENT_TYPE", "own_labels", "violations_text", "write_problem"]
