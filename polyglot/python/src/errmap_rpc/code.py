"""The codes of google.rpc.Code, and what they are called on each wire."""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

__all__ = ["Code", "code_from_connect_http", "code_from_http"]


class _Row(NamedTuple):
    connect: str
    http: int
    jsonrpc: int


class Code(enum.IntEnum):
    """A code of google.rpc.Code. OK is no error."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16

    @property
    def http_status(self) -> int:
        """The HTTP status that the code stands for on every HTTP wire."""
        return row(self).http

    @property
    def connect_name(self) -> str:
        """The name of the code in the Connect protocol, such as "not_found"."""
        return row(self).connect


_ROWS = {
    Code.CANCELLED: _Row("canceled", 499, -31499),
    Code.UNKNOWN: _Row("unknown", 500, -32603),
    Code.INVALID_ARGUMENT: _Row("invalid_argument", 400, -32602),
    Code.DEADLINE_EXCEEDED: _Row("deadline_exceeded", 504, -31504),
    Code.NOT_FOUND: _Row("not_found", 404, -31404),
    Code.ALREADY_EXISTS: _Row("already_exists", 409, -31409),
    Code.PERMISSION_DENIED: _Row("permission_denied", 403, -31403),
    Code.RESOURCE_EXHAUSTED: _Row("resource_exhausted", 429, -31429),
    Code.FAILED_PRECONDITION: _Row("failed_precondition", 400, -31400),
    Code.ABORTED: _Row("aborted", 409, -31409),
    Code.OUT_OF_RANGE: _Row("out_of_range", 400, -32602),
    Code.UNIMPLEMENTED: _Row("unimplemented", 501, -32601),
    Code.INTERNAL: _Row("internal", 500, -32603),
    Code.UNAVAILABLE: _Row("unavailable", 503, -31503),
    Code.DATA_LOSS: _Row("data_loss", 500, -32603),
    Code.UNAUTHENTICATED: _Row("unauthenticated", 401, -31401),
}

_BY_CONNECT = {row.connect: code for code, row in _ROWS.items()}

CODES_BY_NUMBER = {
    -32700: Code.INVALID_ARGUMENT,
    -32600: Code.INVALID_ARGUMENT,
    -32601: Code.UNIMPLEMENTED,
    -32602: Code.INVALID_ARGUMENT,
    -32603: Code.INTERNAL,
    -31499: Code.CANCELLED,
    -31504: Code.DEADLINE_EXCEEDED,
    -31404: Code.NOT_FOUND,
    -31409: Code.ALREADY_EXISTS,
    -31403: Code.PERMISSION_DENIED,
    -31429: Code.RESOURCE_EXHAUSTED,
    -31400: Code.FAILED_PRECONDITION,
    -31503: Code.UNAVAILABLE,
    -31401: Code.UNAUTHENTICATED,
}
"""The JSON-RPC numbers of the table backwards; where several codes share one, the
one without a star in section 3 of the wire contract."""

_CONNECT_HTTP = {
    400: Code.INTERNAL,
    401: Code.UNAUTHENTICATED,
    403: Code.PERMISSION_DENIED,
    404: Code.UNIMPLEMENTED,
    429: Code.UNAVAILABLE,
    502: Code.UNAVAILABLE,
    503: Code.UNAVAILABLE,
    504: Code.UNAVAILABLE,
}

_HTTP = {
    400: Code.INVALID_ARGUMENT,
    401: Code.UNAUTHENTICATED,
    403: Code.PERMISSION_DENIED,
    404: Code.NOT_FOUND,
    409: Code.ABORTED,
    429: Code.RESOURCE_EXHAUSTED,
    499: Code.CANCELLED,
    501: Code.UNIMPLEMENTED,
    503: Code.UNAVAILABLE,
    504: Code.DEADLINE_EXCEEDED,
}


def code_from_connect_http(status: int) -> Code:
    """Return the code that an HTTP status stands for on a Connect, gRPC or
    JSON-RPC call whose response has no readable error."""
    return _CONNECT_HTTP.get(status, Code.UNKNOWN)


def code_from_http(status: int) -> Code:
    """Return the code that an HTTP status stands for on an HTTP+JSON call whose
    response does not say its code."""
    if status in _HTTP:
        return _HTTP[status]
    if 400 <= status < 500:
        return Code.FAILED_PRECONDITION
    return Code.INTERNAL if 500 <= status < 600 else Code.UNKNOWN


def canonical(number: int) -> bool:
    """Tell whether a number is a code of an error."""
    return 1 <= number <= 16


def code_of(number: int) -> Code:
    """Return the code of a number: UNKNOWN for a private one."""
    return Code(number) if canonical(number) else Code.UNKNOWN


def row(number: int) -> _Row:
    return _ROWS[code_of(number)]


def code_by_name(name: str) -> int:
    """Find a code by its google.rpc name; 0 for none, and for OK."""
    code = Code.__members__.get(name)
    return int(code) if code is not None else 0


def code_by_connect_name(name: str) -> int:
    """Find a code by its Connect name, or the number of "code_N", which is one
    in that spelling only; 0 for none."""
    if name in _BY_CONNECT:
        return int(_BY_CONNECT[name])
    match = re.fullmatch(r"code_(-?[1-9][0-9]{0,9})", name)
    if match:
        number = int(match.group(1))
        return number if -(2**31) <= number < 2**31 else 0
    return 0
