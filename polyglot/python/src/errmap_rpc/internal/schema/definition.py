"""What every instance of one annotated message shares."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from google.rpc import error_details_pb2 as rpc

from errmap.v1 import error_pb2

from ..code import Code
from ..hub import HELP, PREFIX, URL_ERROR_INFO, Detail, Notes, canonical
from ..protojson import Codec, parse, serialize
from . import template
from .descriptor import descriptor_of, field_named, fields_of
from .metadata import MetadataField
from .types import linked_codec

__all__ = ["Definition", "definition_of"]

_DETAIL_TYPES = frozenset(
    f"google.rpc.{name}"
    for name in (
        "BadRequest",
        "RetryInfo",
        "QuotaFailure",
        "PreconditionFailure",
        "ResourceInfo",
        "RequestInfo",
        "Help",
        "LocalizedMessage",
        "DebugInfo",
    )
)


class Definition:
    """Code, identity and texts of an annotated message, and the way from its
    fields to details and back. It is immutable."""

    def __init__(self, descriptor: Descriptor, options: error_pb2.ErrorOptions) -> None:
        self.descriptor = descriptor
        self.options = options
        if not canonical(options.code):
            raise ValueError(f"{descriptor.full_name}: {options.code} is not the code of an error")
        self.code = Code(options.code)
        self.reason = options.info.reason or reason_of(descriptor.name)
        self.domain = options.info.domain or descriptor.file.GetOptions().Extensions[error_pb2.domain]
        if not self.domain:
            raise ValueError(f"{descriptor.full_name}: there is no domain")
        self.title = options.title or self.reason
        self.problem_type = options.problem_type or default_problem_type(self.domain, self.reason)
        self.jsonrpc_code = options.jsonrpc_code
        """The number in JSON-RPC, 0 for none of its own."""
        self.http_status = options.http_status if 400 <= options.http_status <= 599 else 0
        """The HTTP status on HTTP+JSON, 0 where it is the code's."""
        self.retryable = options.retryable if options.HasField("retryable") else None
        self.constants: Mapping[str, str] = dict(options.info.metadata)
        ordered = sorted(fields_of(descriptor), key=lambda field: field.number)
        self._details = [field for field in ordered if is_detail(field)]
        self._entries = [MetadataField(field) for field in ordered if not is_detail(field)]
        self._nested = [entry for entry in self._entries if entry.desc.message_type is not None]
        self._help = detail_of(rpc.Help(links=options.help)) if options.help else None
        by_name = {entry.name: entry for entry in self._entries}
        self._template: list[tuple[str, MetadataField | None]] = []
        for part in template.parse(options.message):
            if not part.placeholder:
                self._template.append((part.text, None))
                continue
            if part.text not in descriptor.fields_by_name:
                raise ValueError(f"{descriptor.full_name}: {{{part.text}}} names no field")
            entry = by_name.get(part.text) or MetadataField(field_named(descriptor, part.text))
            self._template.append(("", entry))

    @property
    def full_name(self) -> str:
        """The full name of the message."""
        return self.descriptor.full_name

    def identifies(self, domain: str, reason: str) -> bool:
        """Tell whether an ErrorInfo is that of the definition."""
        if domain != self.domain:
            return False
        return reason == self.reason or (
            domain == DOMAIN_A2A and self.reason == REASON_EXTENDED_CARD and reason == REASON_CARD_BEFORE_10
        )

    def encode(self, message: Message, notes: Notes) -> tuple[str, list[Detail]]:
        """Return what an instance says: its text and its details, the ErrorInfo first, then
        the detail fields by number, then the option's Help."""
        texts = dict(self.constants)
        populated = {field.number for field, _ in message.ListFields()}
        codec = linked_codec()
        for entry in self._entries:
            if entry.desc.number not in populated:
                continue
            text = entry.text(message, codec)
            if text is None:
                texts.pop(entry.key, None)
                notes.add(f"field {entry.desc.full_name} left out: its value has no ProtoJSON")
            else:
                texts[entry.key] = text
        details = [info_detail(self.reason, self.domain, texts)]
        for field in self._details:
            if field.number in populated:
                detail = detail_of(getattr(message, field.name))
                if any(other.name == detail.name for other in details):
                    notes.add(f"field {field.full_name} left out: another is a {detail.name}")
                else:
                    details.append(detail)
        if self._help is not None and not any(detail.name == HELP for detail in details):
            details.append(self._help)
        if self._hides_unknown(message):
            notes.add(f"{self.full_name}: fields that its schema does not know are left out")
        return self._text(message, populated, texts), details

    def _hides_unknown(self, message: Message) -> bool:
        """Tell whether the message has fields that its schema does not know, itself or in
        what is metadata."""
        if len(UnknownFieldSet(message)):
            return True
        if not any(entry.is_set(message) for entry in self._nested):
            return False
        known = type(message)()
        known.CopyFrom(message)
        for field in self._details:
            known.ClearField(field.name)
        whole = serialize(known)
        known.DiscardUnknownFields()
        return serialize(known) != whole

    def _text(self, message: Message, populated: set[int], texts: Mapping[str, str]) -> str:
        text = ""
        for literal, entry in self._template:
            if entry is None:
                text += literal
                continue
            if entry.desc.number not in populated or entry.key not in texts:
                return self.title
            text += texts[entry.key]
        return text if self._template else self.title

    def decode(
        self,
        message: Message,
        metadata: Mapping[str, str],
        find: Callable[[str], bytes | None],
        codec: Codec,
    ) -> None:
        """Set the fields of message from metadata and, by type, from the first detail that
        find returns. What cannot be read stays unset."""
        for entry in self._entries:
            text = metadata.get(entry.key)
            if text is not None:
                entry.set(message, text, codec)
        for field in self._details:
            assert field.message_type is not None
            data = find(field.message_type.full_name)
            oneof = field.containing_oneof
            if data is None or (oneof is not None and message.WhichOneof(oneof.name) is not None):
                continue
            inner = parse(type(getattr(message, field.name)), data)
            if inner is not None:
                getattr(message, field.name).CopyFrom(inner)


def info_detail(reason: str, domain: str, metadata: Mapping[str, str]) -> Detail:
    """Return an ErrorInfo as a detail."""
    info = rpc.ErrorInfo(reason=reason, domain=domain, metadata=metadata)
    detail = Detail(URL_ERROR_INFO, serialize(info))
    detail.info = info
    return detail


def detail_of(message: Message) -> Detail:
    """Return a message as a detail."""
    return Detail(PREFIX + message.DESCRIPTOR.full_name, serialize(message))


DOMAIN_A2A = "a2a-protocol.org"
REASON_EXTENDED_CARD = "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
REASON_CARD_BEFORE_10 = "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED"


def definition_of(cls: type[Message]) -> Definition | None:
    """Return the definition of an annotated message class, None for a message
    that carries no (errmap.v1.error) option. Raises ValueError where the option
    makes no error."""
    return _definition_of(descriptor_of(cls))


@functools.cache
def _definition_of(descriptor: Descriptor) -> Definition | None:
    options = descriptor.GetOptions()
    if not options.HasExtension(error_pb2.error):
        return None
    return Definition(descriptor, options.Extensions[error_pb2.error])


def is_detail(field: FieldDescriptor) -> bool:
    """Tell whether a field travels as a detail of its own."""
    return field.message_type is not None and not field.is_repeated and field.message_type.full_name in _DETAIL_TYPES


def reason_of(name: str) -> str:
    """Return the reason of a message that names none: UPPER_SNAKE_CASE of its
    name, without a trailing _ERROR."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return snake.upper().removesuffix("_ERROR")


def kebab(reason: str) -> str:
    """Return a reason in kebab-case; only ASCII changes."""
    return re.sub(r"[A-Z_]", lambda m: "-" if m[0] == "_" else m[0].lower(), reason)


def default_problem_type(domain: str, reason: str) -> str:
    """Return the problem type of an identity whose definition names none, "" where
    it would be no URI."""
    uri = f"https://{domain}/errors/{kebab(reason)}"
    if not domain or not reason or re.search(r"[^\x21-\x7e]|[\"<>\\^`{|}]", uri):
        return ""
    if re.search(r"%(?![0-9A-Fa-f]{2})", uri):
        return ""
    try:
        return uri if urlsplit(uri).hostname else ""
    except ValueError:
        return ""
