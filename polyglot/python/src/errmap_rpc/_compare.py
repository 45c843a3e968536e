"""Whether details say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Value

from . import _json, _protojson
from ._render import EMPTY, decode_detail, element_type, known_part, render_message
from .detail import RawDetail, serialize

if TYPE_CHECKING:
    from .catalog import Catalog


def same_detail(types: Catalog, a: RawDetail, b: RawDetail) -> bool:
    """Tell whether two details say the same. The prefix of a type URL does not
    count, nor how a message of a known type is encoded."""
    if a.element is not None or b.element is not None:
        return a.element == b.element
    if a.name != b.name:
        return False
    if a.value == b.value:
        return True
    x, y = decode_detail(types, a), decode_detail(types, b)
    return x is not None and y is not None and serialize(x) == serialize(y)


def contains(types: Catalog, whole: RawDetail, plain: RawDetail) -> bool:
    """Tell whether whole says everything that plain says: every populated field
    with the same value."""
    text = untyped(whole)
    if text is not None:
        other = untyped(plain)
        return text == other if other is not None else _value_says(types, plain, text)
    if whole.name != plain.name:
        return False
    if types.find_message(plain.name) is None:
        return True
    a, b = _message(types, whole), _message(types, plain)
    # What its writer read of the JSON may need types that are not known here: then it
    # agrees by type, as in the check.
    read = whole.element is not None and b is not None and plain.element is None
    if read and render_message(types, plain) is None:
        return True
    if a is None or b is None:
        return whole.element is None and plain.element is None and whole.value == plain.value
    return _subset(b, a)


def untyped(detail: RawDetail) -> _json.Value | None:
    """Return the JSON of a detail whose JSON has no "@type"; None for another."""
    if detail.element is not None:
        return detail.element if element_type(detail.element) is None else None
    return EMPTY if not detail.type_url and not detail.value else None


def _value_says(types: Catalog, detail: RawDetail, text: _json.Value) -> bool:
    """Tell whether a detail is the google.protobuf.Value of a JSON text."""
    if detail.name != "google.protobuf.Value":
        return False
    if detail.element is not None:  # no Value says it, so it stayed the text that it is
        return any(m.name == "value" and m.value == text for m in detail.element.members or ())
    want = Value()
    got = _message(types, detail)
    try:
        _protojson.unmarshal(text, want, types)
    except _protojson.ProtoJSONError:
        return False
    return got is not None and serialize(got) == serialize(want)


def _message(types: Catalog, detail: RawDetail) -> Message | None:
    if detail.element is not None:
        known = known_part(types, detail)
        if known is None:
            return None
        detail = known
    return decode_detail(types, detail)


def _subset(a: Message, b: Message) -> bool:
    """Tell whether each populated field of a is in b with the same value."""
    populated = {field.number for field, _ in b.ListFields()}
    return all(
        field.number in populated and _subset_field(field, value, getattr(b, field.name))
        for field, value in a.ListFields()
    )


def _subset_field(field: FieldDescriptor, a: Any, b: Any) -> bool:
    if _protojson.is_map(field):
        return all(key in b and _subset_single(a[key], b[key]) for key in a)
    if field.is_repeated:
        return len(a) == len(b) and all(_subset_single(x, y) for x, y in zip(a, b, strict=True))
    return _subset_single(a, b)


def _subset_single(a: Any, b: Any) -> bool:
    if isinstance(a, Message):
        return _subset(a, b)
    return bool(a == b or (a != a and b != b))
