"""The codes of google.rpc.Code, and what they are called on each wire."""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

from .hub import canonical

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

_TABLE = [_ROWS.get(Code(n), _ROWS[Code.UNKNOWN]) for n in range(17)]
_NAMES = [Code(n).name for n in range(17)]
_BY_NAME = {code.name: int(code) for code in Code}

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
    502: Code.UNAVAILABLE,
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


def code_of(number: int) -> Code:
    """Return the code of a number: UNKNOWN for a private one."""
    return Code(number) if canonical(number) else Code.UNKNOWN


def row(number: int) -> _Row:
    """Return what a number is called on the wires: that of UNKNOWN where it is no code."""
    return _TABLE[number if 1 <= number <= 16 else 2]


def target(number: int) -> int:
    """Return the canonical code that a number is shown as where only such codes stand."""
    return number if 1 <= number <= 16 else int(Code.UNKNOWN)


def name_of(number: int) -> str:
    """Return the google.rpc name of a number: UNKNOWN where it is no code."""
    return _NAMES[number if 1 <= number <= 16 else 2]


def code_by_name(name: str) -> int:
    """Find a code by its google.rpc name; 0 for none, and for OK."""
    return _BY_NAME.get(name, 0)


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


def code_by_number(number: int) -> int:
    """Read the JSON-RPC numbers of the table backwards."""
    return int(CODES_BY_NUMBER.get(number, Code.UNKNOWN))


_PHRASES = {
    100: "Continue",
    101: "Switching Protocols",
    102: "Processing",
    103: "Early Hints",
    200: "OK",
    201: "Created",
    202: "Accepted",
    203: "Non-Authoritative Information",
    204: "No Content",
    205: "Reset Content",
    206: "Partial Content",
    207: "Multi-Status",
    208: "Already Reported",
    226: "IM Used",
    300: "Multiple Choices",
    301: "Moved Permanently",
    302: "Found",
    303: "See Other",
    304: "Not Modified",
    305: "Use Proxy",
    307: "Temporary Redirect",
    308: "Permanent Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    402: "Payment Required",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    407: "Proxy Authentication Required",
    408: "Request Timeout",
    409: "Conflict",
    410: "Gone",
    411: "Length Required",
    412: "Precondition Failed",
    413: "Content Too Large",
    414: "URI Too Long",
    415: "Unsupported Media Type",
    416: "Range Not Satisfiable",
    417: "Expectation Failed",
    421: "Misdirected Request",
    422: "Unprocessable Content",
    423: "Locked",
    424: "Failed Dependency",
    425: "Too Early",
    426: "Upgrade Required",
    428: "Precondition Required",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    451: "Unavailable For Legal Reasons",
    500: "Internal Server Error",
    501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
    505: "HTTP Version Not Supported",
    506: "Variant Also Negotiates",
    507: "Insufficient Storage",
    508: "Loop Detected",
    510: "Not Extended",
    511: "Network Authentication Required",
}

_FORMER = {
    302: ("Moved Temporarily",),
    413: ("Payload Too Large", "Request Entity Too Large"),
    414: ("Request-URI Too Long", "Request URI Too Long"),
    416: ("Requested Range Not Satisfiable", "Requested range not satisfiable"),
    418: ("I'm a teapot", "I'm a Teapot"),
    422: ("Unprocessable Entity",),
}
"""The names that statuses had in older standards, which peers still write."""


def phrase(status: int) -> str:
    """Return the phrase of a status in the registry of IANA, "HTTP status N" for one that is
    not registered or not used."""
    return _PHRASES.get(status) or f"HTTP status {status}"


def is_phrase(text: str, status: int) -> bool:
    """Tell whether a text is the phrase of a status, now or formerly."""
    return text == phrase(status) or text in _FORMER.get(status, ())


def status_text(status: int) -> str:
    """Return the message of an error that only its HTTP status tells."""
    return f"HTTP status {status} {_PHRASES.get(status, '')}".rstrip()


def standable(status: int) -> bool:
    """Tell whether an HTTP status is one of an error."""
    return 400 <= status <= 599


def is_http_status(status: int) -> bool:
    """Tell whether a response can have a status (RFC 9110 section 15)."""
    return 100 <= status <= 999
