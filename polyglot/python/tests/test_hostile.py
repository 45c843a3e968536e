"""Bytes that nobody meant as an error: decoders refuse them, or read what they can."""

from __future__ import annotations

import base64
import datetime
import json
import os
import pickle
import random
import tracemalloc
from collections.abc import Callable

import pytest
from google.protobuf.any_pb2 import Any
from google.rpc.status_pb2 import Status

import errmap_rpc
import vectors
from errmap.v1.carried_pb2 import Carried

COUNT = int(os.environ.get("ERRMAP_HOSTILE", "1500"))

Decoder = Callable[[bytes], errmap_rpc.Error]

DECODERS: dict[str, Decoder] = {
    "connect": errmap_rpc.decode_connect,
    "status": errmap_rpc.decode_status_json,
    "http": errmap_rpc.decode_http,
    "problem": errmap_rpc.decode_problem,
    **{
        profile.name: (lambda body, profile=profile: errmap_rpc.decode_jsonrpc(body, profile))  # type: ignore[misc]
        for profile in errmap_rpc.PROFILES
    },
    "grpc": lambda body: errmap_rpc.decode_grpc(
        {
            "grpc-status": body[:1].hex()[:2] or "2",
            "grpc-message": body.decode("latin-1"),
            "grpc-status-details-bin": base64.b64encode(body).decode(),
        }
    ),
}


def encode_all(error: errmap_rpc.Error) -> None:
    """Encoders are total, and say the code and the message."""
    for form in ("connect", "grpc", "status", "http", "problem"):
        vectors.encode(error, form, errmap_rpc.GENERIC, vectors.CATALOG)
    for profile in errmap_rpc.PROFILES:
        vectors.encode(error, "jsonrpc", profile, vectors.CATALOG)
    back = errmap_rpc.from_status(errmap_rpc.to_status(error))
    assert (back.number, back.message) == (error.number, error.message)


def seeds() -> list[bytes]:
    return [vector.body("input").encode() for vector in vectors.load() if len(vector.body("input")) < 2000]


@pytest.mark.parametrize("name", DECODERS)
def test_broken_bytes(name: str) -> None:
    roll = random.Random(name)  # noqa: S311: a failure is to come again
    inputs = seeds()
    for _ in range(COUNT // len(DECODERS)):
        body = bytearray(roll.choice(inputs))
        for _ in range(roll.randint(1, 4)):
            at = roll.randrange(len(body) + 1)
            match roll.randrange(3):
                case 0:
                    body[at : at + 1] = bytes([roll.randrange(256)])
                case 1:
                    body[at:at] = roll.randbytes(roll.randint(1, 4))
                case 2:
                    del body[at : at + roll.randint(1, 8)]
        try:
            error = DECODERS[name](bytes(body))
        except errmap_rpc.NotAnError:
            continue
        encode_all(error)


def test_broken_carried() -> None:
    """No Carried is believed that says another thing than the plain form, and none
    breaks the error that it comes with."""
    roll = random.Random(1)
    body = '{"code":4711,"message":"m","data":[{"a":1.0},{"@type":"x","b":[]}],"more":{"z":1e2}}'
    status = errmap_rpc.to_status(errmap_rpc.decode_jsonrpc(body, errmap_rpc.GENERIC))
    assert status.details[-1].type_url.endswith("errmap.v1.Carried")
    for _ in range(COUNT // 4):
        broken = Status()
        broken.CopyFrom(status)
        data = bytearray(status.details[-1].value)
        data[roll.randrange(len(data))] = roll.randrange(256)
        broken.details[-1].value = bytes(data)
        error = errmap_rpc.from_status(broken)
        assert (error.code, error.message) == (errmap_rpc.Code.UNKNOWN, "m")
        assert not any(detail.name == "errmap.v1.Carried" for detail in error.raw_details)
        encode_all(error)


@pytest.mark.parametrize("places", [[0, 0], [1, 0], [2**32 - 1], [5]])
def test_places_in_carried(places: list[int]) -> None:
    carried = Carried(check=b"\0" * 4)
    for place in places:
        carried.details.add(place=place, json="{}")
    status = Status(code=5, message="m")
    status.details.add().CopyFrom(
        Any(type_url="type.googleapis.com/errmap.v1.Carried", value=carried.SerializeToString())
    )
    error = errmap_rpc.from_status(status)
    assert (error.code, error.raw_details) == (errmap_rpc.Code.NOT_FOUND, ())
    assert len(error.notes) == 1


def test_random_bytes_of_a_status() -> None:
    roll = random.Random(2)
    for _ in range(COUNT):
        data = roll.randbytes(roll.randint(0, 40))
        headers = {"grpc-status": "5", "grpc-status-details-bin": base64.b64encode(data).decode()}
        assert errmap_rpc.decode_grpc(headers).code == errmap_rpc.Code.NOT_FOUND


def test_large_bodies_take_little_time() -> None:
    for body in (
        '{"code":2,"message":"' + "\\u00e9" * 300_000 + '"}',
        '{"code":2,"data":[' + ",".join(["{}"] * 200_000) + "]}",
        '{"code":2,"data":{' + ",".join(f'"k{i}":{i}' for i in range(100_000)) + "}}",
    ):
        error = errmap_rpc.decode_jsonrpc(body, errmap_rpc.GENERIC)
        assert error.code == errmap_rpc.Code.UNKNOWN


LONG = "1" * 5000  # longer than what Python reads as an integer


@pytest.mark.parametrize(
    "value",
    [
        '{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"LONGs"}',
        '{"@type":"type.googleapis.com/google.protobuf.Duration","value":"-LONG.5s"}',
        '{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":"LONG"}',
        '{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":1eLONG}',
        '{"@type":"type.googleapis.com/google.protobuf.DoubleValue","value":LONG}',
        '{"@type":"type.googleapis.com/google.protobuf.Timestamp","value":"LONG-01-01T00:00:00Z"}',
        '{"@type":"type.googleapis.com/google.rpc.ErrorInfo","metadata":{"a":LONG}}',
    ],
)
def test_long_numbers(value: str) -> None:
    """A number of thousands of digits is no exception of Python's."""
    value = value.replace("LONG", LONG)
    for form in ("http", "problem", "status", "generic", "a2a", "mcp"):
        body = '{"code":%s,"message":"m","detail":"m","details":[%s],"data":[%s]}'
        for code in ("5", LONG, "1e" + LONG):
            if form == "status" and code != "5":
                continue
            error = DECODERS[form]((body % (code, value, value)).encode())
            assert error.message == "m"
            encode_all(error)


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "\udc80"])
def test_headers_that_are_no_unicode(text: str) -> None:
    headers = {"grpc-status": "5", "grpc-message": text, "grpc-status-details-bin": text}
    assert errmap_rpc.decode_grpc(headers).message == "".join(char if char.isascii() else "\ufffd" for char in text)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("Thu, 01 Jan 2026 00:00:10 GMT", 10),
        ("Thursday, 01-Jan-26 00:00:10 GMT", 10),
        ("Thu Jan  1 00:00:10 2026", 10),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 0),
        ("Thu, 01 Jan 2026 00:00:10 +0100", None),
        ("Thu, 01 Jan 2026 00:00:10 +99999999999999999999", None),
        ("Thu, 01 Jan 2026 00:00:10", None),
        ("Thu, 31 Feb 2026 00:00:10 GMT", None),
        ("Thu, 01 Jan 99999 00:00:10 GMT", None),
        ("1 Jan 2030", None),
        ("9" * 5000, 250 * 365 * 86400),
        ("-" + "9" * 5000, 0),
    ],
)
def test_retry_after(value: str, seconds: int | None) -> None:
    """Of dates the three forms of HTTP are read, whatever Python makes of others."""
    at = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    error = errmap_rpc.decode_http("x", http_status=503, retry_after=value, received_at=at)
    assert error.retry_delay == (None if seconds is None else datetime.timedelta(seconds=seconds))


def test_names_that_fold_to_others() -> None:
    """Only what differs in case is dropped: no reader takes "meßage" for "message"."""
    error = errmap_rpc.decode_connect('{"code":"not_found","meßage":1,"deta\\u0131ls":2,"ﬆatus":3,"Code":4}')
    assert [json.loads(r.members) for r in error.received if r.members] == [
        {"deta\u0131ls": 2, "meßage": 1, "ﬆatus": 3}
    ]


def test_deep_bodies_are_not_kept_for_each_level() -> None:
    deep = "[" * 90 + '"' + "a" * (1 << 20) + '"' + "]" * 90
    body = "[" * 3000 + '"' + "a" * (1 << 20) + '"' + "]" * 3000
    tracemalloc.start()
    try:
        for form in ("connect", "status", "http", "problem", "generic", "a2a", "mcp"):
            with pytest.raises(errmap_rpc.FormError):
                DECODERS[form](body.encode())
            within = f'{{"code":5,"message":"m","title":"m","x":{deep},"details":[{deep}],"data":{deep}}}'
            assert DECODERS[form](within.encode()).message in ("m", "")
        assert tracemalloc.get_traced_memory()[1] < 50 << 20
    finally:
        tracemalloc.stop()


def test_any_inside_any() -> None:
    """It is rendered no deeper than it may be read again."""
    inner = Any(type_url="type.googleapis.com/google.rpc.RetryInfo")
    for _ in range(4000):
        inner = Any(type_url="type.googleapis.com/google.protobuf.Any", value=inner.SerializeToString())
    error = errmap_rpc.from_status(Status(code=5, details=[inner]))
    assert '"debug"' not in errmap_rpc.encode_connect(error)
    back = errmap_rpc.decode_http(errmap_rpc.encode_http(error).body)
    assert [d.value for d in back.raw_details] == [inner.value] and not back.notes


def test_json_details_are_copied_alone() -> None:
    error = errmap_rpc.decode_jsonrpc('{"code":1,"data":[{"@type":"x/y","n":1.0}]}', errmap_rpc.GENERIC)
    again = pickle.loads(pickle.dumps(error))
    assert errmap_rpc.encode_jsonrpc(again, errmap_rpc.GENERIC) == errmap_rpc.encode_jsonrpc(error, errmap_rpc.GENERIC)
