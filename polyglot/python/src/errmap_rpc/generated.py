"""What generated code stands on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo

from .error import Error, error_of
from .internal import hub
from .internal.schema import Catalog, Definition, definition_of, linked, register
from .internal.wire import detail as details

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Message", "TypedError", "find_error"]

T = TypeVar("T", bound="TypedError")


class TypedError(Error):
    """An error that an annotated message says. Each such message has a subclass,
    which the generator writes: its constructor takes the fields, its properties
    have them."""

    DOMAIN: ClassVar[str]
    REASON: ClassVar[str]
    MESSAGE: ClassVar[type[Message]]

    _made: Message | None = None

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "MESSAGE" in cls.__dict__:
            register(cls)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        message = type(self).MESSAGE(**{k: v for k, v in fields.items() if v is not None})
        definition = definition_of(type(self).MESSAGE)
        if definition is None:
            raise TypeError(f"{type(self).__name__} is of no annotated message")
        data = hub.Error(int(definition.code))
        data.message, data.details = definition.encode(message, data.notes)
        self._start(data)
        self._made = message

    @classmethod
    def _of(cls, error: Error) -> Self | None:
        """Return an error as one of this class, with its fields; None where it is another.
        Any ErrorInfo of the error may be that of the class."""
        return as_error(error, cls)

    @property
    def _fields(self) -> Message:
        """The message, which for an error that was read is made when it is first looked at."""
        if self._made is None:
            self._made = _decoded(self._data, type(self))
        return self._made

    @property
    def fields(self) -> Message:
        """A copy of the message with the fields of the error."""
        clone = type(self._fields)()
        clone.CopyFrom(self._fields)
        return clone

    @property
    def reason(self) -> str:
        """The reason of the class."""
        return type(self).REASON

    @property
    def domain(self) -> str:
        """The domain of the class."""
        return type(self).DOMAIN

    def which_oneof(self, name: str) -> str | None:
        """Return the name of the field of a oneof that is set, None for none."""
        return cast("str | None", self._fields.WhichOneof(name))

    def _field(self, name: str) -> Any:
        content = getattr(self._fields, name)
        return content if isinstance(content, (str, int, float, bytes)) else getattr(self.fields, name)

    def _presence(self, name: str) -> Any:
        return self._field(name) if self._fields.HasField(name) else None

    def __reduce__(self) -> tuple[Any, ...]:
        make, args, state = super().__reduce__()
        return make, args, {**state, "_made": self._fields.SerializePartialToString()}

    def __setstate__(self, state: Mapping[str, Any] | None) -> None:
        for name, value in (state or {}).items():
            setattr(self, name, type(self).MESSAGE.FromString(value) if name == "_made" else value)


def as_error(error: Error, cls: type[T]) -> T | None:
    """Return an error as one of a generated class, None where it is another."""
    if isinstance(error, cls):
        return error
    definition = definition_of(cls.MESSAGE)
    if definition is None:
        return None
    if _info(error._data, definition) is None:
        return None
    typed = _typed(error._data, cls)
    typed.__cause__ = error.__cause__
    return typed


def _info(data: hub.Error, definition: Definition) -> ErrorInfo | None:
    """Return the first ErrorInfo that is a definition's."""
    codec = linked().codec
    for detail in data.details:
        info = details.error_info(codec, detail)
        if info is not None and definition.identifies(info.domain, info.reason):
            return info
    return None


def find_error(error: BaseException | None, cls: type[T]) -> T | None:
    """Return an error, or what caused it, as one of a generated class; None where it is
    another. The functions of methods that declare their errors, such as
    as_cart_get_error, are made of it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, Error):
            found = error.as_error(cls)
            if found is not None:
                return found
        error = error.__cause__
    return None


def _typed(data: hub.Error, cls: type[T]) -> T:
    typed = cls.__new__(cls)
    typed._start(data)
    return typed


def _decoded(data: hub.Error, cls: type[TypedError]) -> Message:
    """Return the message that the details of an error say."""
    message, codec = cls.MESSAGE(), linked().codec
    definition = definition_of(cls.MESSAGE)
    info = _info(data, definition) if definition is not None else None
    if definition is None or info is None:
        return message

    def find(name: str) -> bytes | None:
        for other in data.details:
            if other.name == name:
                value = details.known_part(codec, other)
                if value is not None:
                    return value
        return None

    definition.decode(message, info.metadata, find, codec)
    return message


def specialize(data: hub.Error, catalog: Catalog, origin: hub.Origin = hub.Origin.REMOTE) -> Error:
    """Return an error as one of the class that a catalogue has for it, where it has one."""
    data.origin = origin
    info = details.identity(catalog.codec, catalog, data.details)
    if info is not None:
        cls = catalog.find_class(info.domain, info.reason)
        if cls is not None:
            typed: Error = _typed(data, cls)
            return typed
    return error_of(data)
