"""What is for debugging alone, taken out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from google.protobuf.message import Message

from .. import hub
from ..hub import Detail
from ..jsontree import MISSING, Node, text_of
from ..protojson import Codec, parse, serialize
from .detail import node_of


def without_debug(error: hub.Error, codec: Codec) -> hub.Error:
    """Return an error without what is for debugging alone: each google.rpc.DebugInfo, in an
    Any inside a detail too, in a Struct that says to be one and in JSON, and the members that
    peers put beside what their wires define, in which frameworks put stacks. It is the error
    itself where there is nothing of the kind."""
    if not any(map(_may_hold, error.details)) and not any(r.members for r in error.received):
        return error
    clean = error.copy()
    clean.details = []
    for detail in error.details:
        left = _strip_detail(detail, codec) if _may_hold(detail) else detail
        if left is not None:
            clean.details.append(left)
    bare = [replace(r, members="") for r in error.received]
    clean.received = tuple(r for r in bare if not r.empty)
    return clean


_NAME = hub.DEBUG_INFO.encode()


def _may_hold(detail: Detail) -> bool:
    """Tell whether a detail is a DebugInfo or names one somewhere. In JSON a name may be
    hidden behind escapes."""
    if detail.name == hub.DEBUG_INFO:
        return True
    if detail.json is not None:
        return hub.DEBUG_INFO in detail.json or "\\" in detail.json
    return detail.name != hub.ERROR_INFO and _NAME in detail.value


def _strip_detail(detail: Detail, codec: Codec) -> Detail | None:
    """Take a DebugInfo out of a detail; None where nothing is left of it, or where it cannot
    be looked into."""
    if detail.name == hub.DEBUG_INFO:
        return None
    if detail.json is not None:
        node = node_of(detail)
        return None if node is MISSING or _says_debug(node) else detail
    link = codec.link(detail.type_url)
    message = parse(link.cls, detail.value) if link is not None and detail.name != hub.CARRIED else None
    if message is None or _is_debug(message):
        return None
    if _strip(message, codec, 90):
        return Detail(detail.type_url, serialize(message))
    return detail


def _says_debug(node: Node) -> bool:
    """Tell whether an object in JSON says to be a DebugInfo."""
    stack = [node]
    while stack:
        node = stack.pop()
        if type(node) is list:
            stack += node
        elif isinstance(node, dict):
            members = getattr(node, "members", None)
            kinds = [node.get("@type")] + ([value for _, value in members] if members else [])
            if any(hub.bare_name(text_of(kind)) == hub.DEBUG_INFO for kind in kinds):
                return True
            stack += [value for _, value in members] if members else node.values()
    return False


def _is_debug(message: Any) -> bool:
    """Tell whether a message is a DebugInfo, holds one as an Any, or is a Struct that says to
    be one."""
    name = message.DESCRIPTOR.full_name
    if name == "google.protobuf.Any":
        return hub.bare_name(message.type_url) == hub.DEBUG_INFO
    if name == "google.protobuf.Struct":
        return "@type" in message.fields and hub.bare_name(message.fields["@type"].string_value) == hub.DEBUG_INFO
    return bool(name == hub.DEBUG_INFO)


def _strip(message: Any, codec: Codec, levels: int) -> bool:
    """Take each DebugInfo out of a message and tell whether there was one."""
    if levels == 0:
        return False
    if message.DESCRIPTOR.full_name == "google.protobuf.Any":
        return _strip_any(message, codec)
    changed = False
    for field, content in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            if field.message_type.fields_by_name["value"].message_type is None:
                continue
            for key in list(content):
                if _is_debug(content[key]):
                    del content[key]
                    changed = True
                else:
                    changed = _strip(content[key], codec, levels - 1) or changed
        elif field.is_repeated:
            kept = [each for each in content if not _is_debug(each)]
            for each in kept:
                changed = _strip(each, codec, levels - 1) or changed
            if len(kept) < len(content):
                copies: list[Message] = [type(each).FromString(serialize(each)) for each in kept]
                del content[:]
                content.extend(copies)
                changed = True
        elif _is_debug(content):
            message.ClearField(field.name)
            changed = True
        else:
            changed = _strip(content, codec, levels - 1) or changed
    return changed


def _strip_any(message: Any, codec: Codec) -> bool:
    """Take each DebugInfo out of what an Any holds."""
    inner = Detail(message.type_url, message.value)
    if not _may_hold(inner):
        return False
    left = _strip_detail(inner, codec)
    if left is None:
        message.Clear()
        return True
    changed = left.value != inner.value
    message.value = left.value
    return changed
