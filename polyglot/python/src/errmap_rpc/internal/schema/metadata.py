"""Fields of an error as entries of ErrorInfo.metadata, and back."""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from .. import jsontree
from ..number import is_number
from ..protojson import Codec

_NESTING = 200
"""How deep the JSON of metadata may nest."""

_QUOTED = frozenset(
    f"google.protobuf.{name}"
    for name in (
        *("Timestamp", "Duration", "FieldMask", "StringValue", "BytesValue", "Int32Value", "UInt32Value"),
        *("Int64Value", "UInt64Value", "FloatValue", "DoubleValue"),
    )
)
"""The types whose ProtoJSON is one string, or a number: their text has no quotes."""


class MetadataField:
    """One field of an error as an entry of metadata: a string as it is, any other value
    whose ProtoJSON is a string or a number as that text without quotes, the rest as compact
    ProtoJSON."""

    __slots__ = ("bare", "desc", "is_text", "key", "name", "oneof", "plain")

    def __init__(self, desc: FieldDescriptor) -> None:
        self.desc = desc
        self.name = desc.name
        self.key = desc.json_name
        kind = desc.message_type
        self.oneof = desc.containing_oneof.name if desc.containing_oneof is not None else ""
        self.bare = not desc.is_repeated and (kind is None or kind.full_name in _QUOTED)
        self.plain = (
            self.bare
            and kind is None
            and desc.cpp_type
            in (
                FieldDescriptor.CPPTYPE_STRING,
                FieldDescriptor.CPPTYPE_INT32,
                FieldDescriptor.CPPTYPE_INT64,
                FieldDescriptor.CPPTYPE_UINT32,
                FieldDescriptor.CPPTYPE_UINT64,
            )
            and desc.type != FieldDescriptor.TYPE_BYTES
        )
        """Whether its text is Python's own."""
        self.is_text = self.bare and kind is None and desc.type == FieldDescriptor.TYPE_STRING

    def is_set(self, message: Message) -> bool:
        return is_set(message, self.desc)

    def text(self, message: Message, codec: Codec) -> str | None:
        """Return the text of the field where it is populated, None where its value has no
        ProtoJSON."""
        if self.plain:
            return str(getattr(message, self.name))
        text = codec.field_text(message, self.desc, _NESTING)
        if text is not None and self.bare and text.startswith('"'):
            return jsontree.unescape(text[1:-1])
        return text

    def set(self, message: Message, text: str, codec: Codec) -> None:
        """Read text as the field's type and set the field. Text that does not parse leaves it
        unset, and so does a member of a oneof that has one already."""
        if self.oneof and message.WhichOneof(self.oneof) is not None:
            return
        if self.is_text:
            setattr(message, self.name, text)
            return
        kind, quoted = self.desc.cpp_type, self.bare
        if self.bare and self.desc.message_type is None:
            if kind == FieldDescriptor.CPPTYPE_BOOL:
                if text not in ("true", "false"):
                    return
                quoted = False
            elif self.desc.type == FieldDescriptor.TYPE_BYTES:
                if "\r" in text or "\n" in text:
                    return
            elif self.desc.enum_type is not None:
                null = self.desc.enum_type.full_name == "google.protobuf.NullValue"
                quoted = text != "null" if null else not is_number(text)
        try:
            node = jsontree.parse(jsontree.quote(text) if quoted else text, _NESTING)
        except jsontree.JSONError:
            return
        if not jsontree.doubled(node):
            codec.set_field(message, self.desc, node)


def is_set(message: Message, field: FieldDescriptor) -> bool:
    """Tell whether a field is populated."""
    content = getattr(message, field.name)
    if field.is_repeated:
        return len(content) > 0
    if field.has_presence:
        return bool(message.HasField(field.name))
    if content:
        return True
    # Of numbers -0.0 is populated.
    return isinstance(content, float) and any(found.number == field.number for found, _ in message.ListFields())
