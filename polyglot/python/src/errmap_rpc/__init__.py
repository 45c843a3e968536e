"""One error on every wire.

An error is a Protobuf message with the (errmap.v1.error) option. The generator
makes an exception class of it; this package reads and writes errors as Connect,
gRPC, google.rpc.Status, HTTP+JSON (AIP-193), RFC 9457 problem details and
JSON-RPC 2.0 have them, and nothing that was in one is lost in another.

The adapters are modules of their own, since each needs a library: errmap_rpc.connect
(connectrpc), errmap_rpc.grpc (grpcio) and errmap_rpc.http (httpx).
"""

from ._decode import FormError, Limits, NotAnError
from .catalog import Catalog, linked
from .code import Code, code_from_connect_http, code_from_http
from .connect_json import from_connect_json, to_connect_json
from .definition import Definition, definition_of
from .detail import RawDetail
from .error import Error
from .generated import TypedError
from .grpc_headers import GRPCHeaders, from_grpc_headers, to_grpc_headers
from .guard import Guard, forward
from .http_json import HTTPError, from_http_json, to_http_json
from .jsonrpc import JSONRPCError, from_jsonrpc, to_jsonrpc
from .problem import from_problem, to_problem
from .profile import Profile
from .received import Received, Wire
from .retry import parse_retry_after
from .status import from_status, from_status_json, to_status, to_status_json

__all__ = [
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
    "RawDetail",
    "Received",
    "TypedError",
    "Wire",
    "code_from_connect_http",
    "code_from_http",
    "definition_of",
    "forward",
    "from_connect_json",
    "from_grpc_headers",
    "from_http_json",
    "from_jsonrpc",
    "from_problem",
    "from_status",
    "from_status_json",
    "linked",
    "parse_retry_after",
    "to_connect_json",
    "to_grpc_headers",
    "to_http_json",
    "to_jsonrpc",
    "to_problem",
    "to_status",
    "to_status_json",
]
