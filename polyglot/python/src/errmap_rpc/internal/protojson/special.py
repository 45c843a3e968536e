"""The well-known types whose ProtoJSON is one string."""

from __future__ import annotations

import datetime
import re

from google.protobuf.message import Message

from .table import Refused

STRINGS = ("google.protobuf.Duration", "google.protobuf.FieldMask", "google.protobuf.Timestamp")

_MAX_DURATION = 315_576_000_000
_MIN_TIMESTAMP = -62_135_596_800
_MAX_TIMESTAMP = 253_402_300_799
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)

_DURATION = re.compile(r"([+-]?)(0|[1-9][0-9]*)?(?:(\.)([0-9]{0,9}))?s")
_TIMESTAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|([+-])(\d\d):(\d\d))",
    re.ASCII,
)
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")


def write(name: str, message: Message) -> str:
    """Return the text of a message of one of STRINGS."""
    if name == "google.protobuf.FieldMask":
        return ",".join(_camel_case(path) for path in getattr(message, "paths"))
    seconds, nanos = getattr(message, "seconds"), getattr(message, "nanos")
    if name == "google.protobuf.Duration":
        return _write_duration(seconds, nanos)
    if not (_MIN_TIMESTAMP <= seconds <= _MAX_TIMESTAMP and 0 <= nanos < 10**9):
        raise Refused("a Timestamp out of range")
    moment = _EPOCH + datetime.timedelta(seconds=seconds)
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}{_fraction(nanos)}Z"


def read(name: str, text: str, message: Message) -> None:
    """Read the text of a message of one of STRINGS."""
    if name == "google.protobuf.FieldMask":
        text = text.strip()
        if text:
            getattr(message, "paths").extend(_snake_case(path) for path in text.split(","))
        return
    read_text = _read_duration if name == "google.protobuf.Duration" else _read_timestamp
    seconds, nanos = read_text(text)
    setattr(message, "seconds", seconds)
    setattr(message, "nanos", nanos)


def _fraction(nanos: int) -> str:
    text = f"{nanos:09d}"
    for _ in range(3):
        text = text.removesuffix("000")
    return "." + text if text else ""


def _write_duration(seconds: int, nanos: int) -> str:
    if abs(seconds) > _MAX_DURATION or abs(nanos) >= 10**9 or (seconds > 0 > nanos) or (seconds < 0 < nanos):
        raise Refused("a Duration out of range")
    sign = "-" if seconds < 0 or nanos < 0 else ""
    return f"{sign}{abs(seconds)}{_fraction(abs(nanos))}s"


def _read_duration(text: str) -> tuple[int, int]:
    match = _DURATION.fullmatch(text)
    if match is None or (match[2] is None and match[3] is None):
        raise Refused("no Duration")
    if len(match[2] or "") > 12:  # Python refuses to read very long numbers
        raise Refused("a Duration out of range")
    seconds, nanos = int(match[2] or 0), int((match[4] or "").ljust(9, "0"))
    if seconds > _MAX_DURATION:
        raise Refused("a Duration out of range")
    return (-seconds, -nanos) if match[1] == "-" else (seconds, nanos)


def _read_timestamp(text: str) -> tuple[int, int]:
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        raise Refused("no Timestamp")
    try:
        year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
        moment = datetime.datetime(year, month, day, hour, minute, second, tzinfo=datetime.UTC)
    except ValueError:
        raise Refused("no Timestamp") from None
    delta = moment - _EPOCH
    seconds = delta.days * 86400 + delta.seconds
    if match[9]:
        hours, minutes = int(match[10]), int(match[11])
        if hours > 24 or minutes >= 60:
            raise Refused("no Timestamp")
        offset = hours * 3600 + minutes * 60
        seconds += -offset if match[9] == "+" else offset
    if not _MIN_TIMESTAMP <= seconds <= _MAX_TIMESTAMP:
        raise Refused("a Timestamp out of range")
    return seconds, int((match[7] or "").ljust(9, "0"))


def _camel_case(path: str) -> str:
    camel = re.sub(r"_([a-z]?)", lambda match: match[1].upper(), path)
    if not _PATH.fullmatch(path) or re.sub(r"[A-Z]", lambda m: "_" + m[0].lower(), camel) != path:
        raise Refused("a path without ProtoJSON")
    return camel


def _snake_case(camel: str) -> str:
    path = re.sub(r"[A-Z]", lambda match: "_" + match[0].lower(), camel)
    if "_" in camel or not _PATH.fullmatch(path):
        raise Refused("a path without ProtoJSON")
    return path
