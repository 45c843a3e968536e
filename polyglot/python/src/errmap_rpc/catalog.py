"""The errors and types that a reader knows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any
from google.protobuf.descriptor import Descriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.empty_pb2 import Empty
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.wrappers_pb2 import BoolValue
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from errmap.v1.carried_pb2 import Carried
from errmap.v1.error_pb2 import ErrorOptions

from ._schema import descriptor_of
from .definition import (
    DOMAIN_A2A,
    REASON_CARD_BEFORE_10,
    REASON_EXTENDED_CARD,
    Definition,
    definition_of,
)
from .generated import TypedError

__all__ = ["Catalog", "linked"]

DOMAIN_MCP = "modelcontextprotocol.io"

_BASE = (
    ErrorInfo,
    Status,
    Any,
    Duration,
    Empty,
    FieldMask,
    Struct,
    Timestamp,
    BoolValue,
    Carried,
    ErrorOptions,
)


class Catalog:
    """A set of known errors and message types: what a reader recognises and
    renders. It is immutable. Without errors it knows of types the details of
    google.rpc, google.rpc.Status, the well-known types and errmap.v1."""

    def __init__(
        self,
        errors: Iterable[type[TypedError]] = (),
        *,
        types: Callable[[str], type[Message] | None] | None = None,
    ) -> None:
        """Make a catalogue of exception classes. The errors of A2A and MCP are
        added for each of the two domains that no class has, unless there are no
        classes at all. types finds further message types by their full names;
        the default is those of the files of the classes, and of their imports.

        Raises ValueError where two errors share domain and reason or, within a
        domain, the JSON-RPC number."""
        classes = list(errors)
        if classes:
            have = {cls.DOMAIN for cls in classes}
            classes += [cls for cls in builtin_errors() if cls.DOMAIN not in have]
        self._find_type = types
        self._types = dict(_base_types())
        if types is None:
            for cls in classes:
                _add_types(self._types, descriptor_of(cls.MESSAGE))
        self._index(classes)

    def _index(self, classes: Iterable[type[TypedError]]) -> None:
        self._classes: dict[tuple[str, str], type[TypedError]] = {}
        self._definitions: dict[tuple[str, str], Definition] = {}
        self._numbers: dict[tuple[str, int], Definition] = {}
        self._problems: dict[str, Definition] = {}
        self._domains: set[str] = set()
        for cls in classes:
            definition = definition_of(cls.MESSAGE)
            if definition is None:
                raise ValueError(f"{cls.MESSAGE.DESCRIPTOR.full_name} is no error")
            key = (definition.domain, definition.reason)
            first = self._definitions.get(key)
            if first is not None and first.full_name == definition.full_name:
                continue
            if first is not None:
                both = f"{first.full_name} and {definition.full_name}"
                raise ValueError(f"{both} are both reason {key[1]} of domain {key[0]}")
            self._classes[key], self._definitions[key] = cls, definition
            self._domains.add(definition.domain)
            if definition.jsonrpc_code:
                number = (definition.domain, definition.jsonrpc_code)
                if number in self._numbers:
                    raise ValueError(
                        f"{self._numbers[number].full_name} and {definition.full_name} both have "
                        f"the JSON-RPC number {number[1]} in domain {number[0]}"
                    )
                self._numbers[number] = definition
        for key in sorted(self._definitions):
            definition = self._definitions[key]
            if definition.problem_type:
                self._problems.setdefault(definition.problem_type, definition)

    @property
    def definitions(self) -> list[Definition]:
        """All definitions, sorted by domain and reason."""
        return [self._definitions[key] for key in sorted(self._definitions)]

    def find(self, domain: str, reason: str) -> Definition | None:
        """Return the definition of an identity, None where it is not known. The
        reason that A2A's -32007 had before version 1.0 finds the error of today."""
        return self._definitions.get(self._key(domain, reason))

    def find_class(self, domain: str, reason: str) -> type[TypedError] | None:
        """Return the exception class of an identity, None where it is not known."""
        return self._classes.get(self._key(domain, reason))

    def knows_domain(self, domain: str) -> bool:
        """Tell whether any error of the catalogue has that domain."""
        return domain in self._domains

    def by_problem_type(self, uri: str) -> Definition | None:
        """Return the definition of an RFC 9457 problem type."""
        return self._problems.get(uri)

    def by_jsonrpc(self, domain: str, number: int) -> Definition | None:
        """Return the definition in a domain that has that JSON-RPC number."""
        return self._numbers.get((domain, number))

    def find_message(self, name: str) -> type[Message] | None:
        """Return the class of a message type, None where it is not known."""
        known = self._types.get(name)
        if known is None and self._find_type is not None:
            return self._find_type(name)
        return known

    def _key(self, domain: str, reason: str) -> tuple[str, str]:
        key = (domain, reason)
        if key == (DOMAIN_A2A, REASON_CARD_BEFORE_10) and key not in self._definitions:
            return domain, REASON_EXTENDED_CARD
        return key


def linked() -> Catalog:
    """Return the catalogue of every exception class that the program has imported
    so far, and of every message type: the errors of A2A and MCP are always among
    them. Where two claim one identity, the one whose message sorts first has it."""
    return _linked(_imported())


@functools.lru_cache(maxsize=4)
def _linked(classes: tuple[type[TypedError], ...]) -> Catalog:
    identities: dict[tuple[str, str], type[TypedError]] = {}
    numbers: set[tuple[str, int]] = set()
    for cls in sorted(classes, key=lambda cls: cls.MESSAGE.DESCRIPTOR.full_name):
        definition = definition_of(cls.MESSAGE)
        if definition is None or (definition.domain, definition.reason) in identities:
            continue
        number = (definition.domain, definition.jsonrpc_code)
        if definition.jsonrpc_code and number in numbers:
            continue
        numbers.add(number)
        identities[definition.domain, definition.reason] = cls
    return Catalog(identities.values(), types=_pool_type)


def _imported() -> tuple[type[TypedError], ...]:
    builtin_errors()
    found: list[type[TypedError]] = []
    queue = list(TypedError.__subclasses__())
    while queue:
        cls = queue.pop()
        queue.extend(cls.__subclasses__())
        if "MESSAGE" in cls.__dict__:
            found.append(cls)
    return tuple(found)


def _pool_type(name: str) -> type[Message] | None:
    try:
        descriptor = descriptor_pool.Default().FindMessageTypeByName(name)
    except KeyError:
        return None
    return message_factory.GetMessageClass(descriptor)


@functools.cache
def builtin_errors() -> tuple[type[TypedError], ...]:
    """Return the errors of A2A and of MCP."""
    from errmap.a2a.v1 import errors_errmap as a2a
    from errmap.mcp.v1 import errors_errmap as mcp

    return (*a2a.ERRORS, *mcp.ERRORS)


@functools.cache
def own_errors(domain: str) -> Catalog:
    """Return the catalogue that knows the errors of one of the two domains and
    nothing else."""
    catalog = Catalog()
    catalog._index(cls for cls in builtin_errors() if domain == cls.DOMAIN)
    return catalog


@functools.cache
def _base_types() -> dict[str, type[Message]]:
    types: dict[str, type[Message]] = {}
    for cls in _BASE:
        for descriptor in cls.DESCRIPTOR.file.message_types_by_name.values():
            _add_message(types, descriptor)
    return types


def _add_types(types: dict[str, type[Message]], descriptor: Descriptor) -> None:
    seen: set[str] = set()
    queue = [descriptor.file]
    while queue:
        file = queue.pop()
        if file.name in seen:
            continue
        seen.add(file.name)
        queue.extend(file.dependencies)
        for message in file.message_types_by_name.values():
            _add_message(types, message)


def _add_message(types: dict[str, type[Message]], descriptor: Descriptor) -> None:
    if not descriptor.GetOptions().map_entry:
        types.setdefault(descriptor.full_name, message_factory.GetMessageClass(descriptor))
        for nested in descriptor.nested_types:
            _add_message(types, nested)


NOTHING = Catalog()
"""The catalogue that knows no errors."""
