"""What goes first where an error is larger than gRPC headers may be."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from google.rpc.error_details_pb2 import ErrorInfo

from . import _protojson
from ._render import known_part
from ._settle import EncodeOptions
from ._text import Notes, byte_length, clip, cut
from .detail import DEBUG_INFO, ERROR_INFO, HELP, LOCALIZED_MESSAGE, RETRY_INFO, RawDetail
from .error import Error, changed

H = TypeVar("H")

_log = logging.getLogger("errmap_rpc")


def fit(
    error: Error,
    options: EncodeOptions,
    encode: Callable[[Error, EncodeOptions], H],
    size: Callable[[H], int],
) -> H:
    """Encode an error, without the parts that do not fit into the budget: they go in
    the order of section 5 of the wire contract, and notes say what went. Only the code
    is never taken."""
    out = encode(error, options)
    if options.budget < 0 or size(out) <= options.budget:
        return out
    quiet = replace(options, on_note=None)
    fitter = _Fitter(error, quiet, lambda e, o: size(encode(e, o)) <= options.budget)
    fitter.run()
    fitter.notes.give(options.on_note)
    if options.on_note is None:
        _log.warning("parts of an error did not fit into gRPC headers: %s", fitter.notes.items)
    return encode(fitter.error, fitter.options)


class _Fitter:
    def __init__(
        self, error: Error, options: EncodeOptions, fits: Callable[[Error, EncodeOptions], bool]
    ) -> None:
        self.error = error
        self.options = options
        self.notes = Notes()
        self._fits = fits

    def fits(self) -> bool:
        return self._fits(self.error, self.options)

    def run(self) -> None:
        for step in (
            self.drop_text,
            lambda: self.drop(DEBUG_INFO),
            lambda: self.drop(HELP, LOCALIZED_MESSAGE),
            self.drop_largest,
            self.cut_message,
            self.cut_metadata,
            self.drop_rest,
            lambda: self.drop(RETRY_INFO),
            lambda: self.drop(*{detail.name for detail in self.error.raw_details}),
        ):
            if self.fits():
                return
            step()

    def set_details(self, details: list[RawDetail]) -> None:
        self.error = changed(self.error, _details=tuple(details))

    def drop_text(self) -> None:
        """Drop the JSON text of what rides along."""
        received = []
        for said in self.error.received:
            if said.code_text or said.members:
                self.notes.add(f"over budget: JSON received on the {said.wire} wire dropped")
                said = replace(said, code_text="", members=None)
            if not said.empty:
                received.append(said)
        details = []
        for i, detail in enumerate(self.error.raw_details):
            if detail.element is not None:
                self.notes.add(f"over budget: JSON of detail {i} ({detail.name}) dropped")
                known = known_part(self.options.catalog, detail) if detail.type_url else None
                if known is None:
                    continue
                detail = known
            details.append(detail)
        self.error = changed(self.error, _received=tuple(received), _details=tuple(details))

    def drop(self, *names: str) -> None:
        kept = []
        for detail in self.error.raw_details:
            if detail.name in names:
                self._note(detail)
            else:
                kept.append(detail)
        self.set_details(kept)

    def least(self, most: int, apply: Callable[[int], None]) -> int:
        """Apply the fewest of so many steps, which shrink an error ever more, that make it
        fit, or all of them."""
        low, high = 1, most
        while low < high:
            middle = (low + high) // 2
            apply(middle)
            if self.fits():
                high = middle
            else:
                low = middle + 1
        if most:
            apply(high)
        return high

    def drop_largest(self) -> None:
        """Drop the details that are left but for ErrorInfo and RetryInfo, the largest
        first, only as many as need to go."""
        whole = self.error.raw_details
        others = [i for i, d in enumerate(whole) if d.name not in (ERROR_INFO, RETRY_INFO)]
        order = sorted(others, key=lambda i: -len(whole[i].value))

        def apply(steps: int) -> None:
            gone = set(order[:steps])
            self.set_details([d for i, d in enumerate(whole) if i not in gone])

        for i in order[: self.least(len(order), apply)]:
            self._note(whole[i])

    def cut_message(self) -> None:
        """Shorten the message to what fits, down to nothing."""
        whole = self.error.message
        low, high = 0, byte_length(whole)  # low fits or is 0; above high nothing fits
        while low < high:
            middle = (low + high + 1) // 2
            self.error = changed(self.error, _message=cut(whole, middle))
            if self.fits():
                low = middle
            else:
                high = middle - 1
        self.error = changed(self.error, _message=cut(whole, low))
        size = byte_length(self.error.message)
        self.notes.add(f"over budget: message of {byte_length(whole)} bytes cut to {size}")

    def cut_metadata(self) -> None:
        """Drop entries of ErrorInfo metadata, the largest first."""
        for i, detail in enumerate(self.error.raw_details):
            info = _protojson.parse(ErrorInfo, detail.value) if detail.name == ERROR_INFO else None
            if not isinstance(info, ErrorInfo):
                continue
            entries = sorted(
                info.metadata.items(), key=lambda kv: (-byte_length(kv[0]) - byte_length(kv[1]), kv[0])
            )

            def apply(
                steps: int,
                i: int = i,
                info: ErrorInfo = info,
                entries: list[tuple[str, str]] = entries,
            ) -> None:
                rest = ErrorInfo(reason=info.reason, domain=info.domain)
                rest.metadata.update(dict(entries[steps:]))
                details = list(self.error.raw_details)
                details[i] = replace(details[i], value=RawDetail.of(rest).value)
                self.set_details(details)

            for key, text in entries[: self.least(len(entries), apply)]:
                size = byte_length(text)
                self.notes.add(f'over budget: metadata "{clip(key, 64)}" of {size} bytes dropped')
            if self.fits():
                return

    def drop_rest(self) -> None:
        """Drop what else rides along."""
        for said in self.error.received:
            self.notes.add(f"over budget: what the {said.wire} wire said dropped")
        self.error = changed(self.error, _received=())
        self.options = replace(self.options, without_carried=True)

    def _note(self, detail: RawDetail) -> None:
        self.notes.add(f"over budget: detail {detail.name} of {len(detail.value)} bytes dropped")
