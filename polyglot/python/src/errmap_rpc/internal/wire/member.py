"""Members of an error object, and where they go."""

from __future__ import annotations

import enum
from collections.abc import Callable

from .. import hub
from ..jsontree import MISSING, Node, Odd, compact, get, members, parse_or_missing, quote, text_of, unescape
from .options import Decoding

Member = tuple[str, Node]
"""One member that is read and has no place in the model: its name and its value."""


class Raw(str):
    """Is JSON text in the place of a node."""

    __slots__ = ()


class Names:
    """The members that a form itself has."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self._all = frozenset(names)
        self._folded = {name.casefold(): len(name) for name in names}

    def __contains__(self, name: str) -> bool:
        return name in self._all

    def folds(self, name: str) -> bool:
        """Tell whether a name differs from one of the form's in case alone: some readers
        would take it for that."""
        # Folding in full makes "ss" of "ß", which no reader takes for it.
        return self._folded.get(name.casefold(), -1) == len(name) and name not in self._all

    def place_in(self, name: str, _: Node) -> Place:
        """Return the place of a member in the form: it stands unless it has one of the
        form's names."""
        return (
            Place.RIDES if name.casefold() in self._folded and (name in self._all or self.folds(name)) else Place.STANDS
        )


class Place(enum.Enum):
    """Where a member that rode along goes."""

    RIDES = 0  # into Carried
    STANDS = 1  # among the members of the form
    SAID = 2  # nowhere: the form says it already


def member_text(value: Node) -> str:
    return value if type(value) is Raw else compact(value)


def members_text(found: list[Member]) -> str:
    """Return a JSON object of members, sorted by name: their order says nothing. "" without
    any."""
    if not found:
        return ""
    ordered = sorted(found, key=lambda member: member[0])
    return "{" + ",".join([f"{quote(name)}:{member_text(value)}" for name, value in ordered]) + "}"


class Keys:
    """The names that are taken in an object, with the next number to try for each that was
    wanted again, so that many of one name cost no more than few."""

    def __init__(self, *names: str) -> None:
        self._next = dict.fromkeys(names, 2)

    def free(self, key: str) -> str:
        """Return a key that is not taken, and take it."""
        number = self._next.get(key)
        if number is None:
            self._next[key] = 2
            return key
        while True:
            candidate = f"{key}_{number}"
            number += 1
            if candidate not in self._next:
                self._next[key], self._next[candidate] = number, 2
                return candidate


class MemberReading:
    """What is read of the members of one error object."""

    __slots__ = ("codec", "error", "options", "rest")

    def __init__(self, error: hub.Error, options: Decoding) -> None:
        self.error = error
        self.options = options
        self.codec = options.catalog.codec
        self.rest: list[Member] = []
        """The members that ride along."""

    def note(self, note: str) -> None:
        self.error.notes.add(note)

    def twice(self, name: str) -> None:
        self.note(f"member {hub.quoted(name)} stands twice: the first counts")

    def folded(self, name: str) -> None:
        self.note(f"member {hub.quoted(name)} differs from one of the form's only in case: dropped")

    def take(self, node: Node, form: Names) -> dict[str, Node]:
        """Return the members of an object that the form has, and put the others into rest.
        Of a name that stands twice the first counts."""
        own: dict[str, Node] = {}
        for name, value, repeats in members(node):
            if repeats:
                self.twice(name)
            elif name in form:
                own[name] = value
            elif form.folds(name):
                self.folded(name)
            else:
                self.rest.append((name, value))
        return own

    def text(self, own: dict[str, Node], name: str) -> str | None:
        """Take a string; None where it is missing or null. One of another type is kept."""
        value = own.get(name)
        if type(value) is str:
            return text_of(value)
        if value is not None:
            self.refuse(own, name)
        return None

    def refuse(self, own: dict[str, Node], name: str) -> None:
        """Keep a member of the form's that is of another type."""
        self.note(f'member "{name}" is of another type: counts as absent')
        self.rest.append((name, own[name]))

    def keep(self, wire: hub.Wire) -> None:
        """Put what rides along into what was received on a wire."""
        if self.rest:
            said = self.error.on(wire)
            self.error.set_received(
                hub.Received(
                    wire,
                    said.number,
                    said.code_text,
                    said.http_status,
                    members_text(self.rest),
                    said.unknown_fields,
                )
            )


PlaceOf = Callable[[str, Node], Place]


def split_members(text: str, place_of: PlaceOf) -> tuple[str, str]:
    """Return the members that stand on the wire that is written, each after a comma, and an
    object of those that ride."""
    if not text:
        return "", ""
    root = parse_or_missing(text)
    if root is MISSING:
        return "", text
    stands: list[str] = []
    riding: list[str] = []
    for raw, value in root.members if type(root) is Odd else root.items():
        place = place_of(unescape(raw), value)
        if place is Place.STANDS:
            stands.append(f',"{raw}":{compact(value)}')
        elif place is Place.RIDES:
            riding.append(f'"{raw}":{compact(value)}')
    return "".join(stands), "{" + ",".join(riding) + "}" if riding else ""


__all__ = ["Keys", "Member", "MemberReading", "Names", "Place", "Raw", "get", "members_text", "split_members"]
