"""What a wire said of an error that a google.rpc.Status cannot say."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace

from . import _json
from ._text import Notes, clip, quote

__all__ = ["Received", "Wire"]


class Wire(enum.IntEnum):
    """A form in which an error arrives."""

    CONNECT = 1
    GRPC = 2
    STATUS = 3
    HTTP = 4
    PROBLEM = 5
    JSONRPC = 6

    def __str__(self) -> str:
        return self.name.lower()

    @classmethod
    def _missing_(cls, value: object) -> Wire | None:
        """A wire of a later schema is kept as its number."""
        if not isinstance(value, int):
            return None
        wire = int.__new__(cls, value)
        wire._name_, wire._value_ = f"WIRE_{value}", value
        return wire


@dataclass(frozen=True, slots=True)
class Received:
    """What one wire said of an error and a google.rpc.Status cannot. It holds no
    more than that: a number that the error has anyway is not kept."""

    wire: Wire
    number: str = ""
    """The token of a JSON-RPC code; "" for none."""
    code_text: str = ""
    """What stood in the place of the code and names none."""
    http_status: int = 0
    """The status of the response; 0 for none."""
    members: _json.Value | None = None
    """A JSON object of the members that are said nowhere else."""
    unknown_fields: bytes = b""
    """The fields of a google.rpc.Status that the schema does not know."""

    @property
    def empty(self) -> bool:
        return not (self.number or self.code_text or self.http_status or self.members or self.unknown_fields)

    def all_members(self) -> tuple[_json.Member, ...]:
        return (self.members.members or ()) if self.members else ()

    def member(self, name: str) -> _json.Value | None:
        return self.members.member(name) if self.members else None

    def with_members(self, members: Iterable[_json.Member]) -> Received:
        """Set the members, sorted by name: their order says nothing."""
        ordered = sorted(members, key=lambda m: m.name)
        return replace(self, members=_json.object_of(ordered) if ordered else None)

    def without(self, gone: Iterable[_json.Member]) -> Received:
        """Return it without the members of these names."""
        names = {m.name for m in gone}
        return self.with_members(m for m in self.all_members() if m.name not in names)

    def difference(self, said: Received) -> Received:
        """Return what of it is not said."""
        rest = replace(
            self,
            number="" if said.number else self.number,
            code_text="" if said.code_text else self.code_text,
            http_status=0 if said.http_status else self.http_status,
            unknown_fields=b"" if said.unknown_fields else self.unknown_fields,
        )
        return rest.without(said.all_members()) if said.members else rest

    def merge(self, own: Received, notes: Notes) -> Received:
        """Add to what rode along what its own wire says newly. What rode along stays;
        what is said against it is in a note."""
        for what, have, news in (
            ("number", self.number, own.number),
            ("code", self.code_text, own.code_text),
            ("HTTP status", str(self.http_status or ""), str(own.http_status or "")),
        ):
            if have and news and have != news:
                notes.add(f"{what} {quote(news, 128)} dropped: {quote(have, 128)}, which rode along, stays")
        if self.unknown_fields and own.unknown_fields and self.unknown_fields != own.unknown_fields:
            notes.add("unknown fields of a Status dropped: those that rode along stay")
        merged = replace(
            self,
            number=self.number or own.number,
            code_text=self.code_text or own.code_text,
            http_status=self.http_status or own.http_status,
            unknown_fields=self.unknown_fields or own.unknown_fields,
        )
        both = list(self.all_members())
        for member in own.all_members():
            have_member = self.member(member.name)
            if have_member is None:
                both.append(member)
            elif have_member.text != member.value.text:
                text = clip(member.value.text, 128)
                notes.add(f'member "{member.name}" with {text} dropped: the one that rode along stays')
        return merged.with_members(both) if own.members else merged
