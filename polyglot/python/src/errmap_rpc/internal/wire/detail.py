"""Details: what they say as their types."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo

from .. import hub
from ..hub import Detail
from ..jsontree import MISSING, Node, compact, doubled, length, parse_or_missing, text_of
from ..protojson import Codec, decode_base64, parse
from ..schema import Catalog, Definition


def node_of(detail: Detail) -> Node:
    """Return the JSON of a detail, which was read before."""
    if detail.node is None:
        detail.node = parse_or_missing(detail.json or "{}")
    return detail.node


def element(codec: Codec, node: Node, notes: hub.Notes) -> Detail:
    """Read an element of a list of details. It is bytes where it is the empty Any, has the
    "@value" form, or is ProtoJSON that this program reads whole; else it is the JSON that it
    is, of a typed one each member once."""
    if not isinstance(node, dict):
        return Detail(json=compact(node))
    if not node:
        return Detail()
    kind = node.get("@type", MISSING)
    if kind is MISSING:
        return Detail(json=compact(node))
    if doubled(node):
        notes.add(f"a detail of type {hub.quoted(text_of(kind), 128)} has a member twice: the first counts")
    if type(kind) is not str:
        return Detail(json=compact(node, once=True))
    return read_bytes(codec, node, kind) or Detail(text_of(kind), json=compact(node, once=True))


def read_bytes(codec: Codec, node: Node, kind: str) -> Detail | None:
    """Read a typed element as bytes, None where it stays JSON."""
    value = node.get("@value")
    if type(value) is str and only_of(node, "@type", "@value"):
        data = decode_base64(text_of(value))
        return None if data is None else Detail(text_of(kind), data)
    found = codec.read_any(node)
    return None if found is None else Detail(*found)


def only_of(node: dict[str, Node], *names: str) -> bool:
    return all(name in names for name in node)


def typed_node(node: Node) -> bool:
    """Tell whether a JSON element is an object with a string "@type"."""
    return isinstance(node, dict) and type(node.get("@type")) is str


def readable(codec: Codec, details: list[Detail]) -> list[Detail]:
    """Return details as a reader with this catalogue has them: one without it may have kept
    as JSON what is a message here."""
    out: list[Detail] | None = None
    for i, detail in enumerate(details):
        if detail.json is None or not detail.type_url or not codec.linked(detail.type_url):
            continue
        node = node_of(detail)
        if isinstance(node, dict) and type(node.get("@type")) is str:
            read = read_bytes(codec, node, node["@type"])
            if read is not None:
                out = list(details) if out is None else out
                out[i] = read
    return details if out is None else out


def known_part(codec: Codec, detail: Detail) -> bytes | None:
    """Return the bytes of what a detail says as its type: of JSON, the members that the
    type knows. None where the type is not linked or cannot read the element: no part of
    such a detail counts."""
    if detail.json is None:
        return detail.value
    if not detail.type_url:
        return None
    found = codec.read_known(node_of(detail))
    return None if found is None else found[1]


def error_info(codec: Codec, detail: Detail) -> ErrorInfo | None:
    """Read a detail as an ErrorInfo that names an error: None where it is none, cannot be
    read, or has no reason."""
    if detail.name != hub.ERROR_INFO:
        return None
    info: Any = detail.info
    if info is None:
        value = known_part(codec, detail)
        info = (parse(ErrorInfo, value) if value is not None else None) or False
        if detail.json is None:
            detail.info = info
    return info if info and info.reason else None


def identity(codec: Codec, catalog: Catalog, details: list[Detail]) -> ErrorInfo | None:
    """Return the first ErrorInfo whose domain is known, else the first."""
    first: ErrorInfo | None = None
    for detail in details:
        info = error_info(codec, detail)
        if info is None:
            continue
        if catalog.knows_domain(info.domain):
            return info
        if first is None:
            first = info
    return first


def definition(details: list[Detail], catalog: Catalog) -> Definition | None:
    """Return what the catalogue has for the identity of an error: of the first ErrorInfo
    whose domain it knows."""
    for detail in details:
        info = error_info(catalog.codec, detail)
        if info is not None and catalog.knows_domain(info.domain):
            return catalog.find(info.domain, info.reason)
    return None


def find_detail(codec: Codec, details: list[Detail], cls: type[Message]) -> Message | None:
    """Return the first detail of a type that can be read."""
    for detail in details:
        if detail.name == cls.DESCRIPTOR.full_name:
            value = known_part(codec, detail)
            message = parse(cls, value) if value is not None else None
            if message is not None:
                return message
    return None


def retry_info(codec: Codec, details: list[Detail]) -> RetryInfo | None:
    """Return the first RetryInfo that has a delay which can be read."""
    for detail in details:
        if detail.name == hub.RETRY_INFO:
            value = known_part(codec, detail)
            info = parse(RetryInfo, value) if value is not None else None
            if isinstance(info, RetryInfo) and info.HasField("retry_delay"):
                return info
    return None


def members_of(node: dict[str, Node]) -> int:
    return length(node)
