"""What the writers of several forms share."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable

from .. import hub
from ..hub import Detail, Received, Wire
from ..jsontree import Node, quote
from ..protojson import Fidelity
from . import forms
from .carried import Ride, Shape, Writing, untyped_text, wrapped_text
from .detail import known_part
from .member import Place, PlaceOf, split_members
from .options import DETAIL_DEPTH


def detail_json(w: Writing, i: int) -> str | None:
    """Return a detail as JSON, None where it does not stand in the form, and note whether it
    rides along."""
    detail = w.details[i]
    if w.wrap and (detail.empty if detail.json is None else not detail.type_url):
        w.rides.append(Ride(i, True))
        return wrapped_text(detail)
    if detail.json is None:
        if detail.empty:
            return "{}"
        text, fidelity = w.codec.any_text(detail.type_url, detail.value, DETAIL_DEPTH)
        if fidelity is Fidelity.NONE:
            value = b64encode(detail.value).decode()
            return f'{{"@type":{quote(detail.type_url)},"@value":"{value}"}}'
        if fidelity is Fidelity.KNOWN:
            w.rides.append(Ride(i, True))
        return text
    if w.shape is Shape.OBJECTS and not detail.type_url:
        w.rides.append(Ride(i, False))
        return None
    return detail.json


def details_member(w: Writing) -> str:
    """Return the member with the details of a JSON form, after a comma; "" without any."""
    if not w.details:
        return ""
    parts = [text for i in range(len(w.details)) if (text := detail_json(w, i)) is not None]
    return ',"details":[' + ",".join(parts) + "]" if parts else ""


def rest_members(
    w: Writing,
    wire: Wire,
    writes_number: bool,
    place_of: PlaceOf,
    says: Callable[[Received], Received] | None = None,
) -> str:
    """Return the members that rode along on the wire that is written and stand there, and
    the member that Carried is, where one is needed, each after a comma."""
    members = w.error.on(wire).members if w.error.received else ""
    foreign = False

    def split(beside: Place) -> str:
        def place(name: str, node: Node) -> Place:
            nonlocal foreign
            if name == forms.CARRIED:
                foreign = True
                return beside
            return place_of(name, node)

        stands, riding = split_members(members, place)

        def rest(r: Received) -> Received:
            if r.wire == wire:
                r = Received(r.wire, r.number, r.code_text, r.http_status, riding, r.unknown_fields)
            return r if says is None else says(r)

        w.received.clear()
        w.receive(writes_number, rest)
        return stands

    rides = bool(w.error.received) or not (writes_number or hub.canonical(w.error.number))
    stands = split(Place.STANDS) if rides else ""
    if not w.carries(wire):
        return stands
    if foreign:  # another's member of that name gives way
        stands = split(Place.RIDES)
    return f'{stands},"{forms.CARRIED}":{w.codec.text(w.carried())}'


def binary_details(w: Writing) -> list[Detail]:
    """Return the details that a binary form shows."""
    if all(detail.json is None for detail in w.details):
        return list(w.details)
    shown = []
    for i, detail in enumerate(w.details):
        if detail.json is None:
            shown.append(detail)
            continue
        value = known_part(w.codec, detail)
        if value is not None:
            shown.append(Detail(detail.type_url, value))
        w.rides.append(Ride(i, value is not None))
    return shown


def with_carried(w: Writing, shown: list[Detail], wire: Wire) -> list[Detail]:
    """Return the details of a binary form with the Carried, where one is needed."""
    if w.carries(wire):
        shown.append(Detail(hub.URL_CARRIED, w.carried_bytes()))
    return shown


__all__ = ["binary_details", "detail_json", "details_member", "rest_members", "untyped_text", "with_carried"]
