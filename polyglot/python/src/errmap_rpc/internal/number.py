"""Numbers by their text: JSON's tokens have more values than a float."""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

MAX_INTEGER = 2**53 - 1
"""The greatest integer that every JSON reader keeps (RFC 8259 section 6)."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_MAX_EXPONENT = 1 << 20


class Decimal(NamedTuple):
    """A number as sign, digits without zeros at either end, and the power of ten of the
    last digit. Zero has no digits."""

    negative: bool
    digits: str
    exponent: int


def decimal_of(token: str) -> Decimal | None:
    """Read a JSON number token; None where its exponent is absurd."""
    negative = token.startswith("-")
    mantissa, _, power = token.removeprefix("-").replace("E", "e").partition("e")
    exponent = 0
    if power:
        digits = power.lstrip("+-").lstrip("0")
        if len(digits) > 8:
            return None
        exponent = int(digits or "0") * (-1 if power[0] == "-" else 1)
        if abs(exponent) > _MAX_EXPONENT:
            return None
    whole, _, fraction = mantissa.partition(".")
    exponent -= len(fraction)
    digits = (whole + fraction).lstrip("0")
    short = digits.rstrip("0")
    exponent += len(digits) - len(short)
    return Decimal(negative, short, exponent if short else 0)


def same_number(a: str, b: str) -> bool:
    """Tell whether two tokens are of the same decimal value and sign (0 is not -0)."""
    x, y = decimal_of(a), decimal_of(b)
    return x is not None and x == y


def wide_integer(token: str) -> tuple[int, bool] | None:
    """Return the magnitude of an integral token of 64 bits, and whether it has a minus."""
    if len(token) <= 18 and token.isdigit() and (token[0] != "0" or token == "0") and token.isascii():
        return int(token), False
    d = decimal_of(token)
    if d is None or d.exponent < 0 or len(d.digits) + d.exponent > 20:
        return None
    number = int(d.digits + "0" * d.exponent) if d.digits else 0
    return (number, d.negative) if number < 1 << 64 else None


def integer(token: str) -> int | None:
    """Return the value of an integral token within ±(2^53-1), else None."""
    found = wide_integer(token)
    if found is None or found[0] > MAX_INTEGER:
        return None
    return -found[0] if found[1] else found[0]


def is_number(text: str) -> bool:
    """Tell whether text is one number token and nothing else."""
    return _NUMBER.fullmatch(text) is not None


def float_text(number: float, narrow: bool = False) -> str:
    """Return a finite number as ProtoJSON and RFC 8785 spell it."""
    d = decimal_of(narrow_text(number) if narrow else repr(number))
    if d is None or not d.digits:
        return "-0" if d is not None and d.negative else "0"
    digits, point = d.digits, len(d.digits) + d.exponent
    if not 1e-6 <= abs(number) < 1e21:
        out = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{point - 1:+d}"
    elif point <= 0:
        out = "0." + "0" * -point + digits
    elif point >= len(digits):
        out = digits + "0" * (point - len(digits))
    else:
        out = digits[:point] + "." + digits[point:]
    return "-" + out if d.negative else out


def narrow_text(number: float) -> str:
    """Return the shortest text that is that number in 32 bits."""
    packed = struct.pack("<f", number)
    for digits in range(1, 10):
        text = f"{number:.{digits - 1}e}"
        try:
            if struct.pack("<f", float(text)) == packed:
                return text
        except OverflowError:
            continue
    return repr(number)
