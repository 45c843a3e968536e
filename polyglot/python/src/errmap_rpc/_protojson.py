"""Messages as ProtoJSON, with number tokens that other implementations write too.

The json_format module of protobuf goes through Python's floats and dicts, and
accepts and refuses other things than Go's protojson does; a Carried that one
program writes must be believed by another.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable
from typing import Protocol

from google.protobuf.any_pb2 import Any
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from . import _json, _number, _wellknown
from ._scalar import float_value, read_base64, read_float, read_integer, strict_text
from ._schema import descriptor_of, field_named, fields_of
from .detail import serialize

MAX_DEPTH = 200
"""How deep messages may nest; beyond it Python's stack might not do."""

_INT_BOUNDS = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
_WIDE = (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)

ProtoJSONError = _wellknown.ProtoJSONError


class Types(Protocol):
    """Finds message types by name."""

    def find_message(self, name: str) -> type[Message] | None:
        """Return the class of a message type, None where it is not known."""


def marshal(message: Message, types: Types) -> _json.Value:
    """Return a message as ProtoJSON: fields in the order of the schema, map keys
    sorted. Raises ProtoJSONError where a value has none."""
    try:
        return _Writer(types).message(message, MAX_DEPTH)
    except RecursionError:
        raise ProtoJSONError("nested too deep") from None


def unmarshal(value: _json.Value, message: Message, types: Types, *, lenient: bool = False) -> None:
    """Read ProtoJSON into an empty message. Lenient skips what the schema does
    not know. Raises ProtoJSONError for what does not fit."""
    try:
        _Reader(types, lenient).message(value, message, MAX_DEPTH)
    except RecursionError:
        raise ProtoJSONError("nested too deep") from None


def parse(cls: type[Message], data: bytes) -> Message | None:
    """Read the bytes of a message, None where they are malformed."""
    message = cls()
    try:
        message.MergeFromString(data)
    except (DecodeError, ValueError):
        return None
    return message


def is_map(field: FieldDescriptor) -> bool:
    return bool(
        field.is_repeated and field.message_type is not None and field.message_type.GetOptions().map_entry
    )


class _Writer:
    def __init__(self, types: Types) -> None:
        self.types = types

    def message(self, message: Message, depth: int) -> _json.Value:
        if depth <= 0:
            raise ProtoJSONError("nested too deep")
        name = message.DESCRIPTOR.full_name
        if name in WELL_KNOWN:
            return self._well_known(name, message, depth)
        return _json.object_of(self._members(message, depth))

    def _members(self, message: Message, depth: int) -> Iterable[_json.Member]:
        populated = {field.number for field, _ in message.ListFields()}
        for field in fields_of(descriptor_of(message)):
            if field.number not in populated:
                continue
            content = getattr(message, field.name)
            if is_map(field):
                value = self._map(field, content, depth)
            elif field.is_repeated:
                value = _json.array_of([self.single(field, item, depth) for item in content])
            else:
                value = self.single(field, content, depth)
            yield _json.member_of(field.json_name, value)

    def _map(self, field: FieldDescriptor, content: object, depth: int) -> _json.Value:
        value_field = field_named(field.message_type, "value")
        members = []
        for key in sorted(content):  # type: ignore[call-overload]
            text = ("true" if key else "false") if isinstance(key, bool) else str(key)
            item = content[key]  # type: ignore[index]
            members.append(_json.member_of(text, self.single(value_field, item, depth)))
        return _json.object_of(members)

    def single(self, field: FieldDescriptor, value: object, depth: int) -> _json.Value:
        kind = field.cpp_type
        if isinstance(value, Message):
            return self.message(value, depth - 1)
        if isinstance(value, bool):
            return _json.Value("true" if value else "false")
        if isinstance(value, str):
            return _json.string_of(value)
        if isinstance(value, bytes):
            return _json.string_of(base64.b64encode(value).decode())
        if isinstance(value, float) or kind in (
            FieldDescriptor.CPPTYPE_FLOAT,
            FieldDescriptor.CPPTYPE_DOUBLE,
        ):
            return float_value(float(value), kind == FieldDescriptor.CPPTYPE_FLOAT)  # type: ignore[arg-type]
        assert isinstance(value, int)
        if kind == FieldDescriptor.CPPTYPE_ENUM:
            assert field.enum_type is not None
            if field.enum_type.full_name == "google.protobuf.NullValue":
                return _json.Value("null")
            known = field.enum_type.values_by_number.get(value)
            return _json.integer_of(value) if known is None else _json.string_of(known.name)
        return _json.string_of(str(value)) if kind in _WIDE else _json.integer_of(value)

    def _well_known(self, name: str, message: Message, depth: int) -> _json.Value:
        if name == "google.protobuf.Any":
            return self._any(message, depth)
        if name == "google.protobuf.Empty":
            return _json.object_of(())
        if name in WRAPPERS:
            return self.single(field_named(descriptor_of(message), "value"), getattr(message, "value"), depth)
        if name == "google.protobuf.Struct":
            fields = getattr(message, "fields")
            return _json.object_of(
                _json.member_of(key, self.message(fields[key], depth - 1)) for key in sorted(fields)
            )
        if name == "google.protobuf.ListValue":
            return _json.array_of(self.message(v, depth - 1) for v in getattr(message, "values"))
        if name == "google.protobuf.Value":
            return self._value(message, depth)
        return _json.string_of(_wellknown.write(name, message))

    def _value(self, message: Message, depth: int) -> _json.Value:
        kind = message.WhichOneof("kind")
        if kind is None:
            raise ProtoJSONError("a Value of no kind")
        content = getattr(message, kind)
        if kind == "null_value":
            return _json.Value("null")
        if kind == "number_value":
            if not math.isfinite(content):
                raise ProtoJSONError("a Value that is no finite number")
            return _json.Value(_number.float_text(content))
        return self.single(field_named(descriptor_of(message), kind), content, depth)

    def _any(self, message: Message, depth: int) -> _json.Value:
        type_url, data = getattr(message, "type_url"), getattr(message, "value")
        if not type_url:
            if data:
                raise ProtoJSONError("an Any without a type")
            return _json.object_of(())
        cls = self.types.find_message(type_url.rpartition("/")[2])
        inner = parse(cls, data) if cls is not None else None
        if inner is None:
            raise ProtoJSONError(f"an Any that cannot be read: {type_url}")
        lead = [_json.member_of("@type", _json.string_of(type_url))]
        if inner.DESCRIPTOR.full_name in WELL_KNOWN - {"google.protobuf.Empty"}:
            # It counts twice, as a Value with its list or object does: each level is read anew.
            lead.append(_json.member_of("value", self.message(inner, depth - 2)))
            return _json.object_of(lead)
        if depth <= 1:
            raise ProtoJSONError("nested too deep")
        return _json.object_of([*lead, *self._members(inner, depth - 1)])


class _Reader:
    def __init__(self, types: Types, lenient: bool) -> None:
        self.types = types
        self.lenient = lenient

    def message(self, value: _json.Value, message: Message, depth: int) -> None:
        if depth <= 0:
            raise ProtoJSONError("nested too deep")
        name = message.DESCRIPTOR.full_name
        if name in WELL_KNOWN:
            self._well_known(name, value, message, depth)
        else:
            self._members(value, message, depth, within_any=False)

    def _members(self, value: _json.Value, message: Message, depth: int, within_any: bool) -> None:
        if value.members is None:
            raise ProtoJSONError("no object")
        descriptor = descriptor_of(message)
        seen: set[int] = set()
        oneofs: set[str] = set()
        for raw in value.members:
            if within_any and raw.name == "@type":
                continue
            field = find_field(descriptor, strict_text(raw.raw_name))
            if field is None:
                if self.lenient:
                    continue
                raise ProtoJSONError(f"unknown field {raw.name}")
            if field.number in seen:
                raise ProtoJSONError(f"field {raw.name} stands twice")
            seen.add(field.number)
            if raw.value.is_null and not takes_null(field):
                continue
            if is_map(field):
                self._map(raw.value, field, message, depth)
                continue
            if field.is_repeated:
                self._list(raw.value, field, message, depth)
                continue
            oneof = field.containing_oneof
            if oneof is not None:
                if oneof.name in oneofs:
                    raise ProtoJSONError(f"two members of oneof {oneof.name}")
                oneofs.add(oneof.name)
            self.single(raw.value, field, message, depth)

    def single(self, value: _json.Value, field: FieldDescriptor, message: Message, depth: int) -> None:
        if field.message_type is not None:
            inner = getattr(message, field.name)
            inner.SetInParent()
            self.message(value, inner, depth - 1)
            return
        content = self.scalar(value, field)
        if content is not None:
            setattr(message, field.name, content)

    def _list(self, value: _json.Value, field: FieldDescriptor, message: Message, depth: int) -> None:
        if value.elements is None:
            raise ProtoJSONError("no array")
        items = getattr(message, field.name)
        for element in value.elements:
            if field.message_type is not None:
                self.message(element, items.add(), depth - 1)
            else:
                content = self.scalar(element, field)
                if content is not None:
                    items.append(content)

    def _map(self, value: _json.Value, field: FieldDescriptor, message: Message, depth: int) -> None:
        if value.members is None or field.message_type is None:
            raise ProtoJSONError("no object")
        key_field = field_named(field.message_type, "key")
        value_field = field_named(field.message_type, "value")
        entries = getattr(message, field.name)
        for raw in value.members:
            key = self._key(strict_text(raw.raw_name), key_field)
            if key in entries:
                raise ProtoJSONError(f"key {raw.name} stands twice")
            if value_field.message_type is not None:
                self.message(raw.value, entries[key], depth - 1)
            else:
                content = self.scalar(raw.value, value_field)
                if content is not None:
                    entries[key] = content

    def _key(self, text: str, field: FieldDescriptor) -> object:
        if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
            return text
        if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
            if text not in ("true", "false"):
                raise ProtoJSONError("a key that is no bool")
            return text == "true"
        return read_integer(text, *_INT_BOUNDS[field.cpp_type])

    def scalar(self, value: _json.Value, field: FieldDescriptor) -> object:
        """Read a scalar; None for an enum's name that is skipped."""
        kind = field.cpp_type
        if kind == FieldDescriptor.CPPTYPE_BOOL:
            if value.text not in ("true", "false"):
                raise ProtoJSONError("no bool")
            return value.text == "true"
        if kind in _INT_BOUNDS:
            token = strict_text(value.text) if value.kind == '"' else value.text
            return read_integer(token, *_INT_BOUNDS[kind])
        if kind in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
            return read_float(value, kind == FieldDescriptor.CPPTYPE_FLOAT)
        if kind == FieldDescriptor.CPPTYPE_ENUM:
            return self._enum(value, field)
        if value.kind != '"':
            raise ProtoJSONError("no string")
        text = strict_text(value.text)
        return text if field.type == FieldDescriptor.TYPE_STRING else read_base64(text)

    def _enum(self, value: _json.Value, field: FieldDescriptor) -> int | None:
        assert field.enum_type is not None
        if value.kind == '"':
            known = field.enum_type.values_by_name.get(strict_text(value.text))
            if known is not None:
                return int(known.number)
            if self.lenient:
                return None
        elif value.is_number:
            return read_integer(value.text, -(2**31), 2**31 - 1)
        elif value.is_null and field.enum_type.full_name == "google.protobuf.NullValue":
            return 0
        raise ProtoJSONError("no value of the enum")

    def _well_known(self, name: str, value: _json.Value, message: Message, depth: int) -> None:
        if name == "google.protobuf.Any":
            assert isinstance(message, Any)
            self._any(value, message, depth)
        elif name == "google.protobuf.Empty":
            if value.members is None or (value.members and not self.lenient):
                raise ProtoJSONError("no empty object")
        elif name in WRAPPERS:
            content = self.scalar(value, field_named(descriptor_of(message), "value"))
            setattr(message, "value", content)
        elif name == "google.protobuf.Struct":
            field = field_named(descriptor_of(message), "fields")
            self._map(value, field, message, depth)
        elif name == "google.protobuf.ListValue":
            field = field_named(descriptor_of(message), "values")
            self._list(value, field, message, depth)
        elif name == "google.protobuf.Value":
            self._value(value, message, depth)
        else:
            if value.kind != '"':
                raise ProtoJSONError("no string")
            _wellknown.read(name, strict_text(value.text), message)

    def _value(self, value: _json.Value, message: Message, depth: int) -> None:
        if value.is_null:
            setattr(message, "null_value", 0)
        elif value.text in ("true", "false"):
            setattr(message, "bool_value", value.text == "true")
        elif value.is_number:
            setattr(message, "number_value", read_float(value, False))
        elif value.kind == '"':
            setattr(message, "string_value", strict_text(value.text))
        else:
            field = "struct_value" if value.members is not None else "list_value"
            inner = getattr(message, field)
            inner.SetInParent()
            self.message(value, inner, depth - 1)

    def _any(self, value: _json.Value, message: Any, depth: int) -> None:
        if value.members is None:
            raise ProtoJSONError("no object")
        if not value.members:
            return
        types = [m.value for m in value.members if m.name == "@type"]
        if not types:
            if self.lenient:
                return
            raise ProtoJSONError('no "@type"')
        if len(types) > 1 or types[0].kind != '"':
            raise ProtoJSONError('"@type" is not one string')
        type_url = strict_text(types[0].text)
        cls = self.types.find_message(type_url.rpartition("/")[2]) if type_url else None
        if cls is None:
            raise ProtoJSONError(f"unknown type {type_url}")
        inner = cls()
        if inner.DESCRIPTOR.full_name in WELL_KNOWN:
            values = [m.value for m in value.members if m.name == "value"]
            extra = [m for m in value.members if m.name not in ("@type", "value")]
            optional = inner.DESCRIPTOR.full_name == "google.protobuf.Empty"
            if len(values) > 1 or (not values and not optional) or (extra and not self.lenient):
                raise ProtoJSONError('not one "value"')
            for content in values:
                self.message(content, inner, depth - 1)
        else:
            if depth <= 1:
                raise ProtoJSONError("nested too deep")
            self._members(value, inner, depth - 1, within_any=True)
        message.type_url = type_url
        message.value = serialize(inner)


WRAPPERS = frozenset(
    f"google.protobuf.{kind}Value"
    for kind in ("Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64")
)

WELL_KNOWN = (
    WRAPPERS
    | frozenset(_wellknown.STRINGS)
    | frozenset(f"google.protobuf.{name}" for name in ("Any", "Empty", "ListValue", "Struct", "Value"))
)
"""The types with a ProtoJSON of their own, which stands under "value" in an Any."""


def takes_null(field: FieldDescriptor) -> bool:
    """Tell whether null is a value of a field."""
    if field.message_type is not None:
        return not field.is_repeated and field.message_type.full_name == "google.protobuf.Value"
    return (
        not field.is_repeated
        and field.enum_type is not None
        and field.enum_type.full_name == "google.protobuf.NullValue"
    )


def find_field(descriptor: Descriptor, name: str) -> FieldDescriptor | None:
    """Find a field by its JSON name or its own."""
    for field in fields_of(descriptor):
        if field.json_name == name:
            return field
    return field_named(descriptor, name) if name in descriptor.fields_by_name else None
