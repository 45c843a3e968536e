"""Messages as bytes, the same whenever they are the same."""

from __future__ import annotations

import itertools
from typing import Any

from google.protobuf.message import Message

from ..protobytes import append_varint, fields_of
from .table import STRING, Table, table_of


def serialize(message: Message) -> bytes:
    """Return the bytes of a message: fields in the order of their numbers, the entries of
    maps in that of their keys."""
    data: bytes = message.SerializePartialToString(deterministic=True)
    table = table_of(message.DESCRIPTOR)
    # Of two keys of which one begins with the other, protobuf's own code in C has the longer
    # one first.
    if table.has_text_keys and _has_prefix(message, table):
        return _ordered(data, table)
    return data


def _has_prefix(message: Any, table: Table) -> bool:
    """Tell whether a map has a key that another one begins with."""
    for desc, content in message.ListFields():
        field = table.by_number.get(desc.number)
        if field is None:
            continue
        if field.value is not None:
            if field.key is not None and field.key.kind == STRING and len(content) > 1:
                keys = sorted(content)
                if any(after.startswith(before) for before, after in itertools.pairwise(keys)):
                    return True
            inner = field.value.table
            if inner is not None and inner.has_text_keys and any(_has_prefix(m, inner) for m in content.values()):
                return True
        elif field.table is not None and field.table.has_text_keys:
            inner = field.table
            if any(_has_prefix(m, inner) for m in (content if field.repeated else (content,))):
                return True
    return False


def _ordered(data: bytes, table: Table) -> bytes:
    """Put the entries of maps with texts as keys into the order of these, at every depth."""
    parts: list[bytes] = []
    entries: list[tuple[bytes, bytes]] = []
    last = 0
    for number, kind, content, raw in fields_of(data):
        if entries and number != last:
            parts += [entry for _, entry in sorted(entries)]
            entries = []
        last = number
        field = table.by_number.get(number)
        if field is None or kind != 2 or not isinstance(content, bytes):
            parts.append(raw)
        elif field.value is not None and field.key is not None and field.key.kind == STRING:
            key = next((text for n, _, text, _ in fields_of(content) if n == 1 and isinstance(text, bytes)), b"")
            inner = field.value.table
            if inner is not None and inner.has_text_keys:
                content = _ordered_entry(content, inner)
                raw = append_varint(append_varint(b"", number << 3 | 2), len(content)) + content
            entries.append((key, raw))
        elif field.table is not None and field.table.has_text_keys:
            content = _ordered(content, field.table)
            parts.append(append_varint(append_varint(b"", number << 3 | 2), len(content)) + content)
        else:
            parts.append(raw)
    return b"".join(parts + [entry for _, entry in sorted(entries)])


def _ordered_entry(data: bytes, table: Table) -> bytes:
    """Do the same in the value of an entry."""
    parts = []
    for number, kind, content, raw in fields_of(data):
        if number == 2 and kind == 2 and isinstance(content, bytes):
            content = _ordered(content, table)
            raw = append_varint(append_varint(b"", 2 << 3 | 2), len(content)) + content
        parts.append(raw)
    return b"".join(parts)
