"""Errors in responses of httpx. It needs the extra "http"."""

from __future__ import annotations

from typing import Unpack

import httpx

from .codec import decode_http, decode_jsonrpc, decode_problem
from .error import Error
from .internal.jsontree import MISSING, JSONError, get, parse
from .internal.wire.problem import CONTENT_TYPE
from .internal.wire.profile import Profile
from .options import DecodeArguments

__all__ = ["from_jsonrpc_response", "from_response", "raise_for_error"]


def from_response(response: httpx.Response, **arguments: Unpack[DecodeArguments]) -> Error | None:
    """Read the error of a response of HTTP+JSON, whose body was read: AIP-193, or RFC 9457
    where the content type says so. None for a status below 400."""
    if response.status_code < 400:
        return None
    arguments = _with_response(response, arguments)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == CONTENT_TYPE:
        return decode_problem(response.content, **arguments)
    return decode_http(response.content, **arguments)


def raise_for_error(response: httpx.Response, **arguments: Unpack[DecodeArguments]) -> httpx.Response:
    """Raise the error of a response of HTTP+JSON, and return a response without one."""
    error = from_response(response, **arguments)
    if error is not None:
        raise error
    return response


def from_jsonrpc_response(
    response: httpx.Response, profile: Profile, **arguments: Unpack[DecodeArguments]
) -> Error | None:
    """Read the error of a JSON-RPC response, whose body was read. None where it holds a
    result."""
    if response.is_success:
        try:
            body = parse(response.text)
        except JSONError:
            body = MISSING
        if body is not MISSING and get(body, "error") is MISSING:
            return None
    return decode_jsonrpc(response.content, profile, **_with_response(response, arguments))


def _with_response(response: httpx.Response, arguments: DecodeArguments) -> DecodeArguments:
    given: DecodeArguments = {
        "http_status": response.status_code,
        "retry_after": response.headers.get_list("retry-after"),
    }
    return {**given, **arguments}
