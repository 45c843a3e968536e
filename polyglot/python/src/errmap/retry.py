"""The Retry-After header (RFC 9110 section 10.2.3)."""

from __future__ import annotations

import datetime
import email.utils
import re

from google.protobuf.duration_pb2 import Duration

__all__ = ["parse_retry_after"]

_MOST = datetime.timedelta(days=250 * 365)
"""What other implementations of errmap can say too."""


def parse_retry_after(value: str, received_at: datetime.datetime | None = None) -> datetime.timedelta | None:
    """Read a Retry-After value in either form: seconds, or a date, which counts from
    received_at, now if that is None. A moment that has passed is 0. Return None where
    the value is neither."""
    value = value.strip()
    if re.fullmatch(r"[0-9]+", value):
        seconds = int(value) if len(value) < 20 else 2**63
        most = int(_MOST.total_seconds())
        return datetime.timedelta(seconds=min(seconds, most))
    if re.fullmatch(r"-[0-9]+", value):
        return datetime.timedelta()
    try:
        date = email.utils.parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    utc = datetime.UTC
    if date.tzinfo is None:
        date = date.replace(tzinfo=utc)
    now = received_at if received_at is not None else datetime.datetime.now(utc)
    if now.tzinfo is None:
        now = now.astimezone()
    return min(max(date - now, datetime.timedelta()), _MOST)


def duration_of(delay: datetime.timedelta) -> Duration:
    duration = Duration()
    duration.FromTimedelta(delay)
    return duration
