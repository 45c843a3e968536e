"""What a wire said of an error that a google.rpc.Status cannot say."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace

from . import _json
from ._text import Notes

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

    def merge(self, own: Received) -> Received:
        """Add to what rode along what its own wire says newly."""
        merged = replace(
            self,
            number=self.number or own.number,
            code_text=self.code_text or own.code_text,
            http_status=self.http_status or own.http_status,
            unknown_fields=self.unknown_fields or own.unknown_fields,
        )
        if own.members:
            both = self.all_members() + own.all_members()
            merged = merged.with_members(_json.first_of_each(both, Notes()))
        return merged
