"""Messages as ProtoJSON and back, by tables that are compiled once from a descriptor.

Whether the JSON of a message says all of it is decided from the data while it is written,
and whether JSON is read whole while it is read: nothing is proved by reading back. What
protobuf's own json_format does goes through Python's floats and dicts, and it accepts and
refuses other things than the other implementations do, whose checks must agree.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, Protocol

from google.protobuf.message import DecodeError, Message

from .. import hub
from ..jsontree import MISSING, Node, has_lone, quote, unescape
from .encode import serialize
from .read import Reader
from .table import Refused, Table, table_of
from .write import Writer

MAX_ODD_URLS = 256
"""How many type URLs with another prefix are remembered: their senders choose them."""

EQUAL_DEPTH = 200
"""How deep messages may nest that are compared."""


class Types(Protocol):
    """Finds message types by name."""

    def find_message(self, name: str) -> type[Message] | None:
        """Return the class of a message type, None where it is not known."""


class Fidelity(enum.Enum):
    """How much of a message its ProtoJSON holds."""

    NONE = 0  # no ProtoJSON says it
    KNOWN = 1  # what the schema knows; the bytes hold unknown fields as well
    EXACT = 2  # it reads back as the same message


class Link:
    """A type URL whose type is found."""

    __slots__ = ("cls", "lead", "table", "url")

    def __init__(self, url: str, cls: type[Message]) -> None:
        self.url = url
        self.cls = cls
        self.table = table_of(cls.DESCRIPTOR)
        self.lead = '{"@type":' + quote(url)


def parse(cls: type[Message], data: bytes) -> Message | None:
    """Read the bytes of a message, None where they are malformed."""
    try:
        return cls.FromString(data)
    except (DecodeError, ValueError):
        return None


class Codec:
    """Reads and writes the messages of the types that are found."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._links: dict[str, Link] = {}
        self._odd = 0

    def link(self, type_url: str) -> Link | None:
        """Return what a type URL names, None where that is not found."""
        known = self._links.get(type_url)
        if known is not None or not type_url:
            return known
        name = hub.bare_name(type_url)
        cls = self._types.find_message(name)
        if cls is None:
            return None
        link = Link(type_url, cls)
        if type_url != hub.PREFIX + name:
            if self._odd == MAX_ODD_URLS:
                return link
            self._odd += 1
        self._links[type_url] = link
        return link

    def linked(self, type_url: str) -> bool:
        return self.link(type_url) is not None

    def any_text(self, type_url: str, value: bytes, depth: int) -> tuple[str, Fidelity]:
        """Return the ProtoJSON of an Any, "" where the answer is NONE. depth is how deep the
        JSON may nest at most."""
        if depth <= 0:
            return "", Fidelity.NONE
        if not type_url and not value:
            return "{}", Fidelity.EXACT
        link = self.link(type_url)
        if link is None:
            return "", Fidelity.NONE
        writer = Writer(self)
        return self._write(writer, link, value, lambda m: writer.opened(link, m, depth))

    def message_text(self, type_url: str, value: bytes, depth: int) -> tuple[str, Fidelity]:
        """Return the ProtoJSON of the message alone: what Connect has as debug."""
        link = self.link(type_url)
        if link is None:
            return "", Fidelity.NONE
        writer = Writer(self)
        return self._write(writer, link, value, lambda m: writer.message(m, link.table, depth))

    def text(self, message: Message) -> str:
        """Return the ProtoJSON of a message that was made here and has one."""
        return Writer(self).message(message, table_of(message.DESCRIPTOR), EQUAL_DEPTH)

    def _write(self, writer: Writer, link: Link, value: bytes, write: Callable[[Message], str]) -> tuple[str, Fidelity]:
        message = parse(link.cls, value)
        if message is None:
            return "", Fidelity.NONE
        try:
            text = write(message)
        except (Refused, RecursionError, UnicodeDecodeError):
            return "", Fidelity.NONE
        return text, Fidelity.KNOWN if writer.unknown else Fidelity.EXACT

    def has_unknown(self, type_url: str, value: bytes) -> bool:
        """Tell whether the bytes of a linked type hold unknown fields, outside any Any."""
        link = self.link(type_url)
        message = parse(link.cls, value) if link is not None else None
        if message is None:
            return False
        whole = serialize(message)
        message.DiscardUnknownFields()
        return serialize(message) != whole

    def equal(self, type_url: str, a: bytes, b: bytes) -> bool:
        """Tell whether two values of a type are the same message, however they are encoded;
        what stands in an Any is compared as a message too."""
        if a == b:
            return True
        link = self.link(type_url)
        if link is None:
            return False
        x, y = parse(link.cls, a), parse(link.cls, b)
        if x is None or y is None:
            return False
        left = [8 * (len(a) + len(b) + 128)]
        self._normalize(x, left)
        self._normalize(y, left)
        return left[0] >= 0 and serialize(x) == serialize(y)

    def _normalize(self, message: Message, left: list[int]) -> None:
        """Write anew what Anys in a message hold."""
        if left[0] < 0:
            return
        if message.DESCRIPTOR.full_name == "google.protobuf.Any":
            held: Any = message
            left[0] -= len(held.value)
            link = self.link(held.type_url)
            inner = parse(link.cls, held.value) if link is not None else None
            if inner is not None:
                self._normalize(inner, left)
                held.value = serialize(inner)
            return
        for field, content in message.ListFields():
            if field.message_type is None:
                continue
            if field.message_type.GetOptions().map_entry:
                value = field.message_type.fields_by_name["value"]
                if value.message_type is not None:
                    for each in content.values():
                        self._normalize(each, left)
            elif field.is_repeated:
                for each in content:
                    self._normalize(each, left)
            else:
                self._normalize(content, left)

    def link_of(self, node: Node) -> Link | None:
        """Return what the "@type" of an object names."""
        name = node.get("@type") if isinstance(node, dict) else None
        if type(name) is not str:
            return None
        if "\\" in name:
            if has_lone(name):
                return None
            name = unescape(name)
        return self.link(name)

    def read_any(self, node: Node) -> tuple[str, bytes] | None:
        """Read the ProtoJSON of an Any, an object with a string "@type", whole: None where
        the type is not linked, where ProtoJSON refuses it, and where it has a number that
        would not be written again with the same value. Of members that stand twice the
        first counts."""
        link = self.link_of(node)
        if link is None:
            return None
        message = link.cls()
        try:
            Reader(self, lenient=False, numbers=True).embedded(node, message, link.table)
            return link.url, serialize(message)
        except (Refused, RecursionError, ValueError, TypeError):
            return None

    def read_known(self, node: Node) -> tuple[str, bytes] | None:
        """Read what an object with a string "@type" says as its type. Members and enum
        values that the schema does not know are left out. Types of google.protobuf are read
        from "value". Metadata of an ErrorInfo that are no strings are their JSON text, null
        is nothing."""
        link = self.link_of(node)
        if link is None:
            return None
        reader = Reader(self, lenient=True, numbers=False)
        message = link.cls()
        try:
            if link.table.well_known:
                reader.message(node.get("value", MISSING), message, link.table)
            else:
                reader.textual = link.table.name == hub.ERROR_INFO
                reader.fields(node, message, link.table, typed=True)
            return link.url, serialize(message)
        except (Refused, RecursionError, ValueError, TypeError):
            return None

    def read_message(self, cls: type[Message], node: Node) -> Message | None:
        """Read an object as a message, leaving out what the schema does not know."""
        message = cls()
        try:
            Reader(self, lenient=True, numbers=False).message(node, message, table_of(cls.DESCRIPTOR))
        except (Refused, RecursionError, ValueError, TypeError):
            return None
        return message

    def field_text(self, message: Message, field: Any, depth: int) -> str | None:
        """Return the ProtoJSON of one populated field; None where it has none."""
        table: Table = table_of(message.DESCRIPTOR)
        try:
            return Writer(self).field(table.by_number[field.number], getattr(message, field.name), depth)
        except (Refused, RecursionError):
            return None

    def set_field(self, message: Message, field: Any, node: Node) -> bool:
        """Set one field to what ProtoJSON reads, leaving out what the schema does not know.
        It is false, and sets nothing, where ProtoJSON refuses it."""
        alone = type(message)()
        try:
            reader = Reader(self, lenient=True, numbers=False)
            reader.field(node, alone, table_of(message.DESCRIPTOR).by_number[field.number])
        except (Refused, RecursionError, ValueError, TypeError):
            return False
        message.MergeFrom(alone)
        return True
