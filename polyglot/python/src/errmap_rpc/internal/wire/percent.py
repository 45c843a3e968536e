"""The percent-encoding of grpc-message."""

from __future__ import annotations

import re

from ..jsontree import decode_utf8

_ESCAPED = re.compile(rb"[^ -~]|%|\A | \Z")
_NEEDS = re.compile(r"[^ -~]|%|\A | \Z")
_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_AS_IT_IS = bytes(c for c in range(0x20, 0x7F) if c != ord("%"))


def percent_encode(text: str) -> str:
    """Encode a grpc-message: bytes outside 0x20 to 0x7E, the percent sign, and a space at
    either end, which HTTP would trim."""
    if _NEEDS.search(text) is None:
        return text
    return _ESCAPED.sub(lambda match: b"%%%02X" % match[0][0], text.encode()).decode("ascii")


def count_escapes(data: bytes) -> int:
    """Return how many bytes are escaped."""
    if not data:
        return 0
    kept = data.translate(None, _AS_IT_IS)
    return len(kept) + (data[0] == 32) + (len(data) > 1 and data[-1] == 32)


def percent_decode(text: str) -> str:
    """Decode a grpc-message; an invalid escape is text."""
    if "%" not in text and text.isascii():
        return text
    data = _NO_BYTE.sub("\ufffd", text).encode("utf-8", "surrogateescape")
    return decode_utf8(_PERCENT.sub(lambda match: bytes([int(match[1], 16)]), data))
