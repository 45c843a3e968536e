package errmap_test

import (
	"errors"
	"fmt"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

func ExampleNew() {
	e := errmap.New(&a2av1.TaskNotFoundError{TaskId: "t-1"})
	fmt.Println(e)
	fmt.Printf("%s\n", errmap.EncodeConnect(e.WithMessage("Task t-1 not found")))
	fmt.Printf("%s\n", errmap.EncodeJSONRPC(e, errmap.ProfileA2A))
	// Output:
	// NOT_FOUND a2a-protocol.org/TASK_NOT_FOUND: Task not found
	// {"code":"not_found","message":"Task t-1 not found","details":[{"type":"google.rpc.ErrorInfo","value":"Cg5UQVNLX05PVF9GT1VORBIQYTJhLXByb3RvY29sLm9yZxoNCgZ0YXNrSWQSA3QtMQ","debug":{"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t-1"}}}]}
	// {"code":-32001,"message":"Task not found","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t-1"}}]}
}

func ExampleDecodeHTTP() {
	e, err := errmap.DecodeHTTP([]byte(`{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"}]}}`))
	if err != nil {
		panic(err)
	}
	delay, _ := e.RetryDelay()
	fmt.Println(e.Code(), e.Message(), delay, e.Retryable())
	// Output: RESOURCE_EXHAUSTED slow down 1.5s true
}

func ExampleDecodeJSONRPC() {
	e, err := errmap.DecodeJSONRPC([]byte(`{"code":-32001,"message":"Task not found","data":{"taskId":"t-1"}}`), errmap.ProfileA2A)
	if err != nil {
		panic(err)
	}
	if missing, ok := errors.AsType[*a2av1.TaskNotFoundError](error(e)); ok {
		fmt.Println(missing.GetTaskId())
	}
	// Output: t-1
}

func ExampleEncodeGRPC() {
	fmt.Print(errmap.EncodeGRPC(errmap.NewCode(code.Code_NOT_FOUND, "100% gone")))
	// Output:
	// grpc-status: 5
	// grpc-message: 100%25 gone
}

func ExampleError_Status() {
	s := errmap.New(&shopv1.StockEmptyError{Sku: "A1"}).Status()
	fmt.Println(s.GetCode(), s.GetMessage(), len(s.GetDetails()))
	// Output: 9 No A1 left 1
}

func ExampleToMap() {
	m := errmap.ToMap(errmap.NewCode(code.Code_NOT_FOUND, "gone"), errmap.ProfileGeneric)
	fmt.Println(m["code"], m["message"], m["data"])
	// Output: -31404 gone <nil>
}

func ExampleFrom() {
	e := errmap.From(fmt.Errorf("save: %w", &shopv1.StockEmptyError{Sku: "A1"}))
	fmt.Println(e.Message(), e.Unwrap())
	// Output: No A1 left save: FAILED_PRECONDITION shop.example.com/STOCK_EMPTY: No A1 left
}

func ExampleEncodeProblem() {
	status, body := errmap.EncodeProblem(errmap.NewCode(code.Code_NOT_FOUND, "gone"))
	fmt.Printf("%d %s\n", status, body)
	// Output: 404 {"type":"about:blank","title":"Not Found","status":404,"detail":"gone","code":"NOT_FOUND"}
}
