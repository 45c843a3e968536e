"""Descriptors, whichever implementation of Protobuf they are of."""

from __future__ import annotations

from typing import cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message


def descriptor_of(message: Message | type[Message]) -> Descriptor:
    """Return the descriptor of a message or of its class."""
    return cast("Descriptor", message.DESCRIPTOR)


def fields_of(descriptor: Descriptor) -> list[FieldDescriptor]:
    """Return the fields in the order of the schema."""
    return cast("list[FieldDescriptor]", list(descriptor.fields))


def field_named(descriptor: Descriptor | None, name: str) -> FieldDescriptor:
    """Return a field that is there."""
    assert descriptor is not None
    return descriptor.fields_by_name[name]
