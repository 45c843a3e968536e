"""Fields of an error as entries of ErrorInfo.metadata, and back."""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from . import _json, _number, _protojson, _wellknown

_QUOTED = (_protojson.WRAPPERS | frozenset(_wellknown.STRINGS)) - {"google.protobuf.BoolValue"}
"""The types whose ProtoJSON is one string, or a number: their text has no quotes."""


def is_set(message: Message, field: FieldDescriptor) -> bool:
    """Tell whether a field is populated."""
    if field.is_repeated:
        return bool(len(getattr(message, field.name)))
    if field.has_presence:
        return bool(message.HasField(field.name))
    return any(found.number == field.number for found, _ in message.ListFields())


def text_of(message: Message, field: FieldDescriptor, types: _protojson.Types) -> str:
    """Return the metadata text of a populated field: a string as it is, another
    value whose ProtoJSON is a string as that text, the rest as compact ProtoJSON.
    Raises ProtoJSONError for a value that has none."""
    alone = type(message)()
    content = getattr(message, field.name)
    if field.message_type is not None and not field.is_repeated:
        value = _protojson.marshal(content, types)
    else:
        if field.is_repeated:
            getattr(alone, field.name).MergeFrom(content)
        else:
            setattr(alone, field.name, content)
        value = _protojson.marshal(alone, types)
        members = value.members or ()
        if not members:  # 0 without presence
            raise _protojson.ProtoJSONError("not set")
        value = members[0].value
    if not field.is_repeated and (field.message_type is None or _is_quoted(field)):
        text = value.string()
        if text is not None:
            return text
    return value.text


def set_text(message: Message, field: FieldDescriptor, text: str, types: _protojson.Types) -> None:
    """Read text as the field's type and set the field. Text that does not parse
    leaves it unset, and so does a member of a oneof that has one already."""
    oneof = field.containing_oneof
    if oneof is not None and message.WhichOneof(oneof.name) is not None:
        return
    value: _json.Value | None
    if field.enum_type is not None and not field.is_repeated:
        value = _enum_value(field.enum_type.full_name, text)
    elif _is_text(field):
        value = _json.string_of(text)
    else:
        value = _json.parse_or_none(text)
    if value is None:
        return
    alone = type(message)()
    holder = _json.object_of([_json.member_of(field.json_name, value)])
    try:
        _protojson.unmarshal(holder, alone, types, lenient=True)
    except _protojson.ProtoJSONError:
        return
    if is_set(alone, field):
        message.MergeFrom(alone)


def _enum_value(enum: str, text: str) -> _json.Value:
    """Return the JSON that an enum's text stands for: its name or its number."""
    if enum == "google.protobuf.NullValue" and text == "null":
        return _json.Value(text)
    plain = _number.is_number_token(text) and text.removeprefix("-").isdigit()
    return _json.Value(text) if plain else _json.string_of(text)


def _is_quoted(field: FieldDescriptor) -> bool:
    return field.message_type is not None and field.message_type.full_name in _QUOTED


def _is_text(field: FieldDescriptor) -> bool:
    """Tell whether the text of a field stands in a string in ProtoJSON."""
    if field.is_repeated:
        return False
    if field.message_type is not None:
        return _is_quoted(field)
    return field.cpp_type != FieldDescriptor.CPPTYPE_BOOL
