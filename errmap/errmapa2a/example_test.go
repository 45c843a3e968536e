package errmapa2a_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
)

func ExampleTaskNotFound() {
	err := errmapa2a.TaskNotFound(map[string]any{"taskId": "t-1"})
	fmt.Printf("%s\n", errmap.EncodeJSONRPC(err, errmap.ProfileA2A))

	found, _ := errors.AsType[*a2av1.TaskNotFoundError](err)
	fmt.Println(found.GetTaskId(), errors.Is(err, a2a.ErrTaskNotFound))
	// Output:
	// {"code":-32001,"message":"Task not found","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t-1"}}]}
	// t-1 true
}

func ExampleToMap() {
	for _, err := range []*errmap.Error{errmapa2a.TaskNotFound(), errmapa2a.InternalError("boom")} {
		text, _ := json.Marshal(errmapa2a.ToMap(err))
		fmt.Printf("%s\n", text)
	}
	// Output:
	// {"code":-32001,"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"a2a-protocol.org","reason":"TASK_NOT_FOUND"}],"message":"Task not found"}
	// {"code":-32603,"data":"boom","message":"Internal error"}
}

// An agent that is built on the SDK returns what it always did; the guard of its
// server knows what that says to the caller.
func ExampleRecognize() {
	handler := func() error { return fmt.Errorf("row 7 of shard 3: %w", a2a.ErrTaskNotFound) }

	guard := errmap.NewGuard(errmap.WithRecognizer(errmapa2a.Recognize))
	out := guard.Outgoing(context.Background(), handler())
	fmt.Println(out)
	// Output:
	// NOT_FOUND a2a-protocol.org/TASK_NOT_FOUND: Task not found
}

func ExampleSentinel() {
	received, _ := errmap.DecodeConnect([]byte(`{"code":"not_found","message":"gone","details":[` +
		`{"type":"google.rpc.ErrorInfo","value":"Cg5UQVNLX05PVF9GT1VORBIQYTJhLXByb3RvY29sLm9yZw"}]}`))
	fmt.Println(errmapa2a.Sentinel(received) == a2a.ErrTaskNotFound)
	// Output:
	// true
}

func ExampleToError() {
	sdk := errmapa2a.ToError(errmapa2a.TaskNotCancelable(map[string]any{"taskId": "t-1"}))
	fmt.Println(errors.Is(sdk, a2a.ErrTaskNotCancelable), sdk.Message, sdk.TypedDetails[0].Value["metadata"])
	// Output:
	// true Task cannot be canceled map[taskId:t-1]
}
