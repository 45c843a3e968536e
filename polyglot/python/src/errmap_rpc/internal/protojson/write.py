"""Messages as ProtoJSON."""

from __future__ import annotations

import math
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from ..jsontree import quote
from ..number import float_text
from . import special
from .table import BOOL, BYTES, DOUBLE, ENUM, FLOAT, INT, MESSAGE, STRING, Field, Form, Refused, Table

if TYPE_CHECKING:
    from .codec import Codec, Link


class Writer:
    """Writes one message. depth is everywhere how many objects and lists may be open."""

    __slots__ = ("codec", "in_any", "unknown")

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.unknown = False
        """Whether there are fields that the schema does not know."""
        self.in_any = 0

    def message(self, message: Message, table: Table, depth: int) -> str:
        if table.form is not Form.FIELDS:
            return self.special(message, table, depth)
        if depth <= 0:
            raise Refused
        parts = self.members(message, table, depth - 1)
        return "{" + ",".join(parts) + "}"

    def opened(self, link: Link, message: Message, depth: int) -> str:
        """Return the ProtoJSON of an Any whose type is found."""
        if depth <= 0:
            raise Refused
        if link.table.form in (Form.FIELDS, Form.EMPTY):
            parts = self.members(message, link.table, depth - 1)
            return ",".join([link.lead, *parts]) + "}"
        return link.lead + ',"value":' + self.message(message, link.table, depth - 1) + "}"

    def members(self, message: Message, table: Table, depth: int) -> list[str]:
        self.check(message)
        listed = list(message.ListFields())
        if not table.ascends:  # ProtoJSON goes by the order of the schema
            listed.sort(key=lambda pair: table.places.get(pair[0].number, 0))
        parts = []
        for desc, content in listed:
            field = table.by_number.get(desc.number)
            if field is None or field.group:
                raise Refused  # an extension, or a group
            if field.kind == STRING and not field.repeated:
                parts.append(field.lead + quote(content))
            else:
                parts.append(field.lead + self.field(field, content, depth))
        return parts

    def check(self, message: Message) -> None:
        if len(UnknownFieldSet(message)):
            if self.in_any:
                raise Refused
            self.unknown = True

    def field(self, field: Field, content: Any, depth: int) -> str:
        """Return the ProtoJSON of a populated field."""
        if not field.repeated:
            return self.value(field, content, depth)
        if depth <= 0:
            raise Refused
        if field.value is None:
            return "[" + ",".join([self.value(field, each, depth - 1) for each in content]) + "]"
        return self.entries(field.value, content, depth)

    def entries(self, field: Field, content: Any, depth: int) -> str:
        if depth <= 0:
            raise Refused
        if field.kind == STRING:
            keys = sorted(content, key=_by_bytes)
            if not keys or type(keys[0]) is str:
                return "{" + ",".join([f"{quote(key)}:{quote(content[key])}" for key in keys]) + "}"
        parts = []
        for key in sorted(content, key=_by_bytes):
            name = ("true" if key else "false") if type(key) is bool else str(key)
            parts.append(quote(name) + ":" + self.value(field, content[key], depth - 1))
        return "{" + ",".join(parts) + "}"

    def value(self, field: Field, content: Any, depth: int) -> str:
        kind = field.kind
        if kind == STRING:
            return quote(content)
        if kind == MESSAGE:
            if field.table is None or field.group:
                raise Refused
            return self.message(content, field.table, depth)
        if kind == INT:
            return str(content)
        if kind == BOOL:
            return "true" if content else "false"
        if kind == BYTES:
            return '"' + b64encode(content).decode() + '"'
        if kind == ENUM:
            if field.null:
                if content:
                    raise Refused  # it would read back as 0
                return "null"
            return field.names.get(content) or str(content)
        if kind in (FLOAT, DOUBLE):
            if math.isfinite(content):
                return float_text(content, kind == FLOAT)
            return '"NaN"' if math.isnan(content) else ('"Infinity"' if content > 0 else '"-Infinity"')
        return f'"{content}"'

    def special(self, message: Any, table: Table, depth: int) -> str:
        form = table.form
        if form is Form.ANY:
            return self.any(message, depth)
        self.check(message)
        if form is Form.EMPTY:
            if depth <= 0:
                raise Refused
            return "{}"
        if form is Form.TEXT:
            return quote(special.write(table.name, message))
        field = table.fields[0]
        if form is Form.WRAPPER:
            return self.value(field, message.value, depth)
        if form is Form.STRUCT:
            assert field.value is not None
            return self.entries(field.value, message.fields, depth)
        if form is Form.LIST:
            return self.field(field, message.values, depth)
        kind = message.WhichOneof("kind")
        if kind is None:
            raise Refused
        content = getattr(message, kind)
        if kind == "number_value" and not math.isfinite(content):
            raise Refused
        return self.value(table.by_name[kind], content, depth)

    def any(self, message: Any, depth: int) -> str:
        self.check(message)
        if depth <= 0:
            raise Refused
        if not message.type_url:
            if message.value:
                raise Refused
            return "{}"
        link = self.codec.link(message.type_url)
        if link is None:
            raise Refused
        try:
            inner = link.cls.FromString(message.value)
        except (DecodeError, ValueError):
            raise Refused from None
        self.in_any += 1
        text = self.opened(link, inner, depth)
        self.in_any -= 1
        return text


def _by_bytes(key: Any) -> Any:
    return key.encode() if type(key) is str else key
