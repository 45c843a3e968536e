"""The data of the errors that MCP itself defines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _json
from .catalog import DOMAIN_MCP
from .definition import Definition
from .error import Error, error_info
from .profile import REASON_RESOURCE_NOT_FOUND

if TYPE_CHECKING:
    from .catalog import Catalog

_SCHEMAS = {
    "MISSING_REQUIRED_CLIENT_CAPABILITY": {"requiredCapabilities": "{"},
    "UNSUPPORTED_PROTOCOL_VERSION": {"supported": "[", "requested": '"'},
    REASON_RESOURCE_NOT_FOUND: {"uri": '"'},
}

EMPTY = {"{": "{}", "[": "[]", '"': ""}
"""The metadata text of an empty value of a JSON type."""


def schema_of(definition: Definition | None) -> dict[str, str]:
    """Return the members that the schema of MCP requires in the data of one of its
    errors, each with the first character of its JSON type."""
    if definition is None or definition.domain != DOMAIN_MCP:
        return {}
    return _SCHEMAS.get(definition.reason, {})


def schema_object(error: Error, definition: Definition, types: Catalog) -> list[_json.Member]:
    """Return the members that the schema requires of an error of MCP, out of its
    metadata; what is missing there is written empty."""
    metadata: dict[str, str] = {}
    for detail in error.raw_details:
        info = error_info(types, detail)
        if info is not None and info.domain == DOMAIN_MCP:
            metadata = dict(info.metadata)
            break
    members = []
    for name, kind in schema_of(definition).items():
        members.append(_json.member_of(name, schema_value(kind, metadata.get(name, ""))))
    return members


def schema_value(kind: str, text: str) -> _json.Value:
    """Return a metadata text as JSON of the type that the schema has."""
    if kind == '"':
        return _json.string_of(text)
    value = _json.parse_or_none(text)
    return value if value is not None and value.kind == kind else _json.parse(EMPTY[kind])


def object_details(
    data: _json.Value,
) -> tuple[tuple[_json.Value, ...] | None, tuple[_json.Member, ...]]:
    """Return the elements of the details member of a data object of MCP, None where there
    is no such array, and the members beside it."""
    members = tuple(data.members or ())
    for i, member in enumerate(members):
        if member.name == "details" and member.value.elements is not None:
            return member.value.elements, members[:i] + members[i + 1 :]
        if member.name == "details":
            break
    return None, ()


def without_empty_details(data: _json.Value) -> _json.Value:
    """Take out of a data object of MCP a details member that is an empty array: as data
    itself, that says nothing, least of all that the rest is not to be read."""
    members = data.members or ()
    kept = [m for m in members if m.name != "details" or m.value.text != "[]"]
    return data if len(kept) == len(members) else _json.object_of(kept)


def is_uri_object(data: _json.Value | None) -> bool:
    """Tell whether data is that of a resource that was not found: a string uri and at
    most details."""
    if data is None or data.members is None:
        return False
    found = False
    for member in data.members:
        if member.name == "uri" and member.value.kind == '"':
            found = True
        elif member.name != "details":
            return False
    return found
