"""The Retry-After header (RFC 9110 section 10.2.3)."""

from __future__ import annotations

import datetime
import re

from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo

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
    date = _http_date(value)
    if date is None:
        return None
    now = received_at if received_at is not None else datetime.datetime.now(datetime.UTC)
    if now.tzinfo is None:
        now = now.astimezone()
    return min(max(date - now, datetime.timedelta()), _MOST)


_DAYS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_LONG_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})"
_TIME = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})"
_DATES = (
    re.compile(rf"(?:{_DAYS}), (?P<day>[0-9]{{2}}) {_MONTH} (?P<year>[0-9]{{4}}) {_TIME} GMT"),
    re.compile(rf"(?:{_LONG_DAYS}), (?P<day>[0-9]{{2}})-{_MONTH}-(?P<year>[0-9]{{2}}) {_TIME} GMT"),
    re.compile(rf"(?:{_DAYS}) {_MONTH} (?P<day>[ 0-9][0-9]) {_TIME} (?P<year>[0-9]{{4}})"),
)


def _http_date(value: str) -> datetime.datetime | None:
    """Read a date in one of the three forms of HTTP (RFC 9110 section 5.6.7)."""
    for form in _DATES:
        match = form.fullmatch(value)
        if match is None:
            continue
        year = int(match["year"])
        if len(match["year"]) == 2:
            year += 1900 if year >= 69 else 2000
        time = int(match["hour"]), int(match["minute"]), int(match["second"])
        try:
            month = _MONTHS.index(match["month"]) + 1
            return datetime.datetime(year, month, int(match["day"]), *time, tzinfo=datetime.UTC)
        except ValueError:
            return None
    return None


def duration_of(delay: datetime.timedelta) -> Duration:
    duration = Duration()
    duration.FromTimedelta(delay)
    return duration


def whole_seconds(info: RetryInfo) -> int:
    """Return the delay of a RetryInfo in whole seconds, rounded up, not below 0."""
    delay = info.retry_delay
    return max(delay.seconds + (1 if delay.nanos > 0 else 0), 0)
