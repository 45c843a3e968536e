"""What is n times as large takes about n times as long, up to the limits: every decoder and
every encoder, and what was once quadratic."""

from __future__ import annotations

import base64
import json
import time
import zlib
from collections.abc import Callable

import pytest
from google.protobuf.any_pb2 import Any
from google.rpc import error_details_pb2 as rpc
from google.rpc.status_pb2 import Status

import errmap_rpc
from errmap_rpc.internal import jsontree
from errmap_rpc.internal.hub import MAX_NOTES, Wire
from errmap_rpc.internal.wire.budgetfit import Fitting
from errmap_rpc.options import encode_options

STEPS = (1, 2, 4)
MOST = 8
"""How much longer four times as much may take: a machine that others use is no clock. What is
quadratic takes sixteen times as long."""


def spent(work: Callable[[], object]) -> float:
    """CPU seconds, the least of some runs."""
    best = float("inf")
    for _ in range(2):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def grows_linearly(work: Callable[[int], Callable[[], object]], size: int) -> None:
    """What is quadratic is so each time; what a collection of garbage, or another program,
    made slow is not."""
    for _ in range(5):
        times = [spent(work(size * step)) for step in STEPS]
        if times[2] < 0.02 or times[2] / max(times[0], 0.002) < MOST:
            return
    raise AssertionError(times)


DECODERS: dict[str, Callable[[str], errmap_rpc.Error]] = {
    "connect": errmap_rpc.decode_connect,
    "status": errmap_rpc.decode_status_json,
    "http": errmap_rpc.decode_http,
    "problem": errmap_rpc.decode_problem,
    "generic": lambda body: errmap_rpc.decode_jsonrpc(body, errmap_rpc.GENERIC),
    "a2a": lambda body: errmap_rpc.decode_jsonrpc(body, errmap_rpc.A2A),
    "mcp": lambda body: errmap_rpc.decode_jsonrpc(body, errmap_rpc.MCP),
}
ENCODERS: dict[str, Callable[[errmap_rpc.Error], object]] = {
    "connect": errmap_rpc.encode_connect,
    "grpc": errmap_rpc.encode_grpc,
    "status": errmap_rpc.encode_status_json,
    "binary": errmap_rpc.to_status,
    "http": errmap_rpc.encode_http,
    "problem": errmap_rpc.encode_problem,
    "generic": lambda error: errmap_rpc.encode_jsonrpc(error, errmap_rpc.GENERIC),
    "a2a": lambda error: errmap_rpc.encode_jsonrpc(error, errmap_rpc.A2A),
    "mcp": lambda error: errmap_rpc.encode_jsonrpc(error, errmap_rpc.MCP),
}
BODIES: dict[str, Callable[[int], str]] = {
    "members": lambda n: '{"code":5,"message":"m",' + ",".join(f'"k{i}":{i}' for i in range(n)) + "}",
    "one name": lambda n: '{"code":5,"message":"m",' + ",".join('"k":[1]' for _ in range(n)) + "}",
    "data": lambda n: '{"code":-32001,"message":"m","data":{' + ",".join(f'"k{i}":{i}' for i in range(n)) + "}}",
    "elements": lambda n: '{"code":-32001,"message":"m","data":[' + ",".join(["1"] * n) + "]}",
    "details": lambda n: (
        '{"code":5,"message":"m","details":[' + ",".join(['{"@type":"a/b","n":1.0}'] * (n // 8)) + "]}"
    ),
    "infos": lambda n: (
        '{"code":5,"message":"m","details":['
        + ",".join(
            ['{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","metadata":{"a":"b","ab":""}}']
            * (n // 20)
        )
        + "]}"
    ),
    "metadata": lambda n: (
        '{"code":5,"message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R",'
        '"domain":"a2a-protocol.org","metadata":{' + ",".join(f'"k{i}":"x"' for i in range(n)) + "}}]}"
    ),
    "text": lambda n: '{"code":5,"message":"' + "é\\n\\u00e9" * n + '"}',
    "depth": lambda n: '{"code":5,"message":"m","data":' + "[" * 90 + "1," * n + "1" + "]" * 90 + "}",
}
SIZE = 800


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("form", DECODERS)
def test_decoders(form: str, name: str) -> None:
    def work(n: int) -> Callable[[], object]:
        body = BODIES[name](n)

        def read() -> object:
            try:
                return DECODERS[form](body)
            except errmap_rpc.FormError:
                return None

        return read

    grows_linearly(work, SIZE)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("form", ENCODERS)
def test_encoders(form: str, name: str) -> None:
    limits = errmap_rpc.Limits(details=1 << 20)

    def work(n: int) -> Callable[[], object]:
        body = BODIES[name](n).replace(
            '"code":5', '"code":-32001' if '"details"' not in BODIES[name](1) else '"code":5'
        )
        error = (
            errmap_rpc.decode_http(body, limits=limits)
            if '"details"' in body
            else errmap_rpc.decode_jsonrpc(body, errmap_rpc.A2A, limits=limits)
        )
        return lambda: ENCODERS[form](error)

    grows_linearly(work, SIZE)


def test_grpc_headers() -> None:
    def work(n: int) -> Callable[[], object]:
        info = Any()
        info.Pack(rpc.ErrorInfo(reason="R", domain="d", metadata={"k": "v"}))
        status = Status(code=5, message="é" * n, details=[info] * n)
        headers = {
            "grpc-status": "5",
            "grpc-message": "%C3%A9" * n,
            "grpc-status-details-bin": base64.b64encode(status.SerializeToString()).decode(),
        }
        return lambda: errmap_rpc.decode_grpc(headers)

    grows_linearly(work, 250)


@pytest.mark.parametrize("form", ["http", "problem", "status", "connect", "generic"])
def test_finding_a03_members_beside_a_carried_with_members(form: str) -> None:
    """What rode along is merged with what its own wire says in one pass."""

    def work(n: int) -> Callable[[], object]:
        first = {"code": 4711, "message": "m", **{f"a{i}": i for i in range(n)}}
        carried = errmap_rpc.decode_jsonrpc(json.dumps(first), errmap_rpc.GENERIC)
        encoder = {"http": errmap_rpc.encode_http, "problem": errmap_rpc.encode_problem}.get(form)
        if encoder is not None:
            text = encoder(carried).body
        elif form == "generic":
            text = errmap_rpc.encode_jsonrpc(carried, errmap_rpc.GENERIC).text
        else:
            text = str(ENCODERS[form](carried))
        more = ",".join(f'"b{i}":{i}' for i in range(n))
        at = text.rindex("}}") if form == "http" else text.rindex("}")
        text = text[:at] + "," + more + text[at:]

        def read() -> object:
            error = DECODERS[form](text)
            assert len(error.received[-1].members) > n
            return error

        return read

    grows_linearly(work, 2000)


def test_finding_a03_members_of_a_wire_and_of_its_carried() -> None:
    """Members of one wire that both its error and a Carried have are merged in one pass.
    No encoder of ours writes such a Carried, so it is made by hand."""

    def work(n: int) -> Callable[[], object]:
        check = base64.b64encode(zlib.crc32(b"NOT_FOUND\nm").to_bytes(4, "big")).decode()
        members = json.dumps({f"a{i}": 1 for i in range(n)})
        carried = {
            "@type": "type.googleapis.com/errmap.v1.Carried",
            "check": check,
            "received": [{"wire": "WIRE_JSONRPC", "members": members}],
        }
        text = json.dumps({"code": -31404, "message": "m", "data": [carried], **{f"b{i}": 1 for i in range(n)}})

        def read() -> object:
            error = errmap_rpc.decode_jsonrpc(text, errmap_rpc.GENERIC)
            assert len(json.loads(error.received[-1].members)) == 2 * n
            return error

        return read

    grows_linearly(work, 2000)


def test_finding_a04_many_infos_over_the_budget() -> None:
    """The budget counts sizes: it asks for each part once, and encodes once."""

    def fitting(n: int) -> Fitting:
        data = errmap_rpc.Error(errmap_rpc.Code.ABORTED, "m" * n)._data.copy()
        detail = rpc.ErrorInfo(reason="R", domain="d.example.com", metadata={"key": "v" * 60, "other": "w"})
        one = errmap_rpc.Error(errmap_rpc.Code.ABORTED).with_detail(detail)._data.details[0]
        data.details = [one] * n
        made = Fitting(data, encode_options({}), Wire.GRPC)
        made.run()
        return made

    counts = [fitting(256 * step).tries for step in STEPS]
    assert counts[2] < 4.5 * counts[0] and counts[2] < 10 * 1024
    error = errmap_rpc.from_status(Status(code=10, message="m", details=[_info()] * 1024))
    begin = time.process_time()
    headers = errmap_rpc.encode_grpc(error)
    assert headers.size <= 7168 and time.process_time() - begin < 5


def _info() -> Any:
    info = Any()
    info.Pack(rpc.ErrorInfo(reason="R", domain="d", metadata={"k": "v" * 60}))
    return info


def test_finding_a05_members_of_a2a_data() -> None:
    grows_linearly(lambda n: lambda: DECODERS["a2a"](BODIES["data"](n)), 4000)


def test_finding_a07_numbers_of_an_own_error() -> None:
    body = '{"code":-32001,"message":"m","data":[' + ",".join(["1"] * 32_000) + "]}"
    error = DECODERS["a2a"](body)
    begin = time.process_time()
    text = errmap_rpc.encode_jsonrpc(error, errmap_rpc.A2A).text
    assert len(text) < 2 * len(body) and time.process_time() - begin < 5


def test_finding_a20_notes_are_bounded() -> None:
    """An error far over the budget is told of in a few notes, however many parts it has."""
    notes: list[str] = []
    details = [_info()] * 1000 + [Any(type_url=f"x/{i}", value=b"v" * 500) for i in range(5000)]
    error = errmap_rpc.from_status(Status(code=10, details=details), limits=errmap_rpc.Limits(details=10_000))
    errmap_rpc.encode_grpc(error, on_note=notes.append)
    assert 0 < len(notes) <= MAX_NOTES + 1
    twice = "{" + ",".join(['"code":5', '"message":"m"', *['"x":1'] * 5000]) + "}"
    assert len(DECODERS["http"](twice).notes) == MAX_NOTES + 1


def test_finding_x17_the_lowest_code() -> None:
    """A code of -2147483648 is kept over every form that cannot say it."""
    error = errmap_rpc.decode_status_json('{"code":-2147483648,"message":"m"}')
    assert error.number == -(2**31)
    for there, back in (
        (errmap_rpc.encode_connect(error), errmap_rpc.decode_connect),
        (errmap_rpc.encode_http(error).body, errmap_rpc.decode_http),
        (errmap_rpc.encode_problem(error).body, errmap_rpc.decode_problem),
        (errmap_rpc.encode_jsonrpc(error, errmap_rpc.MCP).text, DECODERS["mcp"]),
        (errmap_rpc.encode_status_json(error), errmap_rpc.decode_status_json),
    ):
        assert back(there).number == -(2**31)
    headers = errmap_rpc.encode_grpc(error)
    assert headers.status == "2" and errmap_rpc.decode_grpc(dict(headers.items())).number == -(2**31)
    assert errmap_rpc.from_status(errmap_rpc.to_status(error)).number == -(2**31)


MIB: dict[str, str] = {
    "numbers": '{"code":5,"message":"m","x":[' + ",".join(["1"] * 500_000) + "]}",
    "empty objects": '{"code":5,"message":"m","x":[' + ",".join(["{}"] * 340_000) + "]}",
    "escapes": '{"code":5,"message":"m","x":[' + ",".join(['"\\n"'] * 200_000) + "]}",
    "members": '{"code":5,"message":"m",' + ",".join(f'"k{i}":0' for i in range(90_000)) + "}",
    "brackets": '{"code":5,"message":"m","x":[' + ",".join(["[[]]"] * 200_000) + "]}",
}


@pytest.mark.parametrize("name", MIB)
@pytest.mark.parametrize("form", DECODERS)
def test_a_mebibyte_of_small_values(form: str, name: str) -> None:
    begin = time.process_time()
    error = DECODERS[form](MIB[name])
    assert error.received and time.process_time() - begin < 5


def test_a_mebibyte_is_written_again() -> None:
    for name, body in MIB.items():
        error = DECODERS["http"](body)
        begin = time.process_time()
        text = errmap_rpc.encode_http(error).body
        assert jsontree.parse(text)["error"].keys() >= {"code", "message"}, name
        assert time.process_time() - begin < 5
