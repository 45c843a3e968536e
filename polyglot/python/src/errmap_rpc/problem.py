"""RFC 9457 problem details (section 6 of the wire contract)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Unpack

from google.rpc.error_details_pb2 import BadRequest, ErrorInfo

from . import _json
from ._carried import Item, Shape, plain_items
from ._decode import DecodeOptions, keep
from ._http import phrase
from ._protojson import parse as parse_message
from ._render import known_part, parse_element, text_members
from ._settle import Candidate, EncodeOptions, Form, readable, settle
from ._text import quote
from ._write import details_member, member_text
from .code import code_by_name, code_from_http, code_of
from .definition import problem_type_of
from .detail import BAD_REQUEST, RawDetail, serialize
from .error import Draft, Error, Readable, details_of, error_info, identity, received_on
from .generated import specialize
from .http_json import HTTPError, own_http_status, restore_http, standable
from .options import DecodeArguments, EncodeArguments, decode_options, encode_options
from .received import Received, Wire

if TYPE_CHECKING:
    from .catalog import Catalog

__all__ = ["from_problem", "to_problem"]

CONTENT_TYPE = "application/problem+json"
ABOUT_BLANK = "about:blank"

_OURS = ("type", "title", "status", "detail", "code", "reason", "domain", "metadata", "details")
"""The members that are read; "errors" is for people."""


def to_problem(error: Error, **arguments: Unpack[EncodeArguments]) -> HTTPError:
    """Return an error as RFC 9457 problem details."""
    options = encode_options(arguments)
    error = readable(error, options.catalog)
    out = settle(
        error,
        options,
        Form(
            wire=Wire.PROBLEM,
            candidates=_candidates(error, options),
            items=lambda _: plain_items(options.catalog, error, Shape.OBJECTS),
            write=lambda c, items, _, carried: HTTPError(
                c.status, _write(error, options.catalog, c, items, carried), CONTENT_TYPE
            ),
            read=lambda http, decode: decode_problem(http.body, replace(decode, http_status=http.status)),
        ),
    )
    return replace(out, retry_after=error.retry_after)


def from_problem(body: bytes | str, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read RFC 9457 problem details. The real HTTP status, where http_status gives it,
    wins over the one in the body. Raises FormError for a body of another kind where
    there is no http_status either."""
    options = decode_options(arguments)
    return specialize(decode_problem(body, options), options.errors)


def _candidates(error: Error, options: EncodeOptions) -> list[Candidate]:
    """Return first the way in which all that a problem said stands again, then those in
    which less of it does."""
    got, nothing = received_on(error, Wire.PROBLEM), Received(Wire.PROBLEM)
    own = own_http_status(error, options.catalog, options.catalog)
    said, made, status = nothing, replace(nothing, http_status=own), own
    if standable(got.http_status):
        said, made = replace(nothing, http_status=got.http_status), nothing
        status = got.http_status
    kind, title = _own_labels(error, options.catalog, options.catalog)
    label = _label_members(kind, _title_or(title, kind, status))
    bare = Candidate(said, made.with_members(label), status=status)
    members = [m for m in got.all_members() if _stands_again(m)]
    if not members:
        return [bare]
    said = said.with_members(members)
    own_members = []
    kind_said, title_said = said.member("type"), said.member("title")
    if kind_said is None:
        own_members.append(_json.member_of("type", _json.string_of(kind)))
    if title_said is None:
        shown = kind_said.string() if kind_said is not None else kind
        text = _title_or(title, shown or "", status)
        own_members.append(_json.member_of("title", _json.string_of(text)))
    return [Candidate(said, made.with_members(own_members), status=status), bare]


def _stands_again(member: _json.Member) -> bool:
    if member.name in ("type", "title"):
        return member.value.kind == '"'
    return member.name != "errors" and member.name not in _OURS


def _label_members(kind: str, title: str) -> list[_json.Member]:
    return [
        _json.member_of("type", _json.string_of(kind)),
        _json.member_of("title", _json.string_of(title)),
    ]


def _own_labels(error: Readable, errors: Catalog, types: Catalog) -> tuple[str, str]:
    """Return the type and title that an error has of its own."""
    info = identity(error, errors, types)
    if info is None or not info.reason:
        return ABOUT_BLANK, ""
    definition = errors.find(info.domain, info.reason)
    if definition is not None:
        return definition.problem_type or ABOUT_BLANK, definition.title
    return problem_type_of(info) or ABOUT_BLANK, info.reason


def _title_or(title: str, kind: str, status: int) -> str:
    """Return the HTTP phrase for about:blank (RFC 9457 section 4.2.1)."""
    if kind != ABOUT_BLANK and title:
        return title
    return phrase(status) or f"HTTP status {status}"


def _write(error: Error, types: Catalog, c: Candidate, items: list[Item], carried: RawDetail | None) -> str:
    parts = []
    for name in ("type", "title"):
        value = c.said.member(name) or c.made.member(name)
        if value is not None:
            parts.append(member_text(name, value.text))
    parts.append(member_text("status", str(c.status)))
    parts.append(member_text("detail", _json.quote(error.message)))
    parts.append(member_text("code", _json.quote(code_of(error.number).name)))
    info = identity(error, types, types)
    if info is not None:
        for name, text in (("reason", info.reason), ("domain", info.domain)):
            if text:
                parts.append(member_text(name, _json.quote(text)))
        if info.metadata:
            entries = [member_text(k, _json.quote(info.metadata[k])) for k in sorted(info.metadata)]
            parts.append(member_text("metadata", "{" + ",".join(entries) + "}"))
    parts.extend(details_member(types, items, carried))
    violations = _violations(error, types)
    if violations is not None:
        parts.append(member_text("errors", violations.text))
    for member in c.said.all_members():
        if member.name not in ("type", "title"):
            parts.append(f"{member.raw_name}:{member.value.text}")
    return "{" + ",".join(parts) + "}"


def _violations(error: Readable, types: Catalog) -> _json.Value | None:
    """Return the field violations of a BadRequest for people; None without any."""
    for detail in details_of(error):
        if detail.name != BAD_REQUEST:
            continue
        readable_detail = detail if detail.element is None else known_part(types, detail)
        bad = parse_message(BadRequest, readable_detail.value) if readable_detail else None
        if not isinstance(bad, BadRequest) or not bad.field_violations:
            return None
        return _json.array_of(
            _json.object_of(
                [
                    _json.member_of("field", _json.string_of(v.field)),
                    _json.member_of("detail", _json.string_of(v.description)),
                ]
            )
            for v in bad.field_violations
        )
    return None


def decode_problem(body: bytes | str, options: DecodeOptions) -> Error:
    try:
        value = options.parse(body)
    except _json.JSONError as why:
        return options.foreign(Wire.PROBLEM, body, code_from_http, str(why))
    if value.members is None:
        return options.foreign(Wire.PROBLEM, body, code_from_http, "not a JSON object")
    error = Draft()
    ours, rest = _json.take(value.members, error.notes, *_OURS, "errors")
    if not ours and rest and not any(m.name == "instance" for m in rest):
        return options.foreign(Wire.PROBLEM, body, code_from_http, "no member of a problem")
    reader = _Reader(error, ours, rest, options)
    reader.read()
    keep(error, Wire.PROBLEM, rest)
    # The labels depend on what restoring brings back, and so come after it.
    done = restore_http(error, options, Wire.PROBLEM)
    return reader.label(done)


@dataclass(slots=True)
class _Reader:
    """Reads the members of one problem. What it does not take stays in rest, and rides
    along."""

    error: Draft
    ours: dict[str, _json.Value]
    rest: list[_json.Member]
    options: DecodeOptions
    said: int = 0  # the HTTP status that stood on the wire
    labels: list[_json.Member] = field(default_factory=list)

    def text(self, name: str) -> str | None:
        """Take a string; one of another type counts as absent and rides along."""
        value = self.ours.get(name)
        if value is None or value.is_null:
            return None
        text = value.string()
        if text is None:
            self.refuse(name)
        return text

    def refuse(self, name: str) -> None:
        self.error.notes.add(f'member "{name}" is of another type: counts as absent')
        _json.add_member(self.rest, _json.member_of(name, self.ours[name]), self.error.notes)

    def read(self) -> None:
        error, options = self.error, self.options
        kind, title, detail = self.text("type"), self.text("title"), self.text("detail")
        error.message = (title or "") if detail is None else detail
        for name, text in (("type", kind), ("title", title)):
            if text is not None:
                self.labels.append(_json.member_of(name, self.ours[name]))
        status = self.said = self.status()
        self.details()
        name = self.text("code") or ""
        error.number = code_by_name(name)
        if not error.number and name:
            error.notes.add(f"code {quote(name)} names no code")
            _json.add_member(self.rest, _json.member_of("code", self.ours["code"]), error.notes)
        if not error.details and kind is not None:
            definition = options.errors.by_problem_type(kind)
            if definition is not None:
                info = ErrorInfo(reason=definition.reason, domain=definition.domain)
                error.details.append(RawDetail.of(info))
                error.number = error.number or int(definition.code)
        error.number = error.number or int(code_from_http(status))
        errors = self.ours.get("errors")
        if errors is not None and not _json.same_text(errors, _violations(error, options.types)):
            _json.add_member(self.rest, _json.member_of("errors", errors), error.notes)
        if status:
            received = error.received_on(Wire.PROBLEM)
            error.set_received(replace(received, http_status=status))

    def status(self) -> int:
        """Return the HTTP status: the real one, else the body's."""
        value, real = self.ours.get("status"), self.options.http_status
        if value is None or value.is_null:
            return real
        number = _json.read_number(value)
        if number is None or not value.is_number or not 100 <= number <= 999:
            self.refuse("status")
            return real
        if real and real != number:
            self.error.notes.add(f"the body says HTTP status {number}, the response has {real}, which stands")
        return real or number

    def details(self) -> None:
        """Take details, or else what reason, domain and metadata say."""
        error, types = self.error, self.options.types
        reason, domain, metadata = self.text("reason"), self.text("domain"), self.metadata()
        value = self.ours.get("details")
        if value is not None and not value.is_null:
            if value.elements is None:
                self.refuse("details")
            for element in self.options.at_most(error, value.elements or ()):
                error.details.append(parse_element(types, element))
        if reason is None and domain is None and not metadata:
            return
        info = ErrorInfo(reason=reason or "", domain=domain or "", metadata=metadata)
        if not error.details:
            error.details.append(RawDetail.of(info))
            return
        self.beside(info)

    def beside(self, info: ErrorInfo) -> None:
        """Take reason, domain and metadata where details win: they ride along where no
        detail is an ErrorInfo, which would say the same or contradict them."""
        found = [error_info(self.options.types, detail) for detail in self.error.details]
        said = [one for one in found if one is not None]
        if any(serialize(one) == serialize(info) for one in said):
            return
        notes = self.error.notes
        if said:
            notes.add(
                f"details say another ErrorInfo than reason {quote(info.reason)}, "
                f"domain {quote(info.domain)} and metadata: details stand"
            )
            return
        notes.add("details hold no ErrorInfo: reason, domain and metadata ride along")
        for name in ("reason", "domain", "metadata"):
            value = self.ours.get(name)
            if value is not None and not value.is_null and all(m.name != name for m in self.rest):
                self.rest.append(_json.member_of(name, value))

    def metadata(self) -> dict[str, str]:
        value = self.ours.get("metadata")
        if value is None or value.is_null:
            return {}
        if value.members is None:
            self.refuse("metadata")
            return {}
        if any(m.value.kind != '"' for m in value.members):
            self.error.notes.add("metadata holds values that are no strings: their JSON text is read")
            _json.add_member(self.rest, _json.member_of("metadata", value), self.error.notes)
        return {m.name: m.value.string() or "" for m in text_members(value.members, self.error.notes)}

    def label(self, done: Error) -> Error:
        """Add to what was received the type and the title that stood there, but for
        those that the error has anyway: they are what a writer puts there itself."""
        errors, types = self.options.errors, self.options.types
        kind, title = _own_labels(done, errors, types)
        status = self.said or own_http_status(done, errors, types)
        implied, news = kind, []
        for member in self.labels:
            text = member.value.string() or ""
            if member.name == "type":
                implied = text
                if text == kind:
                    continue
            elif text == _title_or(title, implied, status):
                continue
            news.append(member)
        if news:
            draft = Draft()
            for received in done.received:
                draft.set_received(received)
            keep(draft, Wire.PROBLEM, news)
            done._received = draft.received
        return done
