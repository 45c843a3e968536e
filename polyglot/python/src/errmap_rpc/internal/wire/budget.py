"""The budget of gRPC's headers: sizes by arithmetic."""

from __future__ import annotations

from .. import hub
from ..hub import Wire
from .budgetfit import Fitting
from .options import Encoding


def fit(error: hub.Error, options: Encoding, own: Wire | None) -> hub.Error:
    """Return the error whose three headers are within the budget, and note what was left out
    for that; the error itself where it is within. own is GRPC where the unknown fields that
    gRPC received stand in the Status itself, and None where they ride along too. The code is
    never left out.

    What is left out is decided by arithmetic: an account has the sizes of what is written,
    from which the size of the headers follows, and parts are added to it in the order of the
    contract, each if the whole stays within the budget."""
    if options.budget < 0 or _size_at_most(error) <= options.budget:
        return error
    fitting = Fitting(error, options, own)
    if len(fitting.text) <= options.budget:  # a longer one is not looked through
        whole = fitting.whole()
        if whole.size <= options.budget or whole == fitting.base():
            return error
    fitting.run()
    options.noted(fitting.notes)
    return fitting.result()


def _size_at_most(error: hub.Error) -> int:
    """Return what the headers of an error take at most, at a glance. It does not look into
    JSON: the known part of it takes no more than eight times its bytes."""
    message = len(error.message) * 4
    n = 256 + message
    for d in error.details:
        n += 64 + len(d.type_url) * 4 + len(d.value)
        if d.json is not None:
            n += len(d.json) * (36 if d.type_url else 4)
    for r in error.received:
        n += 64 + 12 * (len(r.number) + len(r.code_text)) + 4 * len(r.members) + len(r.unknown_fields)
    return 256 + 3 * message + (n * 8 + 5) // 6
