"""The encoder that checks itself (section 8 of the wire contract)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from ._carried import Item, carry
from ._compare import same_detail
from ._decode import DecodeOptions, NotAnError
from ._render import read_again
from ._text import Notes
from .code import canonical, code_of
from .detail import CARRIED, STATUS, RawDetail
from .error import Error, changed, received_on
from .received import Received, Wire

if TYPE_CHECKING:
    from .catalog import Catalog

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EncodeOptions:
    """How an error is written."""

    catalog: Catalog
    without_carried: bool = False
    budget: int = 8192
    on_note: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to write an error on a wire."""

    said: Received  # what it says of what was received on this wire
    made: Received  # what the writer chose itself: it does not count as received
    number: int = 0  # JSON-RPC
    status: int = 0  # HTTP
    code_text: str = ""  # AIP-193: a received name in the place of the code's
    alone: bool = False  # MCP: the object of its schema and nothing else


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """One wire as settle needs it. T is what an error becomes there."""

    wire: Wire
    candidates: Sequence[Candidate]
    items: Callable[[Candidate], list[Item]]
    write: Callable[[Candidate, list[Item], bool, RawDetail | None], T]
    read: Callable[[T, DecodeOptions], Error]
    marker: bool = False  # whether the wire has the code marker of JSON-RPC
    writes_number: bool = False  # whether the wire writes a private code
    own: Catalog | None = None  # the errors that every reader of the wire knows
    direct: Callable[[Candidate, list[Item]], bool | None] = field(default=lambda _candidate, _items: False)
    """For an error that needs no check, whether the plain form needs the marker;
    None where the check is to tell."""


def settle(error: Error, options: EncodeOptions, form: Form[T]) -> T:
    """Write the first of plain, plain with marker and plain with Carried that a
    reader, with or without the catalogue, reads back as the same error.

    Where Carried is not wanted or the error was made here, it is the first form
    whose code, message and plain details come back.
    """
    plain = _simple(error)
    fallback: list[T] = []
    for candidate in form.candidates:
        items = form.items(candidate)
        if plain and all(item.plain and item.carried is None for item in items):
            marker = form.direct(candidate, items)
            if marker is not None:
                return form.write(candidate, items, marker, None)
        for carries in (False, True):
            for marker in (False, True):
                if ((carries or marker) and candidate.alone) or (marker and not form.marker):
                    continue
                if carries and (options.without_carried or not error._decoded):
                    continue
                carried = (
                    carry(options.catalog, error, items, candidate.said, form.writes_number)
                    if carries
                    else None
                )
                out = form.write(candidate, items, marker, carried)
                whole, core = _comes_back(error, options, form, candidate, items, out)
                if whole or (core and not error._decoded):
                    return out
                if core and not fallback:
                    fallback.append(out)
    if not fallback:
        last = form.candidates[-1]
        fallback.append(form.write(last, form.items(last), form.marker, None))
    notes = Notes()
    notes.add(f"{form.wire} form: what rides along is left out")
    notes.give(options.on_note)
    return fallback[0]


def readable(error: Error, types: Catalog) -> Error:
    """Return an error with its details as a reader with the catalogue has them: one
    without it may have kept as JSON what is a message here."""
    details = tuple(read_again(types, detail) for detail in error.raw_details)
    return error if details == error.raw_details else changed(error, _details=details)


def _simple(error: Error) -> bool:
    """Tell whether an error says nothing but what every wire can say."""
    return (
        canonical(error.number)
        and not error.received
        and all(d.element is None and d.name not in (CARRIED, STATUS) for d in error.raw_details)
    )


def _comes_back(
    error: Error,
    options: EncodeOptions,
    form: Form[T],
    candidate: Candidate,
    items: list[Item],
    out: T,
) -> tuple[bool, bool]:
    """Read what was written, with and without the catalogue of errors, and tell
    whether all of the error comes back, and whether its core does: the code, the
    message and the plain details."""
    from .catalog import NOTHING

    types, whole, core = options.catalog, True, True
    plain = [item.read for item in items if item.plain]
    for errors in (types, form.own or NOTHING):
        try:
            back = form.read(out, DecodeOptions.unlimited(types, errors))
        except NotAnError:
            return False, False
        same = back.message == error.message
        whole = (
            whole
            and same
            and back.number == error.number
            and _same_details(types, back.raw_details, error.raw_details)
            and _same_received(back, error, form.wire, candidate.made)
        )
        core = (
            core
            and same
            and code_of(back.number) == code_of(error.number)
            and _same_details(types, back.raw_details, plain)
        )
    return whole, core


def _same_details(types: Catalog, a: Sequence[RawDetail], b: Sequence[RawDetail]) -> bool:
    return len(a) == len(b) and all(same_detail(types, x, y) for x, y in zip(a, b, strict=True))


def _same_received(back: Error, error: Error, wire: Wire, made: Received) -> bool:
    """Compare what was received, apart from what the writer of this wire chose
    itself."""
    got, want = received_on(back, wire), received_on(error, wire)
    if not want.number and got.number == made.number:
        got = replace(got, number="")
    if not want.http_status and got.http_status == made.http_status:
        got = replace(got, http_status=0)
    made = made.without(want.all_members())
    for member in made.all_members():
        if got.member(member.name) == member.value:
            got = got.without([member])
    others = [received for received in back.received if received.wire != wire]
    masked = others if got.empty else sorted([*others, got], key=lambda r: r.wire)
    return masked == list(error.received)
