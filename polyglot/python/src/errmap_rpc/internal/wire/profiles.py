"""The profiles that are built in."""

from __future__ import annotations

from google.protobuf.message import Message

from errmap.a2a.v1 import errors_pb2 as a2a
from errmap.mcp.v1 import errors_pb2 as mcp

from ..code import Code
from ..schema import DOMAIN_A2A, Definition, definition_of
from ..schema.types import Linked
from .profile import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    RESERVED,
    STANDARD,
    Profile,
    ProfileError,
    ProfileMember,
)

DOMAIN_MCP = "modelcontextprotocol.io"


def _definition(cls: type[Message] | None) -> Definition:
    found = definition_of(cls) if cls is not None else None
    assert found is not None, "the schema of errmap is not annotated"
    return found


GENERIC = Profile("generic")
"""JSON-RPC 2.0 itself: every number, data is an array of typed objects."""

A2A = Profile(
    "a2a",
    DOMAIN_A2A,
    [
        ProfileError(_definition(Linked().find_message(message.full_name)))
        for message in a2a.DESCRIPTOR.message_types_by_name.values()
    ],
    reserved=RESERVED,
    repeats_all=True,
)
"""A2A 1.0.1: its nine errors always carry their ErrorInfo."""

_URI = ProfileMember("uri", '""')

MCP = Profile(
    "mcp",
    DOMAIN_MCP,
    [
        ProfileError(_definition(mcp.HeaderMismatchError), -32020),
        ProfileError(
            _definition(mcp.MissingRequiredClientCapabilityError),
            -32021,
            [ProfileMember("requiredCapabilities", "{}")],
        ),
        ProfileError(
            _definition(mcp.UnsupportedProtocolVersionError),
            -32022,
            [ProfileMember("supported", "[]"), ProfileMember("requested", '""')],
        ),
        ProfileError(_definition(mcp.ResourceNotFoundError), INVALID_PARAMS, [_URI], only_with_data=True),
    ],
    object_data=True,
    reserved=RESERVED,
    repeats=[*STANDARD, -32020, -32021, -32022],
    codes={-32002: Code.NOT_FOUND, -32042: Code.FAILED_PRECONDITION},
    http_statuses={
        METHOD_NOT_FOUND: 404,
        **dict.fromkeys((PARSE_ERROR, INVALID_REQUEST, -32020, -32021, -32022), 400),
    },
    accepted_status=202,
    refuses_batches=True,
    refuses_null_ids=True,
    checks_origins=True,
)
"""MCP 2026-07-28: its own errors have the data of its schema."""

MCP_2025_11_25 = Profile(
    "mcp-2025-11-25",
    DOMAIN_MCP,
    [
        ProfileError(_definition(mcp.ResourceNotFoundError), -32002, [_URI]),
        ProfileError(_definition(mcp.UrlElicitationRequiredError), -32042, [ProfileMember("elicitations", "[]")]),
    ],
    object_data=True,
    reserved=RESERVED,
    repeats_all=True,
    accepted_status=202,
    refuses_batches=True,
    refuses_null_ids=True,
    checks_origins=True,
)
"""MCP 2025-11-25: a resource that was not found is -32002, the demand for a URL elicitation
-32042."""

PROFILES = (GENERIC, A2A, MCP, MCP_2025_11_25)


def parse_profile(name: str) -> Profile:
    """Return the built-in profile of that name. Raises ValueError, listing the names."""
    for profile in PROFILES:
        if profile.name == name:
            return profile
    names = ", ".join(profile.name for profile in PROFILES)
    raise ValueError(f"unknown profile {name!r}: want one of {names}")
