package errmapa2a_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
)

// failing is an executor that returns one error.
type failing struct{ err error }

func (f failing) Execute(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) { yield(nil, f.err) }
}

func (f failing) Cancel(ctx context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return f.Execute(ctx, ec)
}

// sdkServer sends a message to an agent of the SDK's own over its own JSON-RPC,
// and returns the error object of the answer.
func sdkServer(t *testing.T, err error, method string) (number int64, message string, data []map[string]any, reports []errmap.Report) {
	t.Helper()
	handler := a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(failing{err}, a2asrv.WithCallInterceptors(errmapa2a.ServerInterceptor(errmapa2a.WithGuard(errmap.NewGuard(
		errmap.WithLog(func(_ context.Context, r errmap.Report) { reports = append(reports, r) })))))))
	body := `{"jsonrpc":"2.0","id":"1","method":"` + method + `","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	var response struct {
		Error struct {
			Code    int64
			Message string
			Data    []map[string]any
		}
	}
	text := w.Body.String()
	if _, event, ok := strings.Cut(text, "data: "); ok {
		text = event
	}
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&response); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	return response.Error.Code, response.Error.Message, response.Error.Data, reports
}

func TestServerInterceptor(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"SendMessage", "SendStreamingMessage"} {
		for _, c := range constructors {
			for name, err := range map[string]error{
				"made":    c.make(),
				"wrapped": fmt.Errorf(secret+": %w", c.sentinel),
				"two":     errors.Join(fmt.Errorf(secret+": %w", c.sentinel), a2a.ErrUnauthorized),
			} {
				if c.sentinel == a2a.ErrInternalError && name != "made" {
					continue // it does not speak, and the other one does
				}
				number, message, data, reports := sdkServer(t, err, method)
				if number != c.number || message != c.message || len(reports) > 0 {
					t.Errorf("%s, %s, %s: got %d %q, %d reports", c.name, name, method, number, message, len(reports))
				}
				if c.reason != "" && (len(data) != 1 || data[0]["reason"] != c.reason) {
					t.Errorf("%s, %s, %s: data %v", c.name, name, method, data)
				}
			}
		}
		_, _, data, _ := sdkServer(t, &a2av1.TaskNotFoundError{TaskId: "t-1"}, method)
		if metadata, _ := data[0]["metadata"].(map[string]any); metadata["taskId"] != "t-1" {
			t.Errorf("an annotated message: data %v", data)
		}
		for name, err := range map[string]error{
			"another error":    errors.New(secret),
			"a received error": errmapa2a.TaskNotFound().WithMessage(secret).WithRemote(),
		} {
			number, message, data, reports := sdkServer(t, err, method)
			text, _ := json.Marshal(data)
			if number != -32603 || message != "internal error" || len(reports) != 1 || reports[0].Procedure != method ||
				strings.Contains(string(text), "10.0.0.7") || !strings.Contains(string(text), reports[0].ID) {
				t.Errorf("%s: got %d %q %s, %d reports", name, number, message, text, len(reports))
			}
		}
	}
}

// TestField_117_cancelled_call_is_local holds that a call that this side
// cancelled is never an error of the peer.
func TestField_117_cancelled_call_is_local(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	sent := a2a.NewError(context.Canceled, "rpc error: context canceled") // what the SDK makes of both
	after := func() *errmap.Error {
		resp := &a2aclient.Response{Err: sent}
		if err := errmapa2a.ClientInterceptor().After(ctx, resp); err != nil {
			t.Fatal(err)
		}
		e, ok := errors.AsType[*errmap.Error](resp.Err)
		if !ok {
			t.Fatalf("got %v", resp.Err)
		}
		return e
	}
	if e := after(); errors.Is(e, context.Canceled) || !e.Remote() || e.Code() != code.Code_CANCELLED {
		t.Errorf("a received cancellation: %v, remote %v", e, e.Remote())
	}
	cancel()
	if e := after(); !errors.Is(e, context.Canceled) || e.Remote() || !e.Local() || e.Code() != code.Code_CANCELLED {
		t.Errorf("our own cancellation: %v, remote %v, local %v", e, e.Remote(), e.Local())
	}
}

func TestClientInterceptor(t *testing.T) {
	t.Parallel()
	after := func(err error) error {
		resp := &a2aclient.Response{Err: err}
		if err := errmapa2a.ClientInterceptor().After(t.Context(), resp); err != nil {
			t.Fatal(err)
		}
		return resp.Err
	}
	if err := after(nil); err != nil {
		t.Errorf("nil became %v", err)
	}
	local := errors.New("no route to host")
	if err := after(local); err != local {
		t.Errorf("a local error became %v", err)
	}
	sent := a2a.NewError(a2a.ErrTaskNotFound, "gone").WithErrorInfoMeta(map[string]string{"taskId": "t-1"})
	err := after(fmt.Errorf("x: %w", sent))
	e, ok := errors.AsType[*errmap.Error](err)
	if !ok || !e.Remote() || e.Message() != "gone" || !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("got %v", err)
	}
	if found, ok := errors.AsType[*a2a.Error](err); !ok || found != sent {
		t.Errorf("no *a2a.Error in %v", err)
	}
	if found, ok := errors.AsType[*a2av1.TaskNotFoundError](err); !ok || found.GetTaskId() != "t-1" {
		t.Errorf("no TaskNotFoundError in %v", err)
	}
	got, reports := outgoing(t, fmt.Errorf("asking the other agent: %w", err))
	if strings.Contains(got, "gone") || len(reports) != 1 {
		t.Errorf("a received error speaks: %s", got)
	}
	if got, _ := outgoing(t, errmap.Forward(err)); got != `{"code":-32001,"message":"gone","data":[`+info("TASK_NOT_FOUND", `"taskId":"t-1"`)+`]}` {
		t.Errorf("a forwarded error: %s", got)
	}
}
