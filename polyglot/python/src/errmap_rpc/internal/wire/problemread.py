"""RFC 9457 problem details, read."""

from __future__ import annotations

from .. import hub
from ..code import code_by_name, code_from_http, is_http_status, is_phrase
from ..hub import Detail, Received, Wire
from ..jsontree import (
    MISSING,
    JSONError,
    Node,
    compact,
    doubled,
    integer,
    length,
    parse_or_missing,
    quote,
    same,
)
from ..schema import info_detail
from . import forms
from .aip193 import keep_own_status, own_http_status
from .carried import Shape
from .decode import Body, Reading, reread
from .detail import identity, known_part
from .member import Member, members_text
from .options import Decoding
from .problem import ABOUT_BLANK, own_labels, violations_text
from .received import merge_received
from .restore import restore
from .statusjson import carried_member


def read_problem(body: Body, options: Decoding) -> hub.Error:
    """Read RFC 9457 problem details."""
    r = Reading(options)
    try:
        root = r.parse(body)
    except JSONError as why:
        return r.foreign(Wire.PROBLEM, body, code_from_http, str(why))
    if not isinstance(root, dict):
        return r.foreign(Wire.PROBLEM, body, code_from_http, "not a JSON object")
    own = r.take(root, forms.PROBLEM)
    if length(root) and "instance" not in root and not any(name != forms.CARRIED for name in own):
        return r.foreign(Wire.PROBLEM, body, code_from_http, "no member of a problem")
    return _read(r, own)


def _read(r: Reading, own: dict[str, Node]) -> hub.Error:
    error, catalog = r.error, r.options.catalog
    kind = r.text(own, "type") or ""
    title = r.text(own, "title") or ""
    detail = r.text(own, "detail")
    error.message = title if detail is None else detail
    status = _status(r, own)
    named = _code(r, own, status)
    supplied = _identity(r, own)
    r.list(own, "details")
    carried = carried_member(r, own)
    r.keep(Wire.PROBLEM)
    believed = restore(r, Shape.OBJECTS, carried)
    if supplied is not None:
        _supply(r, supplied)
    elif kind and not error.details and not believed:
        definition = catalog.by_problem_type(kind)
        if definition is not None:
            error.details.append(info_detail(definition.reason, definition.domain, {}))
            if not named:
                error.number = int(definition.code)
    keep_own_status(r, status)
    _keep_news(r, own, kind, title, status)
    return r.finish()


def _code(r: Reading, own: dict[str, Node], status: int) -> bool:
    """Read the code, and tell whether it is named. Without a name the HTTP status says it."""
    name = r.text(own, "code") or ""
    r.error.number = code_by_name(name)
    if r.error.number:
        return True
    if name:
        r.note(f"code {hub.quoted(name)} names no code")
        r.rest.append(("code", own["code"]))
    r.error.number = int(code_from_http(status))
    return False


def _status(r: Reading, own: dict[str, Node]) -> int:
    """Return the HTTP status: the real one, else the body's."""
    value, real = own.get("status"), r.options.http_status
    if value is None:
        return real
    number = integer(value)
    if number is None or not is_http_status(number):
        r.refuse(own, "status")
        return real
    if real and real != number:
        r.note(f"the body says HTTP status {number}, the response has {real}, which stands")
    return real or number


def _identity(r: Reading, own: dict[str, Node]) -> Detail | None:
    """Return the ErrorInfo that reason, domain and metadata say."""
    parts = []
    for name in ("reason", "domain"):
        text = r.text(own, name)
        if text:
            parts.append(f',"{name}":{quote(text)}')
    metadata = own.get("metadata")
    if isinstance(metadata, dict):
        if doubled(metadata):
            r.note("metadata has a member twice: the first counts")
        if any(type(value) is not str for value in metadata.values()):
            r.note("metadata holds values that are no strings: their JSON text is read")
        if metadata:
            parts.append(f',"metadata":{compact(metadata, once=True)}')
    elif metadata is not None:
        if not parts:  # nothing else makes an ErrorInfo
            r.refuse(own, "metadata")
        else:
            r.note("metadata is no object: the ErrorInfo stays JSON")
            parts.append(f',"metadata":{compact(metadata, once=True)}')
    if not parts:
        return None
    return reread(r, f'{{"@type":"{hub.URL_ERROR_INFO}"{"".join(parts)}}}')


def _supply(r: Reading, supplied: Detail) -> None:
    """Put the ErrorInfo of the members reason, domain and metadata first, where details hold
    none."""
    held = False
    want = known_part(r.codec, supplied) or b""
    for detail in r.error.details:
        if detail.name != hub.ERROR_INFO:
            continue
        value = known_part(r.codec, detail)
        if value is not None and r.codec.equal(hub.URL_ERROR_INFO, want, value):
            return
        held = held or value is not None
    if held:
        r.note("details say another ErrorInfo than reason, domain and metadata: details stand")
    else:
        r.error.details.insert(0, supplied)


def _keep_news(r: Reading, own: dict[str, Node], kind: str, title: str, status: int) -> None:
    """Keep the type, the title and the errors that stood there, but for what a writer puts
    there itself and for what says nothing."""
    error, catalog = r.error, r.options.catalog
    own_kind, own_title = own_labels(identity(r.codec, catalog, error.details), catalog)
    if not status:
        status = own_http_status(error.number, error.details, catalog)
    news: list[Member] = []
    if type(own.get("type")) is str and kind not in (own_kind, ABOUT_BLANK):
        news.append(("type", own["type"]))
    if type(own.get("title")) is str and title != own_title and not is_phrase(title, status):
        news.append(("title", own["title"]))
    errors = own.get("errors", MISSING)
    if errors is not MISSING and not _same_violations(r, errors):
        news.append(("errors", errors))
    if news:
        said = Received(Wire.PROBLEM, members=members_text(news))
        error.set_received(merge_received(error.on(Wire.PROBLEM), said, error.notes))


def _same_violations(r: Reading, errors: Node) -> bool:
    """Tell whether the member errors is what a writer makes of the error."""
    text = violations_text(r.codec, r.error.details)
    return bool(text) and same(parse_or_missing(text), errors)
