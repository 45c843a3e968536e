"""JSON that keeps the order of members and the very tokens of numbers.

Python's own reader makes floats of numbers and forgets how a string was
escaped. What rides along with an error must come out as it came in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ._number import Decimal, decimal_of, float_text, integer_token, is_number_token
from ._text import Notes, byte_length, decode_utf8, repair

MAX_DEPTH = 10_000
"""How deep a text may nest whatever the limits say."""

_MAX_CANONICAL = 500
"""Beyond it Python's stack might not do."""

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_LITERALS = ("true", "false", "null")


class JSONError(ValueError):
    """The text is no JSON, or beyond a limit."""


class Value:
    """A JSON value with its compact text. It is immutable."""

    __slots__ = ("_source", "_span", "_text", "depth", "elements", "members")

    def __init__(
        self,
        text: str | None,
        members: tuple[Member, ...] | None = None,
        elements: tuple[Value, ...] | None = None,
        source: list[str] | None = None,
        span: tuple[int, int] = (0, 0),
    ) -> None:
        """Make a value of its text, or of the place of the text in what was read, so
        that a text inside many others is not kept for each of them."""
        self._text = text
        self._source = source
        self._span = span
        self.members = members
        """The members of an object in their order; None for another value."""
        self.elements = elements
        """The elements of an array; None for another value."""
        self.depth = 0
        """How deep the value nests: 0 for a scalar."""
        if members is not None:
            self.depth = 1 + max((m.value.depth for m in members), default=0)
        elif elements is not None:
            self.depth = 1 + max((e.depth for e in elements), default=0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return parse, (self.text,)

    @property
    def text(self) -> str:
        """The compact text."""
        if self._text is not None:
            return self._text
        assert self._source is not None
        return self._source[0][self._span[0] : self._span[1]]

    @property
    def kind(self) -> str:
        """The first character of the text."""
        if self._text is not None:
            return self._text[0]
        return "{" if self.members is not None else "["

    @property
    def is_null(self) -> bool:
        return self._text == "null"

    @property
    def is_number(self) -> bool:
        return self.kind in "-0123456789"

    def string(self) -> str | None:
        """Return what a string says, None for another value; a lone surrogate is U+FFFD."""
        return unquote(self.text) if self.kind == '"' else None

    def member(self, name: str) -> Value | None:
        """Return the first member of that name."""
        for member in self.members or ():
            if member.name == name:
                return member.value
        return None

    def scalars(self) -> Iterable[Value]:
        """Yield every scalar in the value, and the names of members as strings."""
        stack = [self]
        while stack:
            value = stack.pop()
            if value.members is not None:
                for member in reversed(value.members):
                    stack.append(member.value)
                    stack.append(Value(member.raw_name))
            elif value.elements is not None:
                stack.extend(reversed(value.elements))
            else:
                yield value


class Member(NamedTuple):
    """A member of an object: its name, read and as it stood, and its value."""

    name: str
    raw_name: str
    value: Value


def parse(body: bytes | str, most_bytes: int | None = None, most_depth: int | None = None) -> Value:
    """Read one JSON value. Strings and numbers keep their text.

    Duplicate members and lone surrogates are accepted, since peers write them.
    Raises JSONError for what is no JSON, too large or nested too deep.
    """
    size = len(body) if isinstance(body, bytes) else byte_length(repair(body))
    if most_bytes is not None and size > most_bytes:
        raise JSONError("larger than the limit")
    text = decode_utf8(body) if isinstance(body, bytes) else repair(body)
    limit = MAX_DEPTH if most_depth is None else min(most_depth, MAX_DEPTH)
    return _Parser(text, limit).parse()


def parse_or_none(text: str) -> Value | None:
    """Read one JSON value, None where the text is none."""
    try:
        return parse(text)
    except JSONError:
        return None


class _Parser:
    """Reads without recursion, so that depth is a limit of ours and not of Python's."""

    def __init__(self, text: str, most_depth: int) -> None:
        self.text = text
        self.most_depth = most_depth
        self.parts: list[str] = []
        self.size = 0

    def parse(self) -> Value:
        text, at = self.text, self._space(0)
        # Each open container: its kind, its children, and the name of the member
        # whose value comes next.
        # And where its compact text begins.
        stack: list[tuple[str, list[Member], list[Value], int]] = []
        names: list[str] = []
        source: list[str] = []
        while True:
            # A value begins here.
            char = text[at : at + 1]
            value: Value | None
            if char in ("{", "["):
                if len(stack) >= self.most_depth:
                    raise JSONError("nested deeper than the limit")
                stack.append((char, [], [], self.size))
                self._write(char)
                at = self._space(at + 1)
                if text[at : at + 1] != ("}" if char == "{" else "]"):
                    if char == "{":
                        at = self._name(at, names)
                    continue
                value = None
            else:
                value, at = self._scalar(at)
                self._write(value.text)
            # A value ended here, or an empty container is to be closed.
            while True:
                if value is not None:
                    if not stack:
                        if self._space(at) != len(text):
                            raise JSONError(f"text after the value at character {at}")
                        source.append("".join(self.parts))
                        return value
                    kind, members, elements, start = stack[-1]
                    if kind == "{":
                        raw = names.pop()
                        members.append(Member(unquote(raw), raw, value))
                    else:
                        elements.append(value)
                    at = self._space(at)
                    if text[at : at + 1] == ",":
                        self._write(",")
                        at = self._space(at + 1)
                        if kind == "{":
                            at = self._name(at, names)
                        break
                kind, members, elements, start = stack[-1]
                end = "}" if kind == "{" else "]"
                if text[at : at + 1] != end:
                    raise JSONError(f"unexpected text at character {at}")
                at += 1
                stack.pop()
                self._write(end)
                span = start, self.size
                if kind == "{":
                    value = Value(None, tuple(members), None, source, span)
                else:
                    value = Value(None, None, tuple(elements), source, span)

    def _write(self, token: str) -> None:
        """Append to the compact text."""
        self.parts.append(token)
        self.size += len(token)

    def _space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def _name(self, at: int, names: list[str]) -> int:
        match = _STRING.match(self.text, at)
        if not match:
            raise JSONError(f"no member name at character {at}")
        names.append(match.group())
        self._write(match.group())
        self._write(":")
        at = self._space(match.end())
        if self.text[at : at + 1] != ":":
            raise JSONError(f"no colon at character {at}")
        return self._space(at + 1)

    def _scalar(self, at: int) -> tuple[Value, int]:
        for pattern in (_STRING, _NUMBER):
            match = pattern.match(self.text, at)
            if match:
                return Value(match.group()), match.end()
        for literal in _LITERALS:
            if self.text.startswith(literal, at):
                return Value(literal), at + len(literal)
        raise JSONError(f"no value at character {at}")


def quote(text: str) -> str:
    """Return a JSON string in its shortest form (RFC 8785 section 3.2.2.2)."""
    return json.dumps(text, ensure_ascii=False)


def unquote(raw: str) -> str:
    """Read a JSON string; a lone surrogate is U+FFFD."""
    if "\\" not in raw:
        return raw[1:-1]
    text: str = json.loads(raw)
    return repair(text)


def has_lone_surrogate(raw: str) -> bool:
    """Tell whether a JSON string holds an escape that is half a character."""
    if "\\u" not in raw:
        return False
    text: str = json.loads(raw)
    return any("\ud800" <= char <= "\udfff" for char in text)


def string_of(text: str) -> Value:
    return Value(quote(text))


def integer_of(number: int) -> Value:
    return Value(str(number))


def object_of(members: Iterable[Member]) -> Value:
    members = tuple(members)
    return Value("{" + ",".join([f"{m.raw_name}:{m.value.text}" for m in members]) + "}", members)


def array_of(elements: Iterable[Value]) -> Value:
    elements = tuple(elements)
    return Value("[" + ",".join([e.text for e in elements]) + "]", None, elements)


def member_of(name: str, value: Value) -> Member:
    return Member(name, quote(name), value)


def take(members: Iterable[Member], notes: Notes, *names: str) -> tuple[dict[str, Value], list[Member]]:
    """Split members into those named here and the rest.

    The first of duplicates wins; a name that differs from one of ours only in
    case is dropped, since some readers fold case.
    """
    ours: dict[str, Value] = {}
    rest: list[Member] = []
    folded = {name.casefold(): name for name in names}
    for member in members:
        # Folding in full makes "ss" of "ß", which no reader takes for it.
        name = folded.get(member.name.casefold())
        if name is not None and len(name) != len(member.name):
            name = None
        if name is None:
            rest.append(member)
        elif name != member.name:
            notes.add(f'member "{member.name}" differs from "{name}" only in case: dropped')
        elif name in ours:
            notes.add(f'member "{name}" stands twice: the first counts')
        else:
            ours[name] = member.value
    return ours, first_of_each(rest, notes)


def first_of_each(members: Iterable[Member], notes: Notes) -> list[Member]:
    """Return members without those whose name stood before."""
    seen: set[str] = set()
    out: list[Member] = []
    for member in members:
        if member.name in seen:
            notes.add(f'member "{member.name}" stands twice: the first counts')
            continue
        seen.add(member.name)
        out.append(member)
    return out


def add_member(members: list[Member], member: Member, notes: Notes) -> None:
    """Append a member unless one of its name is there."""
    if any(have.name == member.name for have in members):
        notes.add(f'member "{member.name}" stands twice: the first counts')
    else:
        members.append(member)


def read_number(value: Value | None) -> int | None:
    """Read an integral number, or a string that holds one."""
    if value is None:
        return None
    token = value.string() if value.kind == '"' else value.text
    if token is None or not is_number_token(token):
        return None
    return integer_token(token)


def has_number(value: Value) -> bool:
    return any(scalar.is_number for scalar in value.scalars())


def numbers_come_back(before: Value, after: Value) -> bool:
    """Tell whether each number of before, zeros aside, is one of after: as a
    number, or as the string that ProtoJSON makes of 64-bit integers."""
    missing: dict[Decimal, int] = {}
    for scalar in before.scalars():
        if scalar.is_number:
            d = decimal_of(scalar.text)
            if d is None:
                return False
            if d.digits:
                missing[d] = missing.get(d, 0) + 1
    if not missing:
        return True
    for scalar in after.scalars():
        token = scalar.text
        if scalar.kind == '"':
            token = token[1:-1]
            if not is_number_token(token):
                continue
        elif not scalar.is_number:
            continue
        d = decimal_of(token)
        if d is not None and d in missing:
            missing[d] -= 1
            if missing[d] == 0:
                del missing[d]
    return not missing


def canonical(value: Value) -> str | None:
    """Return the text in the form of RFC 8785, None where that form cannot say it
    exactly: a number that no double is, a lone surrogate, a duplicate name."""
    if value.depth > _MAX_CANONICAL:
        return None
    if value.members is not None:
        names: dict[str, Value] = {}
        for member in value.members:
            if member.name in names or has_lone_surrogate(member.raw_name):
                return None
            names[member.name] = member.value
        parts: list[str] = []
        for name in sorted(names, key=lambda name: name.encode("utf-16-be")):
            inner = canonical(names[name])
            if inner is None:
                return None
            parts.append(quote(name) + ":" + inner)
        return "{" + ",".join(parts) + "}"
    if value.elements is not None:
        texts: list[str] = []
        for element in value.elements:
            inner = canonical(element)
            if inner is None:
                return None
            texts.append(inner)
        return "[" + ",".join(texts) + "]"
    if value.kind == '"':
        return None if has_lone_surrogate(value.text) else quote(unquote(value.text))
    if not value.is_number:
        return value.text
    number = float(value.text)
    if number in (float("inf"), float("-inf")):
        return None
    text = float_text(number)
    # RFC 8785 writes a negative zero as 0, which is another number.
    return None if text == "-0" or decimal_of(value.text) != decimal_of(text) else text


def same_text(a: Value | None, b: Value | None) -> bool:
    """Tell whether two values say the same: a peer may have put members in
    another order."""
    if a is None or b is None:
        return a is b
    if a.text == b.text:
        return True
    x, y = canonical(a), canonical(b)
    return x is not None and x == y
