"""JSON read once, by Python's own scanner, into a tree that keeps each token.

A node is one of: a str, the text of a string between its quotes as it stood, escapes and
all; a Number, the token of a number; True, False, None; a list; a dict, of the first of
each name, which as an Odd has all members as they stood. MISSING is no node.

Doubled names and lone surrogates are accepted, since peers write them; bytes that are not
UTF-8 are U+FFFD each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json.encoder import encode_basestring
from typing import Any, TypeAlias

from . import number

Node: TypeAlias = Any

MAX_DEPTH = 400
"""How deep a text may nest whatever the limits say: Python's stack has a bound."""


class JSONError(ValueError):
    """The text is no JSON, or beyond a limit."""


class Missing:
    """Is where no node is."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


MISSING = Missing()


class Number(str):
    """The token of a number."""

    __slots__ = ()


class Odd(dict[str, Node]):
    """An object with a name twice, or with an escape in a name. As a dict it has the first
    member of each name, read."""

    __slots__ = ("doubled", "members")

    def __init__(self, members: list[tuple[str, Node]]) -> None:
        self.members = members
        """All members, their names as they stood."""
        for name, value in members:
            self.setdefault(unescape(name), value)
        self.doubled = len(self) < len(members)


def _object(pairs: list[tuple[str, Node]]) -> dict[str, Node]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else Odd(pairs)


def _object_with_escapes(pairs: list[tuple[str, Node]]) -> dict[str, Node]:
    found = dict(pairs)
    if len(found) < len(pairs) or any("\\" in name for name in found):
        return Odd(pairs)
    return found


def _no_constant(name: str) -> Node:
    raise JSONError(f"{name} is no JSON")


def _decoder(pairs: Any) -> Any:
    return json.JSONDecoder(
        object_pairs_hook=pairs, parse_int=Number, parse_float=Number, parse_constant=_no_constant
    ).decode


_decode = _decoder(_object)
_decode_escaped = _decoder(_object_with_escapes)

_ESCAPE = re.compile(r'\\(?:(["\\])|[/bfnrt]|u[0-9a-fA-F]{4}|)')
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _escape_again(match: re.Match[str]) -> str:
    """Return an escape such that it is read as the escape that it is."""
    if match[1]:
        return "\\\\\\" + match[1]
    if len(match[0]) == 1:
        raise JSONError("no escape of JSON")
    return "\\" + match[0]


def parse(text: str, depth: int = MAX_DEPTH) -> Node:
    """Read one JSON value. Raises JSONError for what is none, or nests too deep."""
    depth = min(depth, MAX_DEPTH)
    if text.count("[") + text.count("{") > depth and height_of(text) > depth:
        raise JSONError("nested deeper than the limit")
    try:
        if "\\" not in text:
            return _decode(text)
        return _decode_escaped(_ESCAPE.sub(_escape_again, text))
    except RecursionError:
        raise JSONError("nested deeper than the limit") from None
    except json.JSONDecodeError as why:
        raise JSONError(f"{why.msg} at character {why.pos}") from None


def height_of(text: str) -> int:
    """Return how deep a text nests."""
    if '"' in text:
        text = _STRING.sub("", text)
    most = now = 0
    for bracket in _BRACKET.findall(text):
        if bracket in "[{":
            now += 1
            if now > most:
                most = now
        else:
            now -= 1
    return most


def parse_or_missing(text: str) -> Node:
    """Read what was read or written here before, MISSING where it is no JSON."""
    try:
        return parse(text)
    except JSONError:
        return MISSING


def decode_utf8(data: bytes) -> str:
    """Return the text of UTF-8, with U+FFFD for each byte that is none."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        # A lone surrogate stands for each such byte; none comes of UTF-8 itself.
        return _SURROGATE.sub("\ufffd", data.decode("utf-8", "surrogateescape"))


def clean(text: str) -> str:
    """Return text with U+FFFD for each lone surrogate; a pair of them is one character."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def quote(text: str) -> str:
    """Return a JSON string in its shortest form (RFC 8785 section 3.2.2.2)."""
    quoted: str = encode_basestring(text)
    return quoted


def unescape(raw: str) -> str:
    """Return what the text between quotes says; a lone surrogate is U+FFFD."""
    if "\\" not in raw:
        return raw
    said: str = json.loads(f'"{raw}"')
    return _SURROGATE.sub("\ufffd", said)


def text_of(node: Node) -> str:
    """Return what a string says, "" for another node."""
    if type(node) is not str:
        return ""
    return unescape(node) if "\\" in node else node


def has_lone(raw: str) -> bool:
    """Tell whether the text between quotes holds an escape that is half a character."""
    return "\\u" in raw and _SURROGATE.search(json.loads(f'"{raw}"')) is not None


def get(node: Node, name: str) -> Node:
    """Return the first member of that name, MISSING where there is none."""
    return node.get(name, MISSING) if isinstance(node, dict) else MISSING


def members(node: dict[str, Node]) -> Iterator[tuple[str, Node, bool]]:
    """Yield the members in their order: the name, read, the value, and whether the name
    stood before."""
    if type(node) is not Odd:
        for name, value in node.items():
            yield name, value, False
        return
    seen: set[str] = set()
    for raw, value in node.members:
        name = unescape(raw)
        yield name, value, name in seen
        seen.add(name)


def length(node: dict[str, Node]) -> int:
    """Return how many members an object has, those that stand twice too."""
    return len(node.members) if type(node) is Odd else len(node)


def compact(node: Node, once: bool = False) -> str:
    """Return the compact text, every token as it stood; with once each member only the
    first time, at every depth."""
    out: list[str] = []
    _compact(node, once, out.append)
    return "".join(out)


def _compact(node: Node, once: bool, out: Any) -> None:
    kind = type(node)
    if kind is str:
        out(f'"{node}"')
    elif kind is Number:
        out(node)
    elif kind is list:
        if not node:
            out("[]")
            return
        lead = "["
        for element in node:
            out(lead)
            lead = ","
            _compact(element, once, out)
        out("]")
    elif kind is dict:
        if not node:
            out("{}")
            return
        lead = '{"'
        for name, value in node.items():
            out(lead)
            out(name)
            out('":')
            lead = ',"'
            _compact(value, once, out)
        out("}")
    elif kind is Odd:
        lead = '{"'
        seen: set[str] = set()
        for raw, value in node.members:
            if once and node.doubled:
                name = unescape(raw)
                if name in seen:
                    continue
                seen.add(name)
            out(lead)
            out(raw)
            out('":')
            lead = ',"'
            _compact(value, once, out)
        out("}")
    else:
        out(LITERALS[node])


LITERALS = {None: "null", True: "true", False: "false"}


def doubled(node: Node) -> bool:
    """Tell whether an object in it has a name twice, at any depth."""
    stack = [node]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is list:
            stack += node
        elif kind is dict:
            stack += node.values()
        elif kind is Odd:
            if node.doubled:
                return True
            stack += node.values()
    return False


def height(node: Node) -> int:
    """Return how deep it nests: 1 for {} and [], 0 for scalars."""
    level, most = [node], 0
    while True:
        below: list[Node] = []
        found = False
        for each in level:
            if type(each) is list:
                found = True
                below += each
            elif isinstance(each, dict):
                found = True
                below += [value for _, value in each.members] if type(each) is Odd else each.values()
        if not found:
            return most
        most, level = most + 1, below


class _NotExact(Exception):
    pass


def canonical(node: Node) -> str | None:
    """Return the text in the form of RFC 8785, None where that form cannot say it exactly:
    a number that no double is, -0, a lone surrogate, a doubled name."""
    out: list[str] = []
    try:
        _canonical(node, out.append)
    except _NotExact:
        return None
    return "".join(out)


def _string(raw: str) -> str:
    if "\\" not in raw:
        return f'"{raw}"'
    if has_lone(raw):
        raise _NotExact
    return quote(unescape(raw))


def utf16(text: str) -> bytes:
    return text.encode("utf-16-be")


def _canonical(node: Node, out: Any) -> None:
    kind = type(node)
    if kind is str:
        out(_string(node))
    elif kind is Number:
        out(_number(node))
    elif kind is list:
        lead = "["
        for element in node:
            out(lead)
            lead = ","
            _canonical(element, out)
        out("]" if node else "[]")
    elif kind is dict or kind is Odd:
        if kind is Odd and (node.doubled or any(has_lone(raw) for raw, _ in node.members)):
            raise _NotExact
        names = list(node)
        names.sort(key=None if all(name.isascii() for name in names) else utf16)
        lead = "{"
        for name in names:
            out(lead)
            lead = ","
            out(quote(name))
            out(":")
            _canonical(node[name], out)
        out("}" if names else "{}")
    else:
        out(LITERALS[node])


def _number(token: str) -> str:
    if len(token) <= 15:
        digits = token.removeprefix("-")
        if digits.isdigit() and (token[0] != "-" or digits[0] != "0"):
            return token
    value = float(token)
    if value in (float("inf"), float("-inf")):
        raise _NotExact
    text = number.float_text(value)
    # RFC 8785 writes a negative zero as 0, which is another number.
    if text == "-0" or not number.same_number(token, text):
        raise _NotExact
    return text


def same(a: Node, b: Node) -> bool:
    """Tell whether two nodes say the same: members may stand in another order, numbers and
    strings may be written otherwise. Where a name stands twice, only the same tokens say the
    same, and so for a lone surrogate."""
    if doubled(a) or doubled(b):
        return compact(a) == compact(b)
    return _same(a, b)


def _same(a: Node, b: Node) -> bool:
    kind = type(a)
    if kind is str:
        if type(b) is not str:
            return False
        return bool(a == b) or ("\\" in a + b and not has_lone(a) and not has_lone(b) and text_of(a) == text_of(b))
    if kind is Number:
        return type(b) is Number and (a == b or number.same_number(a, b))
    if kind is list:
        return type(b) is list and len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        if not isinstance(b, dict) or len(a) != len(b):
            return False
        if any(type(x) is Odd and any(has_lone(raw) for raw, _ in x.members) for x in (a, b)):
            return compact(a) == compact(b)
        return all(name in b and _same(value, b[name]) for name, value in a.items())
    return a is b


def integer(node: Node) -> int | None:
    """Return the value of a number that is integral, as 1.0 and 1e3 are too, within
    ±(2^53-1)."""
    return number.integer(node) if type(node) is Number else None
