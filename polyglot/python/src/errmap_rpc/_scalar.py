"""Scalars of ProtoJSON."""

from __future__ import annotations

import base64
import binascii
import math
import struct

from . import _json, _number
from ._wellknown import ProtoJSONError

_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def strict_text(raw: str) -> str:
    """Read a JSON string in which no lone surrogate may stand."""
    if _json.has_lone_surrogate(raw):
        raise ProtoJSONError("half a character")
    return _json.unquote(raw)


def read_integer(token: str, low: int, high: int) -> int:
    """Read a JSON number that is an integer, such as 1, 1.0 and 1e3."""
    decimal = _number.decimal_of(token) if _number.is_number_token(token) else None
    if decimal is None or decimal.exponent < 0 or len(decimal.digits) + decimal.exponent > 20:
        raise ProtoJSONError("no integer")
    number = int(decimal.digits + "0" * decimal.exponent) if decimal.digits else 0
    number = -number if decimal.negative else number
    if not low <= number <= high:
        raise ProtoJSONError("an integer out of range")
    return number


def read_float(value: _json.Value, narrow: bool) -> float:
    """Read a JSON number, or a string of ProtoJSON that is one."""
    token = value.text
    if value.kind == '"':
        token = strict_text(value.text)
        if token in _SPECIAL:
            return _SPECIAL[token]
    if not _number.is_number_token(token):
        raise ProtoJSONError("no number")
    number = float(token)
    if math.isinf(number):
        raise ProtoJSONError("a number out of range")
    if narrow:
        try:
            number = struct.unpack("<f", struct.pack("<f", number))[0]
        except OverflowError:
            raise ProtoJSONError("a number out of range") from None
    return number


def float_value(number: float, narrow: bool) -> _json.Value:
    """Return a number as ProtoJSON."""
    if math.isnan(number):
        return _json.string_of("NaN")
    if math.isinf(number):
        return _json.string_of("Infinity" if number > 0 else "-Infinity")
    return _json.Value(_number.float_text(number, narrow))


def read_base64(text: str) -> bytes:
    """Read either alphabet, padded or not."""
    if len(text) % 4 == 0:
        text = text.removesuffix("=").removesuffix("=")
    if "=" in text or not text.isascii():
        raise ProtoJSONError("no base64")
    return decode_base64(text)


def decode_base64(text: str) -> bytes:
    """Read base64 padded or not, in both alphabets."""
    text = text.rstrip("=")
    if "-" in text or "_" in text:
        if "+" in text or "/" in text:
            raise ProtoJSONError("no base64")
        text = text.replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise ProtoJSONError("no base64") from None
