"""The keyword arguments that every decoder and every encoder takes."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Sequence
from typing import TypedDict

from .internal.schema import Catalog, linked
from .internal.wire.options import DEFAULT_BUDGET, LIMITS, Decoding, Encoding, Limits

__all__ = ["DEFAULT_BUDGET", "DecodeArguments", "EncodeArguments"]


class DecodeArguments(TypedDict, total=False):
    """How an error is read."""

    catalog: Catalog
    """The errors and types that the reader knows; linked() by default."""
    limits: Limits
    """What the reader takes."""
    http_status: int
    """The status of the response that the error came in. A number that no response has,
    below 100 or above 999, is none."""
    in_stream: bool
    """Whether the error stood in an end-of-stream message of Connect, where the HTTP
    status says nothing of it."""
    retry_after: str | Sequence[str]
    """The Retry-After header of the response: it becomes a RetryInfo detail where the
    error has none with a delay."""
    received_at: datetime.datetime
    """When the response came, for a Retry-After that is a date; now by default."""


class EncodeArguments(TypedDict, total=False):
    """How an error is written."""

    catalog: Catalog
    """The errors and types that the writer knows; linked() by default."""
    without_carried: bool
    """Keeps errmap.v1.Carried out of what is written, for peers that refuse members or types
    that they do not know. What only it could say is lost."""
    budget: int
    """The room for the three gRPC headers as HTTP/2 counts them, names, values and 32 bytes
    for each; negative for no limit."""
    on_note: Callable[[str], None]
    """Called for each part that the encoder drops."""


def decode_options(arguments: DecodeArguments) -> Decoding:
    if not arguments:
        return _decoding(linked())
    status = arguments.get("http_status", 0)
    retry_after = arguments.get("retry_after", ())
    return Decoding(
        arguments["catalog"] if "catalog" in arguments else linked(),
        arguments.get("limits", LIMITS),
        status if 100 <= status <= 999 else 0,
        arguments.get("in_stream", False),
        (retry_after,) if isinstance(retry_after, str) else retry_after,
        arguments.get("received_at"),
    )


def encode_options(arguments: EncodeArguments) -> Encoding:
    if not arguments:
        return _encoding(linked())
    return Encoding(
        arguments["catalog"] if "catalog" in arguments else linked(),
        arguments.get("without_carried", False),
        arguments.get("budget", DEFAULT_BUDGET),
        arguments.get("on_note"),
    )


@functools.lru_cache(maxsize=2)
def _decoding(catalog: Catalog) -> Decoding:
    return Decoding(catalog)


@functools.lru_cache(maxsize=2)
def _encoding(catalog: Catalog) -> Encoding:
    return Encoding(catalog)
