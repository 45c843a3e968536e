"""The members that each form itself has."""

from __future__ import annotations

from .. import hub
from .member import Names

CARRIED = "errmap"
"""The member that Carried is in the forms of HTTP and the status form."""

CONNECT = Names("code", "message", "details")
CONNECT_DETAIL = Names("type", "value", "debug")
STATUS = Names("code", "message", "details", CARRIED)
HTTP = Names("code", "message", "status", "details", CARRIED)
PROBLEM = Names(
    *("type", "title", "status", "detail", "code", "reason", "domain", "metadata", "details", "errors"),
    CARRIED,
)
JSONRPC = Names("code", "message", "data")

OF = {
    hub.Wire.CONNECT: CONNECT,
    hub.Wire.GRPC: Names(),
    hub.Wire.STATUS: STATUS,
    hub.Wire.HTTP: HTTP,
    hub.Wire.PROBLEM: PROBLEM,
    hub.Wire.JSONRPC: JSONRPC,
}
