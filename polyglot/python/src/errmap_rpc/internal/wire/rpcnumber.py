"""Which number an error has on JSON-RPC, and which code a number means."""

from __future__ import annotations

from typing import NamedTuple

from ..code import code_by_number, row
from ..hub import ERROR_INFO, Detail
from ..schema import Catalog, Definition
from .detail import error_info
from .profile import Profile


class Standing(NamedTuple):
    """What an error is in the catalogue of its reader, and among the errors that the profile
    itself defines; None where it is none."""

    known: Definition | None
    own: Definition | None

    @property
    def definition(self) -> Definition | None:
        """What a reader goes by: the catalogue first."""
        return self.known or self.own


def standing_of(details: list[Detail], profile: Profile, catalog: Catalog) -> Standing:
    known = own = None
    is_known, is_own = False, not profile.domain
    for detail in details:
        if detail.name != ERROR_INFO or (is_known and is_own):
            continue
        info = error_info(catalog.codec, detail)
        if info is None:
            continue
        if not is_known and catalog.knows_domain(info.domain):
            known, is_known = catalog.find(info.domain, info.reason), True
        if not is_own and info.domain == profile.domain:
            own, is_own = profile.own.find(profile.domain, info.reason), True
    return Standing(known, own)


def implied(profile: Profile, number: int, standing: Standing) -> int:
    """Return the number that an error has of its own: the profile's for an error that it
    defines; the catalogue's for its identity, if the profile may write it; else the table's."""
    definition = standing.definition
    if definition is not None:
        own = profile.entry_of(definition)
        if own is not None:
            if not own.read_only:
                return own.number
        elif not (profile.domain and definition.domain == profile.domain):
            code = definition.jsonrpc_code
            if code and profile.may(code):
                return code
    return row(number).jsonrpc


def code_of(profile: Profile, standing: Standing, number: int) -> int:
    """Return the code that a reader arrives at without a marker."""
    definition = standing.definition
    if definition is not None:
        return int(definition.code)
    own = profile.by_number.get(number)
    if own is not None:
        return int(own.definition.code)
    code = profile.codes.get(number)
    return code_by_number(number) if code is None else int(code)
