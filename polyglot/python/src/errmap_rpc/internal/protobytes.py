"""The wire form of Protobuf, field by field."""

from __future__ import annotations

from collections.abc import Iterator

MAX_NUMBER = (1 << 29) - 1


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Read a varint; return it and where it ends. Raises ValueError where there is none."""
    value = shift = 0
    for end in range(at, min(at + 10, len(data))):
        byte = data[end]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >= 1 << 64:
                break
            return value, end + 1
        shift += 7
    raise ValueError("no varint")


def fields_of(data: bytes) -> Iterator[tuple[int, int, int | bytes, bytes]]:
    """Yield number, wire type, content and whole bytes of each field. Raises ValueError for
    what is no message."""
    at = 0
    while at < len(data):
        number, kind, start, end = _field(data, at, 0)
        content: int | bytes = data[start:end]
        if kind == 0:
            content = varint(data, start)[0]
        elif kind == 2:
            content = data[varint(data, start)[1] : end]
        yield number, kind, content, data[at:end]
        at = end


def _field(data: bytes, at: int, depth: int) -> tuple[int, int, int, int]:
    """Return number and wire type of a field, where what follows its tag begins, and where
    the field ends."""
    tag, start = varint(data, at)
    number, kind = tag >> 3, tag & 7
    if not 1 <= number <= MAX_NUMBER:
        raise ValueError("no field number")
    if kind == 0:
        end = varint(data, start)[1]
    elif kind == 1:
        end = start + 8
    elif kind == 2:
        size, end = varint(data, start)
        end += size
    elif kind == 5:
        end = start + 4
    elif kind == 3:
        end = start
        if depth >= 100:
            raise ValueError("nested too deep")
        while True:
            inner, _ = varint(data, end)
            if inner & 7 == 4:
                if inner >> 3 != number:
                    raise ValueError("another group ends")
                _, end = varint(data, end)
                break
            end = _field(data, end, depth + 1)[3]
    else:
        raise ValueError("no wire type")
    if end > len(data):
        raise ValueError("cut off")
    return number, kind, start, end


def size_varint(value: int) -> int:
    return 1 if value < 0x80 else (value.bit_length() + 6) // 7


def append_varint(data: bytes, value: int) -> bytes:
    out = bytearray(data)
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def framed(n: int) -> int:
    """Return the size of a field of so many bytes with a low number; nothing is not
    written."""
    return 1 + size_varint(n) + n if n else 0


def size_detail(type_url: int, value: int) -> int:
    """Return the size of a detail as a field of a Status."""
    inner = framed(type_url) + framed(value)
    return 1 + size_varint(inner) + inner
