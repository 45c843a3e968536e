package mounttest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	connectv1 "connectrpc.com/connect"
	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connectv1"
	"github.com/errmap/errmap/server"
)

// returns makes a handler that fails with one error.
func returns(err error) handler { return func(context.Context) error { return err } }

// violations returns a BadRequest of so many.
func violations(n int) *errdetails.BadRequest {
	bad := new(errdetails.BadRequest)
	for i := range n {
		bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{
			Field: fmt.Sprintf("lines[%d].sku", i), Description: "is not the name of an article that this shop has",
		})
	}
	return bad
}

// A list that is too long is cut from its end, on every wire; what fits arrives whole.
func TestFinding_P23_long_lists(t *testing.T) {
	t.Parallel()
	const many = 5000
	e := errmap.NewCode(code.Code_INVALID_ARGUMENT, "no").WithDetail(&errdetails.ErrorInfo{Reason: "BAD_LINES", Domain: "shop.example.com"}).WithDetail(violations(many))
	inEvery(t, func(t *testing.T, name string, call func(*errmap.Guard, handler) error) {
		err := call(quiet(), returns(e))
		bad, ok := errmap.Detail[*errdetails.BadRequest](err)
		if !ok || errmap.From(err).Reason() != "BAD_LINES" {
			t.Fatalf("got %.300v", err)
		}
		n, size := len(bad.GetFieldViolations()), proto.Size(bad)
		if n == 0 || n == many || size > errmap.DefaultListBytes || !strings.Contains(name, "grpc") && size < errmap.DefaultListBytes-200 {
			t.Errorf("%d violations of %d bytes", n, size)
		}
		if !proto.Equal(bad, violations(n)) {
			t.Error("they are not the first ones")
		}
		if strings.Contains(name, "grpc") {
			return
		}
		whole, _ := errmap.Detail[*errdetails.BadRequest](call(quiet(errmap.WithListBytes(-1)), returns(e)))
		if got := len(whole.GetFieldViolations()); got != many {
			t.Errorf("without a bound: %d violations", got)
		}
	})
}

// A handler forwards the error of whatever client it called.
func TestFinding_P25_errors_of_other_libraries(t *testing.T) {
	t.Parallel()
	book := &libraryv1.BookNotFoundError{Name: "b"}
	info := &errdetails.ErrorInfo{Reason: errmap.New(book).Reason(), Domain: errmap.New(book).Domain(), Metadata: map[string]string{"name": "b"}}
	grpcStatus, err := status.New(codes.NotFound, "gone").WithDetails(info)
	if err != nil {
		t.Fatal(err)
	}
	v1 := connectv1.NewError(connectv1.CodeNotFound, errors.New("gone"))
	detail, err := connectv1.NewErrorDetail(info)
	if err != nil {
		t.Fatal(err)
	}
	v1.AddDetail(detail)
	raw, err := proto.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	v2 := connect.NewError(connect.CodeNotFound, "gone").WithDetail(&connect.ErrorDetail{Type: "google.rpc.ErrorInfo", Value: raw})
	for kind, upstream := range map[string]error{
		"status.Error":              grpcStatus.Err(),
		"status.Error, wrapped":     fmt.Errorf("inventory: %w", grpcStatus.Err()),
		"status.Error, joined":      errors.Join(errors.New("10.0.0.7"), grpcStatus.Err()),
		"Connect v1":                v1,
		"Connect v1, wrapped":       fmt.Errorf("inventory: %w", v1),
		"Connect v2":                v2,
		"Connect v2 of a peer":      v2.WithRemote(),
		"Connect v2, wrapped":       fmt.Errorf("inventory: %w", v2.WithRemote()),
		"Connect v2 of the adapter": errmapconnect.ToError(errmap.New(book).WithMessage("gone")).WithRemote(),
	} {
		t.Run(kind, func(t *testing.T) {
			inEvery(t, func(t *testing.T, _ string, call func(*errmap.Guard, handler) error) {
				err := call(quiet(), returns(errmap.Forward(upstream)))
				got := errmap.From(err)
				typed, ok := errors.AsType[*libraryv1.BookNotFoundError](err)
				if got.Code() != code.Code_NOT_FOUND || got.Message() != "gone" || !ok || typed.GetName() != "b" {
					t.Errorf("got %v %q, %v", got.Code(), got.Message(), got.Details())
				}
			})
		})
	}
}

// Of a call that failed here the text stays behind, which names addresses.
func TestFinding_P25_failed_calls(t *testing.T) {
	t.Parallel()
	dial := errors.New(`connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.7:443: connect: connection refused"`)
	for kind, failed := range map[string]error{
		"grpc-go":    status.Error(codes.Unavailable, dial.Error()),
		"Connect v1": connectv1.NewError(connectv1.CodeUnavailable, opError()),
		"Connect v2": connect.NewError(connect.CodeUnavailable, opError().Error()).WithCause(opError()),
	} {
		t.Run(kind, func(t *testing.T) {
			inEvery(t, func(t *testing.T, _ string, call func(*errmap.Guard, handler) error) {
				got := errmap.From(call(quiet(), returns(errmap.Forward(failed))))
				if got.Code() != code.Code_UNAVAILABLE || strings.Contains(fmt.Sprintf("%+v", got), "10.0.0.7") {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

// What is no error of a library stays what it was, and is hidden.
func TestFinding_P25_no_error_of_a_library(t *testing.T) {
	t.Parallel()
	for _, err := range []error{errors.New("10.0.0.7"), status.Error(codes.OK, ""), (*connect.Error)(nil), (*connectv1.Error)(nil), context.Canceled} {
		if got := errmap.Forward(err); got != err && err != nil {
			t.Errorf("%T became %v", err, got)
		}
	}
}

// The cause of a call that was canceled is told, while its caller waits.
func TestFinding_P27_canceled_beside_a_cause(t *testing.T) {
	t.Parallel()
	book := &libraryv1.BookNotFoundError{Name: "b"}
	for kind, canceled := range map[string]error{
		"context":    context.Canceled,
		"Connect v1": connectv1.NewError(connectv1.CodeCanceled, context.Canceled),
		"Connect v2": connect.NewError(connect.CodeCanceled, "canceled").WithCause(context.Canceled),
		"grpc-go":    status.Error(codes.Canceled, context.Canceled.Error()),
	} {
		t.Run(kind, func(t *testing.T) {
			inEvery(t, func(t *testing.T, _ string, call func(*errmap.Guard, handler) error) {
				for _, joined := range []error{errors.Join(canceled, book), errors.Join(book, canceled)} {
					if err := call(quiet(), returns(joined)); errmap.From(err).Reason() != errmap.New(book).Reason() {
						t.Errorf("got %v", err)
					}
				}
			})
		})
	}
}

// A method that ends its goroutine is one that panics.
func TestFinding_P28_Goexit(t *testing.T) {
	t.Parallel()
	inEvery(t, func(t *testing.T, _ string, call func(*errmap.Guard, handler) error) {
		var reports atomic.Int64
		guard := errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) { reports.Add(1) }))
		err := call(guard, func(context.Context) error { runtime.Goexit(); return nil })
		if e := errmap.From(err); e.Code() != code.Code_INTERNAL || reports.Load() != 1 {
			t.Errorf("got %v, logged %d times", err, reports.Load())
		}
	})
}

// Services that exist put what their database says under INTERNAL and UNKNOWN.
func TestFinding_P30_text_under_INTERNAL(t *testing.T) {
	t.Parallel()
	const secret = "pq: password of 10.0.0.7"
	hiding := quiet(errmap.WithHiddenCodes(code.Code_INTERNAL, code.Code_UNKNOWN))
	for kind, err := range map[string]error{
		"errmap":     errmap.NewCode(code.Code_UNKNOWN, secret),
		"Connect v1": connectv1.NewError(connectv1.CodeInternal, errors.New(secret)),
		"Connect v2": connect.NewError(connect.CodeUnknown, secret),
		"grpc-go":    status.Error(codes.Internal, secret),
	} {
		t.Run(kind, func(t *testing.T) {
			inEvery(t, func(t *testing.T, _ string, call func(*errmap.Guard, handler) error) {
				e := errmap.From(call(hiding, returns(err)))
				names := make([]string, 0, 1)
				for _, d := range e.Details() {
					names = append(names, d.TypeURL())
				}
				if e.Code() != code.Code_INTERNAL || e.Message() != "internal error" || !slices.Contains(names, "type.googleapis.com/google.rpc.RequestInfo") {
					t.Errorf("got %+v", e)
				}
			})
		})
	}
}

// The SDK of A2A makes an error of its own of one that is none of the nine: what a
// caller reads of it is the message.
func TestFinding_P25_A2A(t *testing.T) {
	t.Parallel()
	secret := status.Error(codes.Internal, "pq: password of 10.0.0.7")
	for kind, row := range map[string]struct {
		guard *errmap.Guard
		err   error
		want  string
	}{
		"a status, forwarded":      {quiet(), errmap.Forward(status.Error(codes.NotFound, "gone")), "gone"},
		"Connect's, forwarded":     {quiet(), errmap.Forward(connect.NewError(connect.CodeNotFound, "gone").WithRemote()), "gone"},
		"a status, not forwarded":  {quiet(), status.Error(codes.NotFound, "gone"), "internal error"},
		"a failed call, forwarded": {quiet(), errmap.Forward(connect.NewError(connect.CodeUnavailable, opError().Error()).WithCause(opError())), "unavailable"},
		"canceled beside a cause":  {quiet(), errors.Join(context.Canceled, &libraryv1.BookNotFoundError{Name: "b"}), "No book b"},
		"hidden by its code":       {quiet(errmap.WithHiddenCodes(code.Code_INTERNAL)), errmap.Forward(secret), "internal error"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if got := errmap.From(overA2A(t, row.guard, returns(row.err))); got.Message() != row.want || strings.Contains(fmt.Sprintf("%+v", got), "10.0.0.7") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// opError is what the network says of a server that is not there.
func opError() error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 443}, Err: syscall.ECONNREFUSED}
}

// The SDK of A2A runs an agent in a goroutine that it waits for: one that ends it leaves
// its caller without an answer. docs/interop.md says so.
func TestFinding_P28_A2A(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		answered <- overA2A(t, quiet(), func(context.Context) error { runtime.Goexit(); return nil })
	}()
	select {
	case err := <-answered:
		t.Errorf("the SDK answers now: %v", err)
	case <-ctx.Done():
	}
}

// What is wrong with JSON is told by the field, without its value. In v1 Connect answers a
// unary request that it cannot read by itself, before any interceptor.
func TestFinding_P24_no_values(t *testing.T) {
	t.Parallel()
	rpc := newServer(quiet(), returns(nil))
	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc, connecthttp.WithGRPC(), connecthttp.WithGRPCWeb(), connecthttp.WithProtoJSON())
	if err := server.Mount(mux, rpc); err != nil {
		t.Fatal(err)
	}
	v1, stream := libraryv1connectv1.NewLibraryHandler(libraryV1{}, errmapconnectv1.WithServer())
	mux.Handle("/v1"+v1, http.StripPrefix("/v1", stream))
	url, _ := serve(t, mux)
	const service, request = "/library.v1.Library/", `{"pageSize":"hunter2"}`
	frame := func(kind byte) string {
		return string([]byte{kind, 0, 0, 0, byte(len(request))}) + request
	}
	for name, test := range map[string]struct{ path, contentType, body string }{
		"Connect":          {service + "ListBooks", "application/json", request},
		"Connect, stream":  {service + "WatchBooks", "application/connect+json", frame(0)},
		"gRPC":             {service + "ListBooks", "application/grpc+json", frame(0)},
		"gRPC-Web":         {service + "ListBooks", "application/grpc-web+json", frame(0)},
		"v1, stream":       {"/v1" + service + "WatchBooks", "application/connect+json", frame(0)},
		"v1, stream, gRPC": {"/v1" + service + "WatchBooks", "application/grpc+json", frame(0)},
		"JSON-RPC":         {"/", "application/json", `{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/ListBooks","params":` + request + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+test.path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", test.contentType)
			resp, err := h2c(t).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprintf("%s %v %v", body, resp.Header, resp.Trailer)
			if strings.Contains(text, "hunter2") || !strings.Contains(text, "int32 field pageSize") {
				t.Errorf("the answer is %s", text)
			}
		})
	}
}
