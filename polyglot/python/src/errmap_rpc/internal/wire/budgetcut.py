"""Parts of a detail, of which some are taken and others left out."""

from __future__ import annotations

from .. import hub
from ..protobytes import fields_of

ELEMENTS = {
    hub.BAD_REQUEST: "field violations",
    hub.PRECONDITION: "precondition violations",
    hub.QUOTA_FAILURE: "quota violations",
    hub.HELP: "links",
}
"""What the elements are called of the types of which some can be left out, in field 1."""


class InfoField:
    """A field of an ErrorInfo as it stands in the bytes of its detail."""

    __slots__ = ("key", "number", "raw", "replaced", "size", "taken")

    def __init__(self, raw: bytes, number: int) -> None:
        self.raw = raw
        self.number = number
        """That of the field, 0 of one that an ErrorInfo does not have."""
        self.key = b""
        self.size = 0  # of an entry's key and value
        self.taken = False
        self.replaced = False
        """Whether the same stands once more later, which counts."""


class InfoFields:
    """The fields of an ErrorInfo."""

    def __init__(self, value: bytes) -> None:
        self.fields: list[InfoField] = []
        last: dict[int, InfoField] = {}
        for number, kind, content, raw in fields_of(value):
            field = InfoField(raw, number if kind == 2 and number <= 3 else 0)
            self.fields.append(field)
            if field.number == 3 and isinstance(content, bytes):
                key, text = _entry(content)
                field.key, field.size = key, len(key) + len(text)
            elif field.number:
                if field.number in last:
                    last[field.number].replaced = True
                last[field.number] = field
        self.identity = sum(len(field.raw) for field in last.values())
        """The size of reason and domain."""
        self.others = sum(len(field.raw) for field in self.fields if not field.number)
        """The size of the fields that an ErrorInfo does not have."""

    def ordered_entries(self) -> list[InfoField]:
        """Return the entries by size, those of one size by key, without those whose key
        stands once more."""
        last: dict[bytes, InfoField] = {}
        for field in self.fields:
            if field.number == 3:
                if field.key in last:
                    last[field.key].replaced = True
                last[field.key] = field
        return sorted(last.values(), key=lambda field: (field.size, field.key))

    def kept(self, others: bool) -> bytes:
        """Return the bytes of what was taken."""
        return b"".join(
            field.raw
            for field in self.fields
            if not field.replaced and (field.number != 3 or field.taken) and (field.number != 0 or others)
        )


def _entry(data: bytes) -> tuple[bytes, bytes]:
    key = value = b""
    for number, kind, content, _ in fields_of(data):
        if kind == 2 and isinstance(content, bytes):
            if number == 1:
                key = content
            elif number == 2:
                value = content
    return key, value


def elements_of(value: bytes) -> list[bytes] | None:
    """Return each field 1 of a message; None where the bytes are none."""
    try:
        return [raw for number, kind, _, raw in fields_of(value) if number == 1 and kind == 2]
    except ValueError:
        return None
