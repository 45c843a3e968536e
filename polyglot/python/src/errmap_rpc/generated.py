"""What generated code stands on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from google.protobuf.message import Message

from .error import Error, error_of
from .internal import hub
from .internal.schema import Catalog, definition_of, linked, register
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

    _fields: Message

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
        self._fields = message

    @classmethod
    def _of(cls, error: Error) -> Self | None:
        """Return an error as one of this class, with its fields; None where it is another.
        Any ErrorInfo of the error may be that of the class."""
        return as_error(error, cls)

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
        return make, args, {**state, "_fields": self._fields.SerializePartialToString()}

    def __setstate__(self, state: Mapping[str, Any] | None) -> None:
        for name, value in (state or {}).items():
            setattr(self, name, type(self).MESSAGE.FromString(value) if name == "_fields" else value)


def as_error(error: Error, cls: type[T]) -> T | None:
    """Return an error as one of a generated class, None where it is another."""
    if isinstance(error, cls):
        return error
    definition = definition_of(cls.MESSAGE)
    if definition is None:
        return None
    codec, data = linked().codec, error._data
    for detail in data.details:
        info = details.error_info(codec, detail)
        if info is None or not definition.identifies(info.domain, info.reason):
            continue

        def find(name: str) -> bytes | None:
            for other in data.details:
                if other.name == name:
                    value = details.known_part(codec, other)
                    if value is not None:
                        return value
            return None

        message = cls.MESSAGE()
        definition.decode(message, info.metadata, find, codec)
        typed = cls.__new__(cls)
        typed.__dict__.update(error.__dict__)
        typed.args = error.args
        typed._fields = message
        typed.__cause__ = error.__cause__
        return typed
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


def specialize(data: hub.Error, catalog: Catalog) -> Error:
    """Return an error as one of the class that a catalogue has for it, where it has one."""
    data.origin = hub.Origin.REMOTE
    error = error_of(data)
    info = details.identity(catalog.codec, catalog, data.details)
    if info is None:
        return error
    cls = catalog.find_class(info.domain, info.reason)
    typed = as_error(error, cls) if cls is not None else None
    return error if typed is None else typed
