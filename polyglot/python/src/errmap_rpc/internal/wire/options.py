"""How an error is read and written."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import hub
from ..schema import Catalog

ENVELOPE_DEPTH = 8
"""How much deeper than on one wire a detail may stand on another. A detail that would nest
deeper there than readers take is not passed on as JSON: its error would not be read."""

DEFAULT_DEPTH = 100
DETAIL_DEPTH = DEFAULT_DEPTH - ENVELOPE_DEPTH
"""How deep the JSON of a detail that is written may nest."""

DEFAULT_BUDGET = 7168
"""The room for an error in gRPC headers, in bytes as HTTP/2 counts them: a KiB less than
what common proxies allow for all headers."""


class NotAnError(ValueError):
    """What was to be read is no error: its code is OK, or it is of another form."""


class FormError(NotAnError):
    """A body is not of the expected kind, and no HTTP status says what it was."""

    def __init__(self, wire: hub.Wire, why: str) -> None:
        super().__init__(f"not {article(wire)} error: {why}")
        self.wire = wire
        """The form that was expected."""


def article(wire: hub.Wire) -> str:
    return f"an {wire}" if wire == hub.Wire.HTTP else f"a {wire}"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a decoder takes from foreign bytes."""

    body: int = 4 << 20
    """The most bytes of a body; a larger one is a body of another kind."""
    details: int = 1024
    """The most details; those after it are dropped with a note."""
    depth: int = DEFAULT_DEPTH
    """How deep JSON may nest, 400 at most; a deeper body is one of another kind."""
    message: int = 1 << 20
    """The most bytes of the message; it is cut there, with a note."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How an error is written."""

    catalog: Catalog
    without_carried: bool = False
    budget: int = DEFAULT_BUDGET
    note: Callable[[str], None] | None = None

    def noted(self, notes: Sequence[str]) -> None:
        if self.note is not None:
            for note in notes:
                self.note(note)

    def carries(self, error: hub.Error) -> bool:
        """Tell whether something may ride along with an error."""
        return error.carries and not self.without_carried


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Decoding:
    """How an error is read."""

    catalog: Catalog
    limits: Limits = LIMITS
    http_status: int = 0
    stream: bool = False
    retry_after: Sequence[str] = ()
    received: datetime.datetime | None = None
