"""What rode along, believed or dropped."""

from __future__ import annotations

from google.protobuf.unknown_fields import UnknownFieldSet

from errmap.v1 import carried_pb2

from .. import hub
from ..hub import Detail
from ..jsontree import MISSING, JSONError, Node, compact, get, parse, text_of
from ..protojson import parse as parse_message
from .carried import Shape, detail_sums, head_sum
from .compare import contains
from .decode import Reading, reread
from .detail import known_part
from .options import DEFAULT_DEPTH
from .received import restore_received


def restore(r: Reading, shape: Shape, member: Node = MISSING) -> bool:
    """Finish an error that was read plain: take the Carried out of the details, or out of
    the member that it is, and where it is to be believed, put back what it holds. Tell
    whether there was one to believe."""
    error = r.error
    details = error.details
    last = -1
    for i, detail in enumerate(details):
        if detail.name == hub.CARRIED:
            last = i
    if last < 0 and member is MISSING:
        return False
    carried: carried_pb2.Carried | None = None
    front = last
    if member is not MISSING:
        read = r.codec.read_message(carried_pb2.Carried, member)
        carried = read if isinstance(read, carried_pb2.Carried) else None
        front = len(details)
    else:
        value = known_part(r.codec, details[last])
        found = parse_message(carried_pb2.Carried, value) if value is not None else None
        carried = found if isinstance(found, carried_pb2.Carried) else None
    plain = []
    for i, detail in enumerate(details[:front]):
        if detail.name == hub.CARRIED:
            r.note(f"errmap.v1.Carried dropped: detail {i} is not the last one")
        else:
            plain.append(detail)
    after: list[Detail] = []
    if member is not MISSING:
        # It is about as many details as it sums; those after are somebody's.
        about = (len(carried.check) - 4) // 8 if carried is not None else 0
        if 0 <= about < len(plain):
            plain, after = plain[:about], plain[about:]
    else:
        after = details[last + 1 :]
    error.details = plain + after
    if carried is None:
        r.note("errmap.v1.Carried dropped: it cannot be read")
        return False
    held: list[Detail] = []
    why = _doubt(r, carried, plain, shape, held)
    if why:
        r.note(f"errmap.v1.Carried dropped: {why}")
        return False
    if member is MISSING and _has_later_fields(carried):
        r.note("errmap.v1.Carried: fields that its schema does not know dropped")
    error.details = _placed(r, carried, held, plain) + after
    if carried.received:
        restore_received(error, carried.received)
    return True


def _has_later_fields(carried: carried_pb2.Carried) -> bool:
    return any(len(UnknownFieldSet(m)) for m in (carried, *carried.received, *carried.details))


def _doubt(r: Reading, carried: carried_pb2.Carried, plain: list[Detail], shape: Shape, held: list[Detail]) -> str:
    """Say why a Carried is not to be believed, "" where it is; held gets the details that it
    holds."""
    sums = carried.check
    if len(sums) != 4 + 8 * len(plain):
        return "it was written for another number of details"
    if int.from_bytes(sums[:4], "big") != head_sum(r.error.number, r.error.message):
        return "it was written for another code or message"
    for i, detail in enumerate(plain):
        name, text = detail_sums(r.codec, detail, False)
        want_name = int.from_bytes(sums[4 + 8 * i : 8 + 8 * i], "big")
        want_text = int.from_bytes(sums[8 + 8 * i : 12 + 8 * i], "big")
        if name != want_name or (text != want_text and text and want_text):
            return f"it was written for another detail {i}"
    following = used = 0
    for item in carried.details:
        detail = _from_carried(item)
        held.append(detail)
        if item.WhichOneof("content") is None or detail.name == hub.CARRIED or item.place < following:
            return "a detail in it is malformed"
        used += item.place - following
        following = item.place + 1
        if used > len(plain) or (item.plain and used == len(plain)):
            return "a detail in it has no place"
        if item.plain:
            if not contains(r.codec, detail, plain[used]):
                return "a detail in it says something else than the plain one"
            used += 1
        elif not _unshowable(r, detail, shape):
            return "a detail in it could have been plain"
    return ""


def _unshowable(r: Reading, detail: Detail, shape: Shape) -> bool:
    """Tell whether a detail has no plain form on a kind of wire. What is of a type of
    google.rpc and can be read as that has one on each."""
    if detail.json is None or shape is Shape.ELEMENTS or (shape is Shape.OBJECTS and detail.type_url):
        return False
    return not detail.name.startswith("google.rpc.") or known_part(r.codec, detail) is None


def _placed(r: Reading, carried: carried_pb2.Carried, held: list[Detail], plain: list[Detail]) -> list[Detail]:
    """Put the carried details in their places among the plain ones."""
    out: list[Detail] = []
    at = 0
    for item, detail in zip(carried.details, held, strict=True):
        missing = item.place - len(out)
        out += plain[at : at + missing]
        at += missing + (1 if item.plain else 0)
        if detail.json is not None and detail.json.startswith("{"):  # as it would have been read there
            detail = reread(r, detail.json)
        out.append(detail)
    return out + plain[at:]


def _from_carried(item: carried_pb2.CarriedDetail) -> Detail:
    """Return a carried detail; one whose JSON cannot be read as a Carried, which none
    holds."""
    if item.WhichOneof("content") != "json":
        return Detail(item.type_url, item.value)
    try:
        root = parse(item.json, DEFAULT_DEPTH)
    except JSONError:
        return Detail(hub.CARRIED)
    kind = get(root, "@type")
    return Detail(text_of(kind), json=compact(root))
