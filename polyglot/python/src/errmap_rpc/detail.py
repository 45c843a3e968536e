"""A detail of an error as it travels."""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message

from . import _json
from ._text import repair

__all__ = ["RawDetail"]

PREFIX = "type.googleapis.com/"

ERROR_INFO = "google.rpc.ErrorInfo"
RETRY_INFO = "google.rpc.RetryInfo"
BAD_REQUEST = "google.rpc.BadRequest"
STATUS = "google.rpc.Status"
HELP = "google.rpc.Help"
LOCALIZED_MESSAGE = "google.rpc.LocalizedMessage"
DEBUG_INFO = "google.rpc.DebugInfo"
CARRIED = "errmap.v1.Carried"


@dataclass(frozen=True, slots=True)
class RawDetail:
    """One detail of an error: a type URL with its bytes, or a JSON element that
    has no binary form here. The default is the empty google.protobuf.Any."""

    type_url: str = ""
    """Of a JSON element its "@type", which may be missing."""
    value: bytes = b""
    """The bytes, carried untouched; empty for a JSON element."""
    element: _json.Value | None = None

    @property
    def name(self) -> str:
        """The bare type name: what follows the last slash of the type URL."""
        return self.type_url.rpartition("/")[2]

    @property
    def json(self) -> str | None:
        """The JSON text of an element without a binary form; None for bytes."""
        return None if self.element is None else self.element.text

    def any(self) -> Any | None:
        """Return the detail as a google.protobuf.Any, None for a JSON element."""
        if self.element is not None:
            return None
        return Any(type_url=self.type_url, value=self.value)

    @classmethod
    def of(cls, message: Message) -> RawDetail:
        """Return a message as a detail."""
        return cls(PREFIX + message.DESCRIPTOR.full_name, serialize(message))


def serialize(message: Message) -> bytes:
    """Return the bytes of a message, the same whenever it is the same."""
    return message.SerializePartialToString(deterministic=True)


def complete_url(name: str) -> str:
    """Make a bare type name a type URL."""
    return name if not name or "/" in name else PREFIX + repair(name)
