"""The dialects of JSON-RPC 2.0 (section 7 of the wire contract), as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ..code import CODES_BY_NUMBER, Code
from ..jsontree import MISSING, JSONError, Node, compact, parse, quote
from ..schema import Catalog, Definition, of

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

STANDARD = (PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR)
RESERVED = (-32768, -32000)
"""The numbers that JSON-RPC 2.0 reserves."""


@dataclass(frozen=True, slots=True)
class ProfileMember:
    """A member that the data of an own error requires."""

    name: str
    empty: str
    """The JSON of the value that says nothing, which is written where the error has no
    other: '""', '[]', '{}'. Its type is the member's."""

    @property
    def empty_text(self) -> str:
        """The metadata text of the value that says nothing."""
        return "" if self.empty == '""' else self.empty

    @property
    def is_string(self) -> bool:
        return self.empty.startswith('"')

    def takes(self, node: Node) -> bool:
        """Tell whether a node is of the member's type."""
        return _kind(parse(self.empty)) is _kind(node)

    def value(self, text: str) -> str:
        """Return a metadata text as JSON of the member's type, the empty value for one that
        is not of it."""
        if self.is_string:
            return quote(text)
        try:
            node = parse(text, 100)
        except JSONError:
            return self.empty
        return compact(node) if self.takes(node) else self.empty


def _kind(node: Node) -> type:
    return dict if isinstance(node, dict) else type(node)


@dataclass(frozen=True, slots=True)
class ProfileError:
    """An error that a protocol itself defines."""

    definition: Definition
    """Of the annotated message that is the error: its identity, code and texts."""
    number: int = 0
    """The code of the error object; 0 is the one that the definition has."""
    data: Sequence[ProfileMember] = ()
    """The members that data requires, in the order in which they are written. They are read
    into ErrorInfo.metadata, and so into the fields of the error."""
    only_with_data: bool = False
    """Whether the number means this error only where data is an object of exactly these
    members, each of its type, and of nothing else but details."""
    read_only: bool = False
    """Whether the number is read, and not written."""

    def alone(self, data: Node) -> bool:
        """Tell whether data is an object of exactly the required members, and of nothing
        else but details."""
        if not isinstance(data, dict):
            return False
        wanted = {member.name: member for member in self.data}
        for name, value in data.items():
            if name in wanted:
                if not wanted.pop(name).takes(value):
                    return False
            elif name != "details":
                return False
        return not wanted


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """A dialect of JSON-RPC 2.0: which numbers an error has there and what its data looks
    like. A caller chooses it; it is never guessed from a number. It is data: one with a name
    alone is JSON-RPC 2.0 itself, and a program can make its own. Raises ValueError, naming
    every mistake, for two errors of one number, an error of another domain, or a member
    without a type."""

    name: str
    domain: str = ""
    """That of the errors that the protocol itself defines; "" for none. Their ErrorInfo is
    supplied where an error of one of their numbers comes without one."""
    errors: Sequence[ProfileError] = ()
    """Those errors."""
    object_data: bool = False
    """Whether the data of such an error is an object, with the members that it requires and
    all else that the error says under "details". Otherwise data is an array of typed objects,
    as of any error."""
    reserved: tuple[int, int] | None = None
    """The first and the last of the numbers that only errors have; None for none. An error of
    another domain whose own number is among them gets that of its code."""
    repeats: Sequence[int] = ()
    """The numbers among the reserved ones that are written again where they were received."""
    repeats_all: bool = False
    """Whether all of them are."""
    codes: Mapping[int, Code] = field(default_factory=dict)
    """Numbers that stand for a code alone: they are read, and never written."""
    http_statuses: Mapping[int, int] = field(default_factory=dict)
    """The HTTP status of an answer with an error of a number, where it is not 200."""
    accepted_status: int = 204
    """The HTTP status of the answer to notifications alone."""
    refuses_batches: bool = False
    """Whether a batch is answered with one error."""
    refuses_null_ids: bool = False
    """Whether a request with a null id is invalid, and an answer to a request whose id is not
    known has none."""
    checks_origins: bool = False
    """Whether a request with an Origin header is refused unless that origin is allowed."""
    own: Catalog = field(init=False)
    by_number: Mapping[int, ProfileError] = field(init=False)
    conditions: Sequence[ProfileError] = field(init=False)

    def __post_init__(self) -> None:
        entries = [_numbered(entry) for entry in self.errors]
        mistakes = self._mistakes(entries)
        own = Catalog()
        try:
            own = of(*(entry.definition for entry in entries))
        except ValueError as clash:
            mistakes.append(str(clash))
        if mistakes:
            raise ValueError("\n".join(f"profile {self.name!r}: {mistake}" for mistake in mistakes))
        make = object.__setattr__
        make(self, "errors", tuple(entries))
        make(self, "codes", MappingProxyType(dict(self.codes)))
        make(self, "http_statuses", MappingProxyType(dict(self.http_statuses)))
        make(self, "own", own)
        make(self, "by_number", {entry.number: entry for entry in entries if not entry.only_with_data})
        make(self, "conditions", tuple(entry for entry in entries if entry.only_with_data))

    def _mistakes(self, entries: Sequence[ProfileError]) -> list[str]:
        found = []
        if not self.name:
            found.append("it has no name")
        if self.reserved is not None and self.reserved[0] > self.reserved[1]:
            found.append(f"the reserved numbers end at {self.reserved[1]}, before they begin at {self.reserved[0]}")
        names: dict[int, str] = {}
        for entry in entries:
            full, number = entry.definition.full_name, entry.number
            if entry.definition.domain != self.domain:
                found.append(f"{full} is of domain {entry.definition.domain}, not {self.domain}")
            elif number == 0:
                found.append(f"{full} has no number")
            elif number in self.codes:
                found.append(f"number {number} is that of {full} and of a bare code")
            elif not entry.only_with_data and is_table_number(number):
                found.append(
                    f"number {number} of {full} is that of a code without identity: "
                    "it can mean the error only with its data"
                )
            elif number in names:
                found.append(f"number {number} is that of both {names[number]} and {full}")
            names[number] = full
            for member in entry.data:
                if not member.name or member.name == "details" or not _is_json(member.empty):
                    found.append(
                        f"{full}: member {member.name!r} with the empty value {member.empty!r}: "
                        "want a name that is not details, and JSON"
                    )
        found += [f"number {number} is that of a code already" for number in self.codes if is_table_number(number)]
        return found

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Profile {self.name}>"

    def http_status(self, number: int) -> int:
        """Return the HTTP status of the answer that holds an error of that number."""
        return self.http_statuses.get(number, 200)

    def is_reserved(self, number: int) -> bool:
        return self.reserved is not None and self.reserved[0] <= number <= self.reserved[1]

    def may(self, number: int) -> bool:
        """Tell whether the profile writes the number of an error that it does not define."""
        return (
            number != 0 and not self.is_reserved(number) and number not in self.by_number and number not in self.codes
        )

    def may_repeat(self, number: int) -> bool:
        """Tell whether the profile writes a number that was received."""
        own = self.by_number.get(number)
        if number == 0 or number in self.codes or (own is not None and own.read_only):
            return False
        return self.repeats_all or not self.is_reserved(number) or number in self.repeats

    def means(self, number: int, data: Node) -> ProfileError | None:
        """Return the own error that a number means beside that data."""
        own = self.by_number.get(number)
        if own is not None or data is MISSING:
            return own
        for entry in self.conditions:
            if entry.number == number and entry.alone(data):
                return entry
        return None

    def entry_of(self, definition: Definition | None) -> ProfileError | None:
        """Return the entry of a definition."""
        if definition is None or not self.domain or definition.domain != self.domain:
            return None
        for entry in self.errors:
            if entry.definition.reason == definition.reason:
                return entry
        return None


def _numbered(entry: ProfileError) -> ProfileError:
    if entry.number:
        return entry
    number = entry.definition.jsonrpc_code
    return ProfileError(entry.definition, number, entry.data, entry.only_with_data, entry.read_only)


def _is_json(text: str) -> bool:
    try:
        parse(text)
    except JSONError:
        return False
    return True


def is_table_number(number: int) -> bool:
    """Tell whether a number stands for a code without an identity."""
    return number in CODES_BY_NUMBER
