"""The message types of the program, and their ProtoJSON."""

from __future__ import annotations

import functools

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any
from google.protobuf.descriptor import Descriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.empty_pb2 import Empty
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.wrappers_pb2 import BoolValue
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from errmap.v1.carried_pb2 import Carried
from errmap.v1.error_pb2 import ErrorOptions

from ..protojson import Codec

_BASE = (
    ErrorInfo,
    Status,
    Any,
    Duration,
    Empty,
    FieldMask,
    Struct,
    Timestamp,
    BoolValue,
    Carried,
    ErrorOptions,
)


class Linked:
    """Finds every type whose module was imported."""

    def find_message(self, name: str) -> type[Message] | None:
        try:
            descriptor = descriptor_pool.Default().FindMessageTypeByName(name)
        except KeyError:
            return None
        return message_factory.GetMessageClass(descriptor)


@functools.cache
def linked_codec() -> Codec:
    """Return the ProtoJSON of every type whose module was imported."""
    return Codec(Linked())


@functools.cache
def base_types() -> dict[str, type[Message]]:
    """Return the details of google.rpc, google.rpc.Status, the well-known types and
    errmap.v1."""
    types: dict[str, type[Message]] = {}
    for cls in _BASE:
        for descriptor in cls.DESCRIPTOR.file.message_types_by_name.values():
            _add_message(types, descriptor)
    return types


def add_types(types: dict[str, type[Message]], descriptor: Descriptor) -> None:
    """Add the types of a file and of its imports."""
    seen: set[str] = set()
    queue = [descriptor.file]
    while queue:
        file = queue.pop()
        if file.name in seen:
            continue
        seen.add(file.name)
        queue.extend(file.dependencies)
        for message in file.message_types_by_name.values():
            _add_message(types, message)


def _add_message(types: dict[str, type[Message]], descriptor: Descriptor) -> None:
    if not descriptor.GetOptions().map_entry:
        types.setdefault(descriptor.full_name, message_factory.GetMessageClass(descriptor))
        for nested in descriptor.nested_types:
            _add_message(types, nested)
