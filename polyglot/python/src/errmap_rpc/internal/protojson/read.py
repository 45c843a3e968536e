"""ProtoJSON as messages."""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
from typing import TYPE_CHECKING, Any

from google.protobuf.message import Message

from .. import number as numbers
from ..jsontree import MISSING, Node, Number, Odd, compact, has_lone, text_of, unescape
from . import special
from .encode import serialize
from .table import BOOL, BYTES, DOUBLE, ENUM, FLOAT, MESSAGE, STRING, Field, Form, Refused, Table

if TYPE_CHECKING:
    from .codec import Codec

_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_SIGNED = re.compile(r"[+-]?[0-9]{1,20}")
_UNSIGNED = re.compile(r"[0-9]{1,20}")
LEFT_OUT: Any = object()
"""Stands for a value that the schema does not know, which does not matter."""


def strict_text(node: Node) -> str:
    """Return what a string says in which no lone surrogate may stand."""
    if type(node) is not str:
        raise Refused
    if "\\" not in node:
        return node
    if has_lone(node):
        raise Refused
    return unescape(node)


class Reader:
    """Reads one message."""

    __slots__ = ("codec", "lenient", "numbers", "textual")

    def __init__(self, codec: Codec, *, lenient: bool, numbers: bool) -> None:
        self.codec = codec
        self.lenient = lenient
        """Whether members and enum values that the schema does not know are left out."""
        self.numbers = numbers
        """Whether a number that would not be written again is refused."""
        self.textual = False
        """Whether metadata of an ErrorInfo may be no text."""

    def message(self, node: Node, message: Message, table: Table) -> None:
        if table.form in (Form.FIELDS, Form.EMPTY):
            self.fields(node, message, table, typed=False)
        else:
            self.special(node, message, table)

    def embedded(self, node: Node, message: Message, table: Table) -> None:
        """Read the message that an object with "@type" holds."""
        if table.form is Form.FIELDS:
            self.fields(node, message, table, typed=True)
            return
        if not self.lenient and any(name not in ("@type", "value") for name in node):
            raise Refused
        value = node.get("value", MISSING)
        if value is not MISSING:
            self.message(value, message, table)
        elif table.form is not Form.EMPTY:
            raise Refused

    def fields(self, node: Node, message: Message, table: Table, typed: bool) -> None:
        if not isinstance(node, dict):
            raise Refused
        seen: set[int] = set()
        oneofs: set[str] = set()
        lone = {unescape(raw) for raw, _ in node.members if has_lone(raw)} if type(node) is Odd else ()
        for name, value in node.items():
            if typed and name == "@type":
                continue
            field = table.by_name.get(name)
            if field is None or name in lone:
                if not self.lenient:
                    raise Refused
                continue
            if field.number in seen:
                raise Refused
            seen.add(field.number)
            if value is None and not field.nullable:
                continue
            if field.oneof is not None:
                if field.oneof in oneofs:
                    raise Refused
                oneofs.add(field.oneof)
            self.field(value, message, field)

    def field(self, node: Node, message: Any, field: Field) -> None:
        if node is None and not field.nullable:
            return
        if field.group:
            raise Refused
        if field.value is not None:
            self.entries(node, getattr(message, field.name), field)
        elif field.repeated:
            if type(node) is not list:
                raise Refused
            items = getattr(message, field.name)
            for element in node:
                if field.table is not None:
                    self.message(element, items.add(), field.table)
                else:
                    content = self.scalar(element, field)
                    if content is not LEFT_OUT:
                        items.append(content)
        elif field.table is not None:
            inner = getattr(message, field.name)
            inner.SetInParent()
            self.message(node, inner, field.table)
        else:
            content = self.scalar(node, field)
            if content is not LEFT_OUT:
                setattr(message, field.name, content)

    def entries(self, node: Node, entries: Any, field: Field) -> None:
        if not isinstance(node, dict):
            raise Refused
        key_field, value_field = field.key, field.value
        assert key_field is not None and value_field is not None
        # Of metadata, what is no text is its JSON, and null is nothing.
        texts = self.textual and key_field.kind == STRING and value_field.kind == STRING
        if not texts and type(node) is Odd and any(has_lone(raw) for raw, _ in node.members):
            raise Refused
        for name, value in node.items():
            if texts:
                if value is not None:
                    entries[name] = text_of(value) if type(value) is str else compact(value, once=True)
                continue
            key = name if key_field.kind == STRING else self.key(name, key_field)
            if key_field.kind != STRING and key in entries:
                raise Refused
            if value_field.table is not None:
                self.message(value, entries[key], value_field.table)
            else:
                content = self.scalar(value, value_field)
                if content is not LEFT_OUT:
                    entries[key] = content

    def key(self, name: str, field: Field) -> object:
        if field.kind == BOOL:
            if name not in ("true", "false"):
                raise Refused
            return name == "true"
        if not (_SIGNED if field.low else _UNSIGNED).fullmatch(name) or not field.low <= int(name) <= field.high:
            raise Refused
        return int(name)

    def scalar(self, node: Node, field: Field) -> Any:
        kind = field.kind
        if kind == STRING:
            return strict_text(node)
        if kind == BYTES:
            return read_base64(strict_text(node))
        if kind == BOOL:
            if type(node) is not bool:
                raise Refused
            return node
        if kind == ENUM:
            return self.enum(node, field)
        if kind in (FLOAT, DOUBLE):
            return self.float(node, kind == FLOAT)
        if kind == MESSAGE:
            raise Refused
        return self.integer(node, field.low, field.high)

    def enum(self, node: Node, field: Field) -> Any:
        if node is None and field.null:
            return 0
        if type(node) is str:
            known = field.numbers.get(strict_text(node))
            if known is not None:
                return known
            if self.lenient:
                return LEFT_OUT
            raise Refused
        if type(node) is not Number:
            raise Refused
        value = self.integer(node, -(2**31), 2**31 - 1)
        if self.numbers and value and (value in field.names or field.null):
            raise Refused  # it would be written as its name
        return value

    def integer(self, node: Node, low: int, high: int) -> int:
        token = node if type(node) is Number else strict_text(node)
        if type(node) is not Number and not numbers.is_number(token):
            raise Refused
        found = numbers.wide_integer(token)
        if found is None:
            raise Refused
        value = -found[0] if found[1] else found[0]
        if not low <= value <= high:
            raise Refused
        return value

    def float(self, node: Node, narrow: bool) -> float:
        check = self.numbers
        token = str(node) if type(node) is Number else strict_text(node)
        if type(node) is not Number:
            if token in _SPECIAL:
                return _SPECIAL[token]
            check = False
            if not numbers.is_number(token):
                raise Refused
        value = float(token)
        if math.isinf(value):
            raise Refused
        if narrow:
            try:
                value = struct.unpack("<f", struct.pack("<f", value))[0]
            except OverflowError:
                raise Refused from None
        if check:
            d = numbers.decimal_of(token)
            if d is None:
                raise Refused
            if d.digits and numbers.decimal_of(numbers.float_text(value, narrow)) != d:
                raise Refused
        return value

    def special(self, node: Node, message: Any, table: Table) -> None:
        form = table.form
        if form is Form.TEXT:
            special.read(table.name, strict_text(node), message)
        elif form is Form.ANY:
            self.any(node, message)
        elif form is Form.VALUE:
            self.dynamic(node, message, table)
        elif node is MISSING or (node is None and form is not Form.WRAPPER):
            raise Refused
        elif form is Form.WRAPPER:
            content = self.scalar(node, table.fields[0])
            message.value = content
        else:
            self.field(node, message, table.fields[0])

    def any(self, node: Node, message: Any) -> None:
        if not isinstance(node, dict):
            raise Refused
        if "@type" not in node:
            if node and not self.lenient:
                raise Refused
            return
        link = self.codec.link_of(node)
        if link is None:
            raise Refused
        inner = link.cls()
        self.embedded(node, inner, link.table)
        message.type_url = link.url
        message.value = serialize(inner)

    def dynamic(self, node: Node, message: Any, table: Table) -> None:
        kind = type(node)
        if node is None:
            message.null_value = 0
        elif kind is Number:
            message.number_value = self.float(node, False)
        elif kind is str:
            message.string_value = strict_text(node)
        elif kind is bool:
            message.bool_value = node
        elif kind is list:
            self.field(node, message, table.by_name["list_value"])
        elif isinstance(node, dict):
            self.field(node, message, table.by_name["struct_value"])
        else:
            raise Refused


def read_base64(text: str) -> bytes:
    """Read either alphabet; padding is whole or not there."""
    if len(text) % 4 == 0:
        text = text.removesuffix("=").removesuffix("=")
    if "=" in text:
        raise Refused
    data = decode_base64(text)
    if data is None:
        raise Refused
    return data


def decode_base64(text: str) -> bytes | None:
    """Read base64 padded or not, in both alphabets; None for what is none."""
    text = text.rstrip("=")
    if "\n" in text or "\r" in text:  # other readers skip line breaks
        text = text.replace("\n", "").replace("\r", "")
    if "-" in text or "_" in text:
        if "+" in text or "/" in text:
            return None
        text = text.replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
