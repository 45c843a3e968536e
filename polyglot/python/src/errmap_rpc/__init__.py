"""One error on every wire.

An error is a Protobuf message with the (errmap.v1.error) option. The generator
makes an exception class of it; this package reads and writes errors as Connect,
gRPC, google.rpc.Status, HTTP+JSON (AIP-193), RFC 9457 problem details and
JSON-RPC 2.0 have them, and nothing that was in one is lost in another.

The adapters are modules of their own, since each needs a library: errmap_rpc.connect
(connectrpc), errmap_rpc.grpc (grpcio), errmap_rpc.http (httpx), errmap_rpc.jsonrpc
(connectrpc's clients over JSON-RPC), errmap_rpc.grpcclient (grpcio's clients) and
errmap_rpc.mcp (the SDK of MCP).
"""

from .codec import (
    GRPCHeaders,
    HTTPError,
    JSONRPCError,
    decode_connect,
    decode_grpc,
    decode_http,
    decode_jsonrpc,
    decode_problem,
    decode_status_json,
    encode_connect,
    encode_grpc,
    encode_http,
    encode_jsonrpc,
    encode_problem,
    encode_status_json,
    from_status,
    to_status,
)
from .error import Error
from .generated import TypedError
from .guard import Guard, forward
from .internal.code import Code, code_from_connect_http, code_from_http
from .internal.hub import Detail as RawDetail
from .internal.hub import Received, Wire
from .internal.schema import Catalog, Definition, definition_of, linked
from .internal.wire.options import FormError, Limits, NotAnError
from .internal.wire.profile import Profile, ProfileError, ProfileMember
from .internal.wire.profiles import A2A, GENERIC, MCP, MCP_2025_11_25, PROFILES, parse_profile
from .internal.wire.retry import parse_retry_after

from . import builtin  # isort: skip  # its classes stand on what is above

__all__ = [
    "A2A",
    "GENERIC",
    "MCP",
    "MCP_2025_11_25",
    "PROFILES",
    "Catalog",
    "Code",
    "Definition",
    "Error",
    "FormError",
    "GRPCHeaders",
    "Guard",
    "HTTPError",
    "JSONRPCError",
    "Limits",
    "NotAnError",
    "Profile",
    "ProfileError",
    "ProfileMember",
    "RawDetail",
    "Received",
    "TypedError",
    "Wire",
    "builtin",
    "code_from_connect_http",
    "code_from_http",
    "decode_connect",
    "decode_grpc",
    "decode_http",
    "decode_jsonrpc",
    "decode_problem",
    "decode_status_json",
    "definition_of",
    "encode_connect",
    "encode_grpc",
    "encode_http",
    "encode_jsonrpc",
    "encode_problem",
    "encode_status_json",
    "forward",
    "from_status",
    "linked",
    "parse_profile",
    "parse_retry_after",
    "to_status",
]
