"""Whether what is carried says what stands."""

from __future__ import annotations

import math
from typing import Any

from google.protobuf.message import Message

from .. import hub
from ..hub import Detail
from ..jsontree import MISSING, parse_or_missing, same
from ..protojson import Codec, Fidelity, parse
from .carried import untyped_text, wrapped_view
from .detail import known_part
from .options import DETAIL_DEPTH

_LAST_FIELD = {
    "google.rpc.ErrorInfo": 3,
    "google.rpc.RetryInfo": 1,
    "google.rpc.DebugInfo": 2,
    "google.rpc.QuotaFailure": 1,
    "google.rpc.QuotaFailure.Violation": 8,
    "google.rpc.PreconditionFailure": 1,
    "google.rpc.PreconditionFailure.Violation": 3,
    "google.rpc.BadRequest": 1,
    "google.rpc.BadRequest.FieldViolation": 4,
    "google.rpc.RequestInfo": 2,
    "google.rpc.ResourceInfo": 4,
    "google.rpc.Help": 1,
    "google.rpc.Help.Link": 2,
    "google.rpc.LocalizedMessage": 2,
    "google.rpc.Status": 3,
}
"""The number of the last field that each message of error_details.proto and status.proto
had at 1.0 of the contract."""


def contains(codec: Codec, whole: Detail, plain: Detail) -> bool:
    """Tell whether a carried detail says everything that the plain one says that stands for
    it. Of a type of google.rpc it may say nothing more, but for fields that the types had
    not at 1.0."""
    if not whole.typed:
        text = untyped_text(whole)
        if not plain.typed:
            return text == untyped_text(plain)
        return _value_says(codec, plain, text)
    if whole.name != plain.name:
        return False
    standard = plain.name.startswith("google.rpc.")
    link = codec.link(plain.type_url)
    if link is None and not standard:
        return True
    a, b = _message(codec, whole, plain.type_url), _message(codec, plain, plain.type_url)
    if not standard:
        # What its writer read of JSON, or wrote as JSON, may need types that are not linked
        # here: then it agrees by type, as in the check.
        if plain.json is not None and b is None:
            return True
        if whole.json is not None and b is not None and not _renders(codec, plain):
            return True
    if a is None or b is None:
        return _same_encoding(whole, plain)
    return _Comparer(codec, standard).says(a, b)


def _message(codec: Codec, detail: Detail, type_url: str) -> Message | None:
    value = known_part(codec, detail)
    link = codec.link(type_url)
    return None if value is None or link is None else parse(link.cls, value)


def _renders(codec: Codec, detail: Detail) -> bool:
    if detail.json is not None:
        return False
    return codec.any_text(detail.type_url, detail.value, DETAIL_DEPTH)[1] is not Fidelity.NONE


def _same_encoding(a: Detail, b: Detail) -> bool:
    if a.json is None or b.json is None:
        return a.json is None and b.json is None and a.value == b.value
    return _same_json(a.json, b.json)


def _same_json(a: str, b: str) -> bool:
    if a == b:
        return True
    x, y = parse_or_missing(a), parse_or_missing(b)
    return x is not MISSING and y is not MISSING and same(x, y)


def _value_says(codec: Codec, detail: Detail, text: str) -> bool:
    if detail.name != hub.VALUE:
        return False
    want = wrapped_view(codec, Detail(json=text))
    if detail.json is None or want.json is None:
        return detail.json is None and want.json is None and codec.equal(want.type_url, detail.value, want.value)
    return _same_json(detail.json, want.json)


class _Comparer:
    def __init__(self, codec: Codec, exact: bool) -> None:
        self.codec = codec
        self.exact = exact

    def says(self, whole: Message, plain: Message) -> bool:
        """Tell whether each populated field of plain is in whole with the same value."""
        if plain.DESCRIPTOR.full_name == "google.protobuf.Any":
            return self.same_any(whole, plain)
        have: dict[int, tuple[Any, Any]] = {field.number: (field, value) for field, value in whole.ListFields()}
        said = set()
        for field, value in plain.ListFields():
            if field.number not in have or not self.says_field(field, have[field.number][1], value):
                return False
            said.add(field.number)
        if not self.exact:
            return True
        return all(
            number in said or number > _LAST_FIELD.get(field.containing_type.full_name, 1 << 30)
            for number, (field, _) in have.items()
        )

    def same_any(self, a: Any, b: Any) -> bool:
        return hub.bare_name(a.type_url) == hub.bare_name(b.type_url) and self.codec.equal(b.type_url, a.value, b.value)

    def says_field(self, field: Any, whole: Any, plain: Any) -> bool:
        if not field.is_repeated:
            return self.says_value(whole, plain)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            if len(plain) > len(whole) or (self.exact and len(plain) != len(whole)):
                return False
            return all(key in whole and self.says_value(whole[key], plain[key]) for key in plain)
        return len(whole) == len(plain) and all(map(self.says_value, whole, plain))

    def says_value(self, whole: Any, plain: Any) -> bool:
        if isinstance(plain, Message):
            return self.says(whole, plain)
        if isinstance(plain, float) and math.isnan(plain):
            return math.isnan(whole)
        return bool(whole == plain)
