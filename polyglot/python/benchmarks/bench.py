"""Times this package beside its peers, in one interleaved run, and prints the ratios.

    python benchmarks/bench.py [--write README.md]

A ratio is the median over rounds of ours by the peer's, so that what else the machine does
at the time falls on both. Each row says what both sides do."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import grpc
from connectrpc._protocol import ConnectWireError
from connectrpc.code import Code as ConnectCode
from connectrpc.errors import ConnectError, ErrorDetail
from google.protobuf import any_pb2, json_format
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status
from protobuf.wkt import Any as PyAny
from pyqwest import FullResponse, Headers

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE.parent / "tests" / "gen")]

from shop.v1.cart_errmap import StockEmptyError  # noqa: E402

import errmap_rpc  # noqa: E402
import errmap_rpc.connect  # noqa: E402
import errmap_rpc.grpc  # noqa: E402

BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"


class Row(NamedTuple):
    name: str
    peer: str
    limit: float
    ours: Callable[[], object]
    theirs: Callable[[], object]


def rows() -> list[Row]:
    error = StockEmptyError(sku="A1")
    info = error_details_pb2.ErrorInfo(reason="STOCK_EMPTY", domain="shop.example.com", metadata={"sku": "A1"})
    data, name = info.SerializeToString(), "google.rpc.ErrorInfo"
    status = status_pb2.Status(code=code_pb2.FAILED_PRECONDITION, message="No A1 left")
    detail = any_pb2.Any()
    detail.Pack(info)
    status.details.append(detail)
    connect_error = ConnectError(
        ConnectCode.FAILED_PRECONDITION,
        "No A1 left",
        [ErrorDetail(PyAny(type_url=f"type.googleapis.com/{name}", value=data))],
    )
    connect_text = errmap_rpc.encode_connect(error)
    response = FullResponse(
        status=400,
        headers=Headers([("content-type", "application/json")]),
        content=connect_text.encode(),
        trailers=Headers(),
    )
    rpc_text = errmap_rpc.encode_jsonrpc(error, errmap_rpc.GENERIC).text
    status_text = json_format.MessageToJson(status)

    def theirs_connect() -> object:
        return json.dumps(ConnectWireError.from_exception(connect_error).to_dict())

    def theirs_connect_read() -> object:
        read = ConnectWireError.from_response(response).to_exception()
        return error_details_pb2.ErrorInfo.FromString(read.details[0].message_bytes)

    def theirs_rpc_read() -> object:
        read = json_format.Parse(status_text, status_pb2.Status())
        found = error_details_pb2.ErrorInfo()
        read.details[0].Unpack(found)
        return found

    class Call:
        def __init__(self, status: grpc.Status) -> None:
            self._status = status

        def code(self) -> grpc.StatusCode:
            return self._status.code

        def details(self) -> str:
            return str(self._status.details)

        def trailing_metadata(self) -> object:
            return self._status.trailing_metadata

    class Pair(NamedTuple):
        key: str
        value: str | bytes

    class Theirs(Call):
        def trailing_metadata(self) -> object:
            return [Pair(*pair) for pair in self._status.trailing_metadata]

    sent = rpc_status.to_status(status)
    call, peer_call = Call(errmap_rpc.grpc.to_grpc_status(error)), Theirs(sent)

    def theirs_grpc_read() -> object:
        read = rpc_status.from_call(peer_call)  # type: ignore[arg-type]
        found = error_details_pb2.ErrorInfo()
        read.details[0].Unpack(found)
        return found

    return [
        Row(
            "error → Connect",
            "connectrpc: its error as JSON",
            2.5,
            lambda: errmap_rpc.encode_connect(error),
            theirs_connect,
        ),
        Row(
            "Connect → typed error",
            "connectrpc: its error of a response, and the ErrorInfo of its detail",
            2.5,
            lambda: errmap_rpc.decode_connect(connect_text),
            theirs_connect_read,
        ),
        Row(
            "error → JSON-RPC",
            "json_format: the same as a google.rpc.Status",
            2,
            lambda: errmap_rpc.encode_jsonrpc(error, errmap_rpc.GENERIC),
            lambda: json_format.MessageToJson(status, indent=None),
        ),
        Row(
            "JSON-RPC → typed error",
            "json_format: the Status, and the ErrorInfo of its detail",
            2,
            lambda: errmap_rpc.decode_jsonrpc(rpc_text, errmap_rpc.GENERIC),
            theirs_rpc_read,
        ),
        Row(
            "error → gRPC",
            "grpcio-status: to_status of a google.rpc.Status that is made with it",
            2,
            lambda: errmap_rpc.grpc.to_grpc_status(error),
            lambda: rpc_status.to_status(made(info)),
        ),
        Row(
            "gRPC → typed error",
            "grpcio-status: from_call, and the ErrorInfo of its detail",
            2,
            lambda: errmap_rpc.grpc.from_grpc_error(call),
            theirs_grpc_read,
        ),
    ]


def made(info: error_details_pb2.ErrorInfo) -> status_pb2.Status:
    """A Status as a handler makes it for grpcio-status: what our encoder starts from is an
    error, not a Status."""
    detail = any_pb2.Any()
    detail.Pack(info)
    return status_pb2.Status(code=code_pb2.FAILED_PRECONDITION, message="No A1 left", details=[detail])


def measure(row: Row, rounds: int = 41, each: int = 150) -> tuple[float, float]:
    """The ratio, and what ours takes in microseconds."""
    ratios, times = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(each):
            row.ours()
        middle = time.perf_counter()
        for _ in range(each):
            row.theirs()
        end = time.perf_counter()
        ratios.append((middle - begin) / (end - middle))
        times.append((middle - begin) / each * 1e6)
    return statistics.median(ratios), statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", metavar="FILE", help="put the table into a file")
    parser.add_argument("--check", action="store_true", help="fail where a ratio is above its bound")
    arguments = parser.parse_args()
    lines = ["| | beside | ratio | at most |", "|---|---|---|---|"]
    failed = False
    for row in rows():
        ratio, spent = measure(row)
        failed = failed or ratio > row.limit
        lines.append(f"| {row.name} | {row.peer} | {ratio:.2f} | {row.limit:g} |")
        print(f"{row.name:24} {ratio:5.2f} of {row.limit:g}, {spent:6.1f} µs", file=sys.stderr)
    table = "\n".join(lines)
    if arguments.write:
        path = Path(arguments.write)
        text = path.read_text("utf-8")
        head, _, rest = text.partition(BEGIN)
        path.write_text(f"{head}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}", "utf-8")
    if arguments.check and failed:
        sys.exit("a ratio is above its bound")


if __name__ == "__main__":
    main()
