"""What is known of message types: a table for each, compiled once."""

from __future__ import annotations

import enum
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from ..jsontree import quote


class Refused(ValueError):
    """A value has no ProtoJSON, or a JSON value is none of that type."""


class Form(enum.Enum):
    """How ProtoJSON writes the messages of a type."""

    FIELDS = 0  # an object of its fields
    EMPTY = 1  # the same, of Empty, which may stand under "value" in an Any
    ANY = 2
    TEXT = 3  # Duration, FieldMask, Timestamp
    WRAPPER = 4
    STRUCT = 5
    LIST = 6
    VALUE = 7


_FORMS = {
    "Any": Form.ANY,
    "Empty": Form.EMPTY,
    "Duration": Form.TEXT,
    "FieldMask": Form.TEXT,
    "Timestamp": Form.TEXT,
    "Struct": Form.STRUCT,
    "ListValue": Form.LIST,
    "Value": Form.VALUE,
    **{
        f"{kind}Value": Form.WRAPPER
        for kind in ("Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64")
    },
}

STRING, BYTES, BOOL, INT, WIDE, FLOAT, DOUBLE, ENUM, MESSAGE = range(9)

_KINDS = {
    FieldDescriptor.TYPE_STRING: STRING,
    FieldDescriptor.TYPE_BYTES: BYTES,
    FieldDescriptor.TYPE_BOOL: BOOL,
    FieldDescriptor.TYPE_FLOAT: FLOAT,
    FieldDescriptor.TYPE_DOUBLE: DOUBLE,
    FieldDescriptor.TYPE_ENUM: ENUM,
    FieldDescriptor.TYPE_MESSAGE: MESSAGE,
    FieldDescriptor.TYPE_GROUP: MESSAGE,
}

_BOUNDS = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
_WIDE = (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)


class Field:
    """One field of a message, or one of the two of a map's entry."""

    def __init__(self, desc: Any) -> None:
        self.name: str = desc.name
        self.number: int = desc.number
        self.json: str = desc.json_name
        self.lead = quote(desc.json_name) + ":"
        self.repeated: bool = desc.is_repeated
        self.group: bool = desc.type == FieldDescriptor.TYPE_GROUP
        self.oneof: str | None = None
        oneof = desc.containing_oneof
        if oneof is not None and not (len(oneof.fields) == 1 and oneof.name.startswith("_")):
            self.oneof = oneof.name
        self.low, self.high = _BOUNDS.get(desc.cpp_type, (0, 0))
        wide = desc.cpp_type in _WIDE
        self.kind: int = _KINDS.get(desc.type, WIDE if wide else INT)
        self.null = False
        self.names: dict[int, str] = {}
        self.numbers: dict[str, int] = {}
        if desc.enum_type is not None:
            self.null = desc.enum_type.full_name == "google.protobuf.NullValue"
            for value in desc.enum_type.values:
                self.names.setdefault(value.number, quote(value.name))
                self.numbers[value.name] = value.number
        self.key: Field | None = None
        self.value: Field | None = None
        self.table: Table | None = None
        if desc.message_type is not None:
            if desc.message_type.GetOptions().map_entry:
                fields = desc.message_type.fields_by_name
                self.key, self.value = Field(fields["key"]), Field(fields["value"])
            else:
                self.table = table_of(desc.message_type)
        self.nullable = self.null or (self.table is not None and self.table.name == "google.protobuf.Value")


class Table:
    """What is known of one message type."""

    def __init__(self, desc: Any) -> None:
        self.desc = desc
        self.name: str = desc.full_name
        self.well_known = self.name.startswith("google.protobuf.")
        self.form = Form.FIELDS
        if self.well_known:
            self.form = _FORMS.get(self.name.removeprefix("google.protobuf."), Form.FIELDS)
        self.fields: list[Field] = []
        self.by_number: dict[int, Field] = {}
        self.by_name: dict[str, Field] = {}
        self.ascends = True
        self._has_text_keys: bool | None = None

    @property
    def has_text_keys(self) -> bool:
        """Whether a map with texts as keys may stand in it, at any depth but in an Any."""
        if self._has_text_keys is None:
            seen: dict[str, Table] = {self.name: self}
            queue = [self]
            self._has_text_keys = False
            while queue and not self._has_text_keys:
                for field in queue.pop().fields:
                    if field.key is not None and field.key.kind == STRING:
                        self._has_text_keys = True
                    table = field.table or (field.value.table if field.value is not None else None)
                    if table is not None and table.name not in seen:
                        seen[table.name] = table
                        queue.append(table)
        return self._has_text_keys

    def compile(self) -> None:
        last = 0
        for desc in self.desc.fields:
            field = Field(desc)
            self.fields.append(field)
            self.by_number[field.number] = field
            self.ascends = self.ascends and field.number > last
            last = field.number
        for field in self.fields:
            self.by_name.setdefault(field.name, field)
        for field in self.fields:
            self.by_name[field.json] = field
        self.places = {field.number: place for place, field in enumerate(self.fields)}


_TABLES: dict[Any, Table] = {}


def table_of(desc: Any) -> Table:
    """Return the table of a type."""
    table = _TABLES.get(desc)
    if table is None:
        table = _TABLES[desc] = Table(desc)  # before its fields, which may be of its own type
        table.compile()
    return table
