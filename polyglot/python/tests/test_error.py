"""The error, its classes and the catalogue."""

from __future__ import annotations

import base64
import copy
import datetime
import pickle

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import error_details_pb2 as rpc
from library.v1 import library_errmap
from shop.v1 import cart_errmap
from shop.v1.cart_errmap import InvalidCartError, PaymentRequiredError, StockEmptyError

import errmap_rpc
import errmap_rpc.grpc
from errmap.a2a.v1.errors_errmap import TaskNotFoundError

ST5 = (
    "CAUSBGdvbmUaVgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxIqCgtTVE9DS19FTVBUWRIQ"
    "c2hvcC5leGFtcGxlLmNvbRoJCgNza3USAkEx"
)


class TestField013:
    """One call from a header to a typed error."""

    def test_header_lines(self) -> None:
        headers = {"Grpc-Status": "5", "grpc-message": "gone", "grpc-status-details-bin": ST5}
        with pytest.raises(StockEmptyError) as caught:
            raise errmap_rpc.decode_grpc(headers)
        error = caught.value
        assert (error.sku, error.message, error.code) == ("A1", "gone", errmap_rpc.Code.NOT_FOUND)
        info = error.detail(rpc.ErrorInfo)
        assert info is not None and info.metadata["sku"] == "A1"

    def test_raw_metadata_of_grpcio(self) -> None:
        class Call:
            def code(self) -> grpc.StatusCode:
                return grpc.StatusCode.NOT_FOUND

            def details(self) -> str:
                return "gone"

            def trailing_metadata(self) -> object:
                data = base64.b64decode(ST5 + "=" * (-len(ST5) % 4))
                return (("other", "x"), ("grpc-status-details-bin", data))

        assert isinstance(errmap_rpc.grpc.from_grpc_error(Call()), StockEmptyError)


def test_field_032_ok_is_no_error() -> None:
    with pytest.raises(ValueError, match="OK"):
        errmap_rpc.Error(errmap_rpc.Code.OK, "fine")
    with pytest.raises(errmap_rpc.NotAnError):
        errmap_rpc.decode_grpc({"grpc-status": "0", "grpc-status-details-bin": ST5})


def test_field_023_line_breaks_in_grpc_message() -> None:
    error = errmap_rpc.Error(errmap_rpc.Code.ABORTED, "line1\r\nline2 é 100%")
    assert errmap_rpc.encode_grpc(error).message == "line1%0D%0Aline2 %C3%A9 100%25"


def test_field_030_budget() -> None:
    notes: list[str] = []
    error = (
        StockEmptyError(sku="A1")
        .with_detail(rpc.DebugInfo(detail="x" * 10_000))
        .with_detail(rpc.LocalizedMessage(locale="en", message="sold out"))
        .with_retry_delay(datetime.timedelta(seconds=1))
    )
    headers = errmap_rpc.encode_grpc(error, on_note=notes.append)
    assert headers.size <= 7168
    back = errmap_rpc.decode_grpc(dict(headers.items()))
    names = [detail.name for detail in back.raw_details]
    assert names == ["google.rpc.ErrorInfo", "google.rpc.LocalizedMessage", "google.rpc.RetryInfo"]
    assert len(notes) == 1 and "google.rpc.DebugInfo" in notes[0]
    tiny = errmap_rpc.encode_grpc(error, budget=40, on_note=notes.append)
    assert tuple(tiny) == ("9", "", "")  # the code is written whatever the budget is
    status = errmap_rpc.grpc.to_grpc_status(error, on_note=notes.append)
    assert (status.code, status.details) == (grpc.StatusCode.FAILED_PRECONDITION, "No A1 left")


def test_typed_error_says_its_template_and_details() -> None:
    retry = rpc.RetryInfo(retry_delay=Duration(seconds=1, nanos=500_000_000))
    error = StockEmptyError(sku="A1", retry=retry)
    assert str(error) == "FAILED_PRECONDITION shop.example.com/STOCK_EMPTY: No A1 left"
    assert [detail.name for detail in error.raw_details] == [
        "google.rpc.ErrorInfo",
        "google.rpc.RetryInfo",
    ]
    assert error.retry_after == "2" and not error.remote
    assert StockEmptyError().message == "The stock is empty"
    due = Timestamp(seconds=1)
    assert dict(PaymentRequiredError(amount=2**60, due=due).metadata) == {
        "amount": "1152921504606846976",
        "due": "1970-01-01T00:00:01Z",
    }
    assert errmap_rpc.encode_http(PaymentRequiredError()).status == 402
    assert errmap_rpc.encode_jsonrpc(error, errmap_rpc.GENERIC).number == 4010


def test_properties_are_copies() -> None:
    violation = rpc.BadRequest.FieldViolation(field="qty")
    error = InvalidCartError(fields_=rpc.BadRequest(field_violations=[violation]))
    assert error.fields_ is not None
    del error.fields_.field_violations[:]
    assert len(error.fields_.field_violations) == 1
    with pytest.raises(AttributeError):
        error.fields_ = None  # type: ignore[misc]


def test_with_returns_a_copy() -> None:
    error = StockEmptyError(sku="A1")
    other = error.with_message("other").with_detail(rpc.RequestInfo(request_id="1"))
    assert isinstance(other, StockEmptyError)
    assert (other.message, other.sku, other.args) == ("other", "A1", ("other",))
    assert (error.message, len(error.raw_details)) == ("No A1 left", 1)
    replaced = other.with_detail(rpc.RequestInfo(request_id="2"))
    info = replaced.detail(rpc.RequestInfo)
    assert info is not None and info.request_id == "2" and len(replaced.raw_details) == 2


def test_with_keeps_the_cause() -> None:
    try:
        raise StockEmptyError(sku="A1") from ValueError("why")
    except StockEmptyError as error:
        assert isinstance(error.with_message("x").__cause__, ValueError)


@pytest.mark.parametrize("error", [StockEmptyError(sku="A1"), errmap_rpc.Error(errmap_rpc.Code.ABORTED, "x")])
def test_copies_and_pickles(error: errmap_rpc.Error) -> None:
    for clone in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(clone) is type(error) and str(clone) == str(error)
        assert clone.raw_details == error.raw_details and clone.args == error.args
        if isinstance(clone, StockEmptyError):
            assert clone.sku == "A1"


def test_as_error_and_identifies() -> None:
    status = errmap_rpc.to_status(StockEmptyError(sku="A1"))
    plain = errmap_rpc.from_status(status, catalog=errmap_rpc.Catalog())
    assert type(plain) is errmap_rpc.Error
    typed = plain.as_error(StockEmptyError)
    assert typed is not None and typed.sku == "A1" and typed.remote
    assert plain.identifies(StockEmptyError) and not plain.identifies(PaymentRequiredError)
    assert plain.as_error(PaymentRequiredError) is None
    assert [type(detail).__name__ for detail in plain.details()] == ["ErrorInfo"]


def test_metadata_that_does_not_parse_leaves_the_field_unset() -> None:
    body = (
        '{"code":9,"message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",'
        '"reason":"PAYMENT_REQUIRED","domain":"shop.example.com",'
        '"metadata":{"amount":"many","due":"2026-01-01T00:00:00Z"}}]}'
    )
    error = errmap_rpc.decode_status_json(body).as_error(PaymentRequiredError)
    assert error is not None and error.amount == 0 and error.due is not None
    assert error.metadata["amount"] == "many"


def test_connect_detail_that_says_a_thing_twice() -> None:
    body = '{"code":"aborted","details":[{"type":"google.rpc.ErrorInfo","value":"CgFS","value":"CgFT"}]}'
    error = errmap_rpc.decode_connect(body)
    assert error.reason == "R" and len(error.notes) == 1


def test_retryable() -> None:
    assert not StockEmptyError().retryable
    assert StockEmptyError().with_retry_delay(datetime.timedelta(seconds=-1)).retry_after == "0"
    assert errmap_rpc.Error(errmap_rpc.Code.UNAVAILABLE).retryable


def test_without_carried() -> None:
    notes: list[str] = []
    body = '{"code":4711,"message":"m","data":{"a":1.0}}'
    error = errmap_rpc.decode_jsonrpc(body, errmap_rpc.GENERIC)
    carried = errmap_rpc.to_status(error)
    assert [d.type_url.rpartition("/")[2] for d in carried.details] == ["errmap.v1.Carried"]
    again = errmap_rpc.encode_jsonrpc(errmap_rpc.from_status(carried), errmap_rpc.GENERIC)
    assert again.text == body
    assert not errmap_rpc.to_status(error, without_carried=True, on_note=notes.append).details
    assert len(notes) == 1


def test_limits() -> None:
    body = '{"code":2,"message":"éééé","details":[{},{},{},{}]}'
    error = errmap_rpc.decode_status_json(body, limits=errmap_rpc.Limits(details=1, message=5))
    assert (error.message, len(error.raw_details), len(error.notes)) == ("éé", 1, 2)
    for limits in (errmap_rpc.Limits(body=10), errmap_rpc.Limits(depth=1)):
        with pytest.raises(errmap_rpc.FormError):
            errmap_rpc.decode_status_json(body, limits=limits)


def test_hostile_depth() -> None:
    for body in ("[" * 200_000, '{"code":1,"data":' * 200_000):
        with pytest.raises(errmap_rpc.FormError):
            errmap_rpc.decode_jsonrpc(body, errmap_rpc.GENERIC)


class TestCatalog:
    def test_linked_knows_what_is_imported(self) -> None:
        catalog = errmap_rpc.linked()
        assert catalog.find_class("shop.example.com", "STOCK_EMPTY") is StockEmptyError
        assert catalog.find_class("a2a-protocol.org", "TASK_NOT_FOUND") is TaskNotFoundError
        assert catalog.find("shop.example.com", "NOPE") is None

    def test_reason_before_10(self) -> None:
        found = errmap_rpc.linked().find("a2a-protocol.org", "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED")
        assert found is not None and found.reason == "EXTENDED_AGENT_CARD_NOT_CONFIGURED"

    def test_chosen_errors(self) -> None:
        catalog = errmap_rpc.Catalog(cart_errmap.ERRORS)
        assert catalog.knows_domain("shop.example.com") and catalog.knows_domain("a2a-protocol.org")
        assert not catalog.knows_domain("library.example.com")
        body = errmap_rpc.encode_connect(library_errmap.BookNotFoundError(name="x"))
        assert type(errmap_rpc.decode_connect(body, catalog=catalog)) is errmap_rpc.Error
        assert [d.reason for d in catalog.definitions if d.domain == "shop.example.com"] == [
            "INVALID_CART",
            "PAYMENT_REQUIRED",
            "STOCK_EMPTY",
        ]

    def test_no_error(self) -> None:
        no_error = type("NoError", (StockEmptyError,), {"MESSAGE": rpc.ErrorInfo})
        with pytest.raises(ValueError, match="is no error"):
            errmap_rpc.Catalog([no_error])


@pytest.mark.parametrize(("value", "noted"), [("2", False), ("7", True), ("soon", True)])
def test_header_beside_retry_info(value: str, noted: bool) -> None:
    body = (
        '{"error":{"code":503,"message":"m","status":"UNAVAILABLE","details":'
        '[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"}]}}'
    )
    error = errmap_rpc.decode_http(body, http_status=503, retry_after=value)
    assert error.retry_delay == datetime.timedelta(seconds=1.5)
    assert bool(error.notes) == noted


def test_header_of_two_spellings() -> None:
    error = errmap_rpc.decode_grpc({"grpc-status": "5", "Grpc-Status": "7"})
    assert len(error.notes) == 1
