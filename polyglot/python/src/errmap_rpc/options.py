"""The keyword arguments that every decoder and every encoder takes."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import TypedDict

from ._decode import DecodeOptions, Limits
from ._settle import EncodeOptions
from .catalog import Catalog, linked

__all__ = ["DEFAULT_BUDGET", "DecodeArguments", "EncodeArguments"]

DEFAULT_BUDGET = 8192
"""The room for an error in gRPC headers, in bytes: what common proxies allow for all
headers."""


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
    retry_after: str
    """The Retry-After header of the response: it becomes a RetryInfo detail where the
    error has none."""
    received_at: datetime.datetime
    """When the response came, for a Retry-After that is a date; now by default."""


class EncodeArguments(TypedDict, total=False):
    """How an error is written."""

    catalog: Catalog
    """The errors and types that the writer knows; linked() by default."""
    without_carried: bool
    """Keeps errmap.v1.Carried out of what is written, for peers that render a whole
    google.rpc.Status through a strict ProtoJSON. What only it could say is lost."""
    budget: int
    """The room for the three gRPC headers, names and values; negative for no limit."""
    on_note: Callable[[str], None]
    """Called for each part that the encoder drops."""


def decode_options(arguments: DecodeArguments) -> DecodeOptions:
    catalog = arguments["catalog"] if "catalog" in arguments else linked()
    status = arguments.get("http_status", 0)
    return DecodeOptions(
        catalog,
        catalog,
        arguments.get("limits", Limits()),
        status if 100 <= status <= 999 else 0,
        arguments.get("in_stream", False),
        arguments.get("retry_after", ""),
        arguments.get("received_at"),
    )


def encode_options(arguments: EncodeArguments) -> EncodeOptions:
    return EncodeOptions(
        arguments["catalog"] if "catalog" in arguments else linked(),
        arguments.get("without_carried", False),
        arguments.get("budget", DEFAULT_BUDGET),
        arguments.get("on_note"),
    )
