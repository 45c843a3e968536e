"""Errors as each wire has them: an encoder and a decoder for each form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Unpack

from google.rpc.status_pb2 import Status

from .error import Error
from .generated import specialize
from .internal.hub import Notes, Wire
from .internal.wire import aip193, connect, grpc, jsonrpc, problem, problemread, rpcread, status, statusjson
from .internal.wire.options import NotAnError
from .internal.wire.problem import CONTENT_TYPE as PROBLEM_TYPE
from .internal.wire.profile import Profile
from .options import DecodeArguments, EncodeArguments, decode_options, encode_options

Body = bytes | str


class HTTPError(NamedTuple):
    """An error as the answer of HTTP+JSON."""

    status: int
    """The HTTP status."""
    body: str
    content_type: str
    retry_after: str
    """The value of the Retry-After header, "" for none."""


class JSONRPCError(NamedTuple):
    """An error as the error object of JSON-RPC 2.0."""

    number: int
    """Its code."""
    text: str
    """The object as JSON."""


class GRPCHeaders(NamedTuple):
    """The values of the headers that hold an error in gRPC and gRPC-Web, as they stand on
    the wire. An empty value is a header that is not sent."""

    status: str
    message: str
    details_bin: str

    def items(self) -> Iterator[tuple[str, str]]:
        """Yield the headers that are sent."""
        for name, value in zip((grpc.STATUS, grpc.MESSAGE, grpc.DETAILS), self, strict=True):
            if value:
                yield name, value

    @property
    def size(self) -> int:
        """The bytes of the headers as HTTP/2 counts them: name, value and 32 for each."""
        return sum(len(name) + len(value) + 32 for name, value in self.items())

    def __str__(self) -> str:
        """The headers as lines."""
        return "".join(f"{name}: {value}\n" for name, value in self.items())


def encode_connect(error: Error, **arguments: Unpack[EncodeArguments]) -> str:
    """Return an error as the JSON error of the Connect protocol. The HTTP status of its
    answer is error.code.http_status."""
    return connect.write_connect(error._data, encode_options(arguments))


def decode_connect(body: Body, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read the JSON error of the Connect protocol, or of an end-of-stream message. Raises
    FormError for a body of another kind without an HTTP status of an error."""
    options = decode_options(arguments)
    return specialize(connect.read_connect(body, options), options.catalog)


def encode_grpc(error: Error, **arguments: Unpack[EncodeArguments]) -> GRPCHeaders:
    """Return the headers of an error in gRPC, within the budget: 7,168 bytes unless it is
    given, as HTTP/2 counts them."""
    return GRPCHeaders(*grpc.write_grpc(error._data, encode_options(arguments)))


def decode_grpc(headers: Mapping[str, str | Sequence[str]], **arguments: Unpack[DecodeArguments]) -> Error:
    """Read an error from headers or trailers of gRPC, whose names may be of any case. Raises
    NotAnError where grpc-status is 0, and FormError where there is none."""
    options = decode_options(arguments)
    return specialize(grpc.read_grpc(headers, options), options.catalog)


def to_status(error: Error, **arguments: Unpack[EncodeArguments]) -> Status:
    """Return an error as a google.rpc.Status. Details that are JSON ride along in an
    errmap.v1.Carried."""
    raw = status.plain_status(error._data, encode_options(arguments), Wire.STATUS)
    return Status.FromString(raw.serialize())


def from_status(message: Status, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read a google.rpc.Status. Raises NotAnError where its code is OK."""
    options, notes = decode_options(arguments), Notes()
    raw = status.parse_status(message.SerializeToString(), options.limits.details, notes)
    return specialize(status.read_raw_status(raw, options, Wire.STATUS, notes), options.catalog)


def encode_status_json(error: Error, **arguments: Unpack[EncodeArguments]) -> str:
    """Return an error as the ProtoJSON of a google.rpc.Status."""
    return statusjson.write_status_json(error._data, encode_options(arguments))


def decode_status_json(body: Body, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read the ProtoJSON of a google.rpc.Status. Raises NotAnError where the code is 0 or
    missing, and FormError for a body of another kind."""
    options = decode_options(arguments)
    return specialize(statusjson.read_status_json(body, options), options.catalog)


def encode_http(error: Error, **arguments: Unpack[EncodeArguments]) -> HTTPError:
    """Return an error as the answer of HTTP+JSON in the form of AIP-193."""
    code, body = aip193.write_http(error._data, encode_options(arguments))
    return HTTPError(code, body, "application/json", error.retry_after)


def decode_http(body: Body, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read the body of an error on HTTP+JSON in the form of AIP-193, and in those that peers
    write in its place. Raises FormError for a body of another kind without an HTTP status of
    an error."""
    options = decode_options(arguments)
    return specialize(aip193.read_http(body, options), options.catalog)


def encode_problem(error: Error, **arguments: Unpack[EncodeArguments]) -> HTTPError:
    """Return an error as RFC 9457 problem details."""
    code, body = problem.write_problem(error._data, encode_options(arguments))
    return HTTPError(code, body, PROBLEM_TYPE, error.retry_after)


def decode_problem(body: Body, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read RFC 9457 problem details. Raises FormError for a body of another kind without an
    HTTP status of an error."""
    options = decode_options(arguments)
    return specialize(problemread.read_problem(body, options), options.catalog)


def encode_jsonrpc(error: Error, profile: Profile, **arguments: Unpack[EncodeArguments]) -> JSONRPCError:
    """Return an error as the error object of JSON-RPC 2.0 under a profile."""
    return JSONRPCError(*jsonrpc.write_jsonrpc(error._data, profile, encode_options(arguments)))


def decode_jsonrpc(body: Body, profile: Profile, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read the error object of JSON-RPC 2.0 under a profile, or the response that holds one.
    Raises FormError for a body of another kind without an HTTP status of an error."""
    options = decode_options(arguments)
    return specialize(rpcread.read_jsonrpc(body, profile, options), options.catalog)


__all__ = [
    "GRPCHeaders",
    "HTTPError",
    "JSONRPCError",
    "NotAnError",
    "decode_connect",
    "decode_grpc",
    "decode_http",
    "decode_jsonrpc",
    "decode_problem",
    "decode_status_json",
    "encode_connect",
    "encode_grpc",
    "encode_http",
    "encode_jsonrpc",
    "encode_problem",
    "encode_status_json",
    "from_status",
    "to_status",
]
