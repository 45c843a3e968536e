"""What the caller of a server may see (section 10 of the wire contract)."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import TypeVar

from google.rpc.error_details_pb2 import RequestInfo

from .error import Error, changed
from .internal import hub
from .internal.code import Code
from .internal.schema import linked
from .internal.wire.debug import without_debug

__all__ = ["Guard", "forward"]

E = TypeVar("E", bound=Error)

_log = logging.getLogger("errmap_rpc")


def forward(error: E) -> E:
    """Mark the error that a peer sent, or that a call met here, as one that is for the
    caller too: a handler that raises it sends all of it on. Of a local error the code and
    the RetryInfo go, and all text, which may name addresses, stays behind."""
    data = error._data.copy()
    data.forwarded = True
    return changed(error, data)


class Guard:
    """Stands where errors leave a server. Only an error that the program made for the
    caller speaks: an errmap_rpc.Error that is neither remote nor local, or that was
    forwarded. Any other exception goes out as INTERNAL with a fixed text, and goes whole
    to the log, with an id that the caller gets too, in a google.rpc.RequestInfo."""

    def __init__(
        self,
        *,
        log: Callable[[BaseException, str], None] | None = None,
        hidden_message: str = "internal error",
        debug_info: bool = False,
    ) -> None:
        """log is called with each exception that is kept from a caller, and its id; the
        default logs to the logger "errmap_rpc", as does one that raises an exception.
        debug_info lets google.rpc.DebugInfo leave the server, and members that a peer sent
        beside what its wire defines, in which frameworks put stacks."""
        self._log = log if log is not None else _log_report
        self._hidden_message = hidden_message
        self._debug_info = debug_info

    def outgoing(self, error: BaseException) -> Error:
        """Return what the caller of a request may see of a handler's exception."""
        if isinstance(error, Error) and (error._data.forwarded or not (error.remote or error.local)):
            return self._strip(error)
        request_id = secrets.token_hex(8).upper()
        self._report(error, request_id)
        hidden = Error(Code.INTERNAL, self._hidden_message)
        return hidden.with_detail(RequestInfo(request_id=request_id))

    def _report(self, error: BaseException, request_id: str) -> None:
        """Call the log. One that raises must not take the answer with it."""
        try:
            self._log(error, request_id)
        except Exception:
            _log.exception("the log of errors failed")
            _log_report(error, request_id)

    def _strip(self, error: Error) -> Error:
        if error.local:
            data = error._data.copy()
            data.message = error.code.name.lower().replace("_", " ")
            data.received = ()
            data.details = [d for d in data.details if d.json is None and d.name == hub.RETRY_INFO]
            error = changed(error, data)
        if self._debug_info:
            return error
        data = without_debug(error._data, linked().codec)
        return error if data is error._data else changed(error, data)


def _log_report(error: BaseException, request_id: str) -> None:
    _log.error("error kept from the caller, request id %s", request_id, exc_info=error)
