"""Errors of grpcio. It needs the extra "grpc"."""

from __future__ import annotations

import collections
from typing import Protocol, Unpack

import grpc

from ._budget import fit
from ._decode import NotAnError
from ._settle import EncodeOptions, readable
from .code import Code
from .error import Error
from .generated import specialize
from .grpc_headers import DETAILS, decode_grpc, headers_of
from .options import DecodeArguments, EncodeArguments, decode_options, encode_options
from .received import Wire
from .status import RawStatus, encode_status

__all__ = ["Failed", "from_grpc_error", "to_grpc_status"]

_CODES = {int(code.value[0]): code for code in grpc.StatusCode}


class Failed(Protocol):
    """What the errors of calls have, those of grpc.aio too."""

    def code(self) -> grpc.StatusCode | None:
        """Return the code."""

    def details(self) -> str | None:
        """Return the message."""

    def trailing_metadata(self) -> object:
        """Return pairs of names and values, None where nothing was received."""


class _Status(
    collections.namedtuple("_Status", ("code", "details", "trailing_metadata")),  # noqa: PYI024
    grpc.Status,
):
    """What a handler of grpcio may abort with."""


def from_grpc_error(error: Failed, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read the error of a call. The result is of the generated class for its identity,
    where the catalogue has one; error is its cause where it is an exception. Raises
    NotAnError where its code is OK."""
    options = decode_options(arguments)
    code = error.code()
    number = int(Code.UNKNOWN) if code is None else int(code.value[0])
    if number == 0:
        raise NotAnError("the code is OK, which is no error")
    details: list[bytes | str] = []
    metadata = error.trailing_metadata()
    for name, value in metadata if metadata is not None else ():  # type: ignore[attr-defined]
        if name == DETAILS and isinstance(value, (bytes, str)):
            details.append(value)
    read = decode_grpc(number, "", error.details() or "", details, options)
    typed = specialize(read, options.errors)
    if isinstance(error, BaseException):
        typed.__cause__ = error
    return typed


def to_grpc_status(error: Error, **arguments: Unpack[EncodeArguments]) -> grpc.Status:
    """Return an error for a handler of grpcio: context.abort_with_status takes it, and
    context.abort of grpc.aio its code, details and trailing_metadata. It stays within the
    budget."""
    options = encode_options(arguments)

    def encode(error: Error, options: EncodeOptions) -> RawStatus:
        return encode_status(error, options, Wire.GRPC, writes_private=False)

    readable_error = readable(error, options.catalog)
    status = fit(readable_error, options, encode, lambda status: headers_of(status).size)
    metadata: tuple[tuple[str, bytes], ...] = ()
    if status.details or status.unknown:
        metadata = ((DETAILS, status.serialize()),)
    code = _CODES.get(status.code, grpc.StatusCode.UNKNOWN)
    return _Status(code, status.message, metadata)
