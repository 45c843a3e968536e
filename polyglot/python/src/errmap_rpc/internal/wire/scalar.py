"""Values of members as the readers take them."""

from __future__ import annotations

from ..code import Code
from ..jsontree import Node, Number, get, text_of
from ..number import integer, is_number
from ..protojson import decode_base64


def read_number(node: Node) -> int | None:
    """Read an integral number, or a string that holds one."""
    if type(node) is Number:
        return integer(node)
    if type(node) is str:
        text = text_of(node)
        return integer(text) if is_number(text) else None
    return None


def status_code(node: Node) -> int | None:
    """Read the code of a Status: a number, the text of one, or the name of a code; 0 of
    null. None for anything else."""
    if node is None:
        return 0
    if type(node) is str and text_of(node) in Code.__members__:
        return int(Code[text_of(node)])
    number = read_number(node)
    return number if number is not None and -(2**31) <= number < 2**31 else None


def is_carried(node: Node) -> bool:
    """Tell whether the member of that name is a Carried: one with a check of four bytes and
    eight for each detail that it is about."""
    check = get(node, "check")
    if type(check) is not str:
        return False
    sums = decode_base64(text_of(check))
    return sums is not None and len(sums) >= 4 and (len(sums) - 4) % 8 == 0
