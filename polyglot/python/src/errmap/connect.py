"""Errors of the connectrpc package. It needs the extra "connect".

connectrpc knows messages of protobuf-py, which is another implementation of
Protobuf than google.protobuf; details pass between the two as bytes. Of a
response it keeps code, message and details, not the HTTP status, nor a code that
it does not know.
"""

from __future__ import annotations

from typing import Unpack

from connectrpc.code import Code as ConnectCode
from connectrpc.errors import ConnectError, ErrorDetail
from protobuf.wkt import Any

from ._settle import readable
from .code import Code, code_by_connect_name
from .detail import RawDetail, complete_url
from .error import Error
from .generated import specialize
from .options import DecodeArguments, EncodeArguments, decode_options, encode_options
from .received import Wire
from .status import RawStatus, encode_status, read_status

__all__ = ["from_connect_error", "to_connect_error"]


def from_connect_error(error: ConnectError, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read an error that a client of connectrpc raised. The result is of the generated
    class for its identity, where the catalogue has one, and error is its cause."""
    options = decode_options(arguments)
    details = [RawDetail(complete_url(d.type_name), d.message_bytes) for d in error.details]
    number = code_by_connect_name(error.code.value) or int(Code.UNKNOWN)
    read = read_status(RawStatus(number, error.message, details), options, Wire.STATUS)
    typed = specialize(read, options.errors)
    typed.__cause__ = error
    return typed


def to_connect_error(error: Error, **arguments: Unpack[EncodeArguments]) -> ConnectError:
    """Return an error for a handler of connectrpc to raise; error is its cause."""
    options = encode_options(arguments)
    readable_error = readable(error, options.catalog)
    status = encode_status(readable_error, options, Wire.STATUS, writes_private=False)
    details = [ErrorDetail(Any(type_url=d.type_url, value=d.value)) for d in status.details]
    out = ConnectError(ConnectCode(error.code.connect_name), status.message, details)
    out.__cause__ = error
    return out
