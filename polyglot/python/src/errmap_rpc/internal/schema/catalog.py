"""The errors and types that a reader knows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Protocol

from google.protobuf.message import Message

from ..protojson import Codec
from .definition import DOMAIN_A2A, REASON_CARD_BEFORE_10, REASON_EXTENDED_CARD, Definition, definition_of
from .descriptor import descriptor_of
from .types import add_types, base_types, linked_codec

__all__ = ["Catalog", "linked"]


class ErrorClass(Protocol):
    """What generated exception classes have."""

    DOMAIN: ClassVar[str]
    REASON: ClassVar[str]
    MESSAGE: ClassVar[type[Message]]


_imported: list[type[Any]] = []
"""The generated classes that the program has imported."""

_BUILTIN = ("errmap.a2a.v1.", "errmap.mcp.v1.")


def register(cls: type[Any]) -> None:
    """Note a generated class, for linked()."""
    _imported.append(cls)
    _linked.cache_clear()


def builtin_errors() -> list[type[Any]]:
    """Return the errors of A2A and of MCP's servers."""
    return [
        cls
        for cls in _imported
        if cls.MESSAGE.DESCRIPTOR.full_name.startswith(_BUILTIN)
        and cls.MESSAGE.DESCRIPTOR.file.name.endswith("v1/errors.proto")
        and cls.__module__.startswith("errmap.")
    ]


class Catalog:
    """A set of known errors and message types: what a reader recognises and
    renders. It is immutable. Without errors it knows of types the details of
    google.rpc, google.rpc.Status, the well-known types and errmap.v1."""

    def __init__(
        self,
        errors: Iterable[type[ErrorClass]] = (),
        *,
        types: Callable[[str], type[Message] | None] | None = None,
    ) -> None:
        """Make a catalogue of exception classes. The errors of A2A and MCP are
        added for each of the two domains that no class has, unless there are no
        classes at all. types finds further message types by their full names;
        the default is those of the files of the classes, and of their imports.

        Raises ValueError where two errors share domain and reason or, within a
        domain, the JSON-RPC number."""
        classes: list[type[Any]] = list(errors)
        if classes:
            have = {cls.DOMAIN for cls in classes}
            classes += [cls for cls in builtin_errors() if cls.DOMAIN not in have]
        self._find_type = types
        self._types = dict(base_types())
        if types is None:
            for cls in classes:
                add_types(self._types, descriptor_of(cls.MESSAGE))
        self.codec = Codec(self)
        """The ProtoJSON of the types of the catalogue."""
        self._index(classes)

    def _index(self, classes: Iterable[type[Any]]) -> None:
        self._classes: dict[tuple[str, str], type[Any]] = {}
        self._definitions: dict[tuple[str, str], Definition] = {}
        self._numbers: dict[tuple[str, int], Definition] = {}
        self._problems: dict[str, Definition] = {}
        self._domains: set[str] = set()
        found: list[Definition] = []
        for cls in classes:
            definition = definition_of(cls.MESSAGE)
            if definition is None:
                raise ValueError(f"{cls.MESSAGE.DESCRIPTOR.full_name} is no error")
            self._classes.setdefault((definition.domain, definition.reason), cls)
            found.append(definition)
        self.add(found)

    def add(self, definitions: Iterable[Definition]) -> None:
        """Add definitions, while the catalogue is made."""
        for definition in definitions:
            key = (definition.domain, definition.reason)
            first = self._definitions.get(key)
            if first is not None and first.full_name == definition.full_name:
                continue
            if first is not None:
                both = f"{first.full_name} and {definition.full_name}"
                raise ValueError(f"{both} are both reason {key[1]} of domain {key[0]}")
            self._definitions[key] = definition
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
        found = self._definitions.get((domain, reason))
        if found is None and reason == REASON_CARD_BEFORE_10 and domain == DOMAIN_A2A:
            return self._definitions.get((domain, REASON_EXTENDED_CARD))
        return found

    def find_class(self, domain: str, reason: str) -> type[Any] | None:
        """Return the exception class of an identity, None where it is not known."""
        if reason == REASON_CARD_BEFORE_10 and domain == DOMAIN_A2A and (domain, reason) not in self._classes:
            reason = REASON_EXTENDED_CARD
        return self._classes.get((domain, reason))

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


def of(*definitions: Definition) -> Catalog:
    """Return the catalogue of definitions alone. Raises ValueError where two clash."""
    catalog = Catalog()
    catalog.add(definitions)
    return catalog


def linked() -> Catalog:
    """Return the catalogue of every exception class that the program has imported so far,
    and of every message type: the errors of A2A and MCP are always among them. Where two
    claim one identity, the one whose message sorts first has it."""
    return _linked()


@functools.lru_cache(maxsize=1)
def _linked() -> Catalog:
    identities: dict[tuple[str, str], type[Any]] = {}
    numbers: set[tuple[str, int]] = set()
    for cls in sorted(_imported, key=lambda cls: str(cls.MESSAGE.DESCRIPTOR.full_name)):
        definition = definition_of(cls.MESSAGE)
        if definition is None or (definition.domain, definition.reason) in identities:
            continue
        number = (definition.domain, definition.jsonrpc_code)
        if definition.jsonrpc_code and number in numbers:
            continue
        numbers.add(number)
        identities[definition.domain, definition.reason] = cls
    catalog = Catalog(identities.values(), types=linked_codec()._types.find_message)
    catalog.codec = linked_codec()
    return catalog


NOTHING = Catalog()
"""The catalogue that knows no errors."""
