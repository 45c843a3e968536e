package bench

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectproto"
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/creachadair/jrpc2"
	kratos "github.com/go-kratos/kratos/v2/errors"
	"github.com/googleapis/gax-go/v2/apierror"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	"github.com/errmap/errmap/errmap"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
)

// The error of every row: NOT_FOUND with an ErrorInfo of two metadata entries.
var (
	info = &errdetails.ErrorInfo{
		Reason: "TASK_NOT_FOUND", Domain: "a2a-protocol.org",
		Metadata: map[string]string{"taskId": "t-1", "attempt": "2"},
	}
	ours   = errmap.NewCode(code.Code_NOT_FOUND, "Task not found").WithDetail(info)
	theirs = a2a.NewError(a2a.ErrTaskNotFound, "Task not found").WithErrorInfoMeta(map[string]string{"taskId": "t-1", "attempt": "2"})
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func detail(m proto.Message) *connect.ErrorDetail { return must(connectproto.NewErrorDetail(m)) }

// discard is a response that nobody reads.
type discard struct {
	header http.Header
	status int
	size   int
}

func (d *discard) Header() http.Header { return d.header }

func (d *discard) Write(p []byte) (int, error) {
	d.size += len(p)
	return len(p), nil
}

func (d *discard) WriteHeader(status int) { d.status = status }

func (d *discard) reset() {
	clear(d.header)
	d.status, d.size = 0, 0
}

func BenchmarkErrorToJSONRPC(b *testing.B) {
	b.Run("errmap", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			errmap.EncodeJSONRPC(ours, errmap.ProfileA2A)
		}
	})
	b.Run("a2a-go", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			must(json.Marshal(toJSONRPCError(theirs)))
		}
	})
	b.Run("protojson Status", func(b *testing.B) {
		s := ours.Status()
		defer measure(b)()
		for b.Loop() {
			must(protojson.Marshal(s))
		}
	})
	b.Run("jrpc2, data as raw JSON", func(b *testing.B) {
		e := &jrpc2.Error{Code: -32001, Message: "Task not found", Data: json.RawMessage(`[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"attempt":"2","taskId":"t-1"}}]`)}
		defer measure(b)()
		for b.Loop() {
			must(json.Marshal(e))
		}
	})
}

func BenchmarkJSONRPCToError(b *testing.B) {
	object := errmap.EncodeJSONRPC(ours, errmap.ProfileA2A)
	b.Run("errmap", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			if must(errmap.DecodeJSONRPC(object, errmap.ProfileA2A)).Reason() != "TASK_NOT_FOUND" {
				b.Fatal("another reason")
			}
		}
	})
	b.Run("a2a-go", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			e := new(a2aError)
			if err := json.Unmarshal(object, e); err != nil {
				b.Fatal(err)
			}
			if !errors.Is(fromJSONRPCError(e), a2a.ErrTaskNotFound) {
				b.Fatal("another error")
			}
		}
	})
	b.Run("jrpc2, data left raw", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			e := new(jrpc2.Error)
			if err := json.Unmarshal(object, e); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Each side answers with an error that it has, so neither counts the making.
func BenchmarkErrorToConnect(b *testing.B) {
	sides(b, connectWriting(ours, connectError(ours.Status()))...)
}

func BenchmarkConnectToError(b *testing.B) {
	body, form := errmap.EncodeConnect(ours), must(protojson.Marshal(ours.Status()))
	b.Run("errmap", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			must(errmap.DecodeConnect(body))
		}
	})
	b.Run("protojson Status", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			if err := protojson.Unmarshal(form, new(statuspb.Status)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("connect v2 UnmarshalErrorDetail alone", func(b *testing.B) {
		d := detail(info)
		defer measure(b)()
		for b.Loop() {
			must(connectproto.UnmarshalErrorDetail(d))
		}
	})
}

// Each side has its error, and makes the text of grpc-status-details-bin.
func BenchmarkErrorToGRPC(b *testing.B) {
	theirs := must(status.New(codes.NotFound, "Task not found").WithDetails(protoadapt.MessageV1Of(info)))
	k := kratos.New(404, "TASK_NOT_FOUND", "Task not found").WithMetadata(info.GetMetadata())
	sides(b,
		side{"errmap", func() { errmap.EncodeGRPC(ours) }},
		side{"grpc-go Marshal, base64", func() { grpcHeaders(theirs.Proto()) }},
		side{"kratos GRPCStatus, Marshal, base64", func() { grpcHeaders(k.GRPCStatus().Proto()) }})
}

func BenchmarkGRPCToError(b *testing.B) {
	headers := errmap.EncodeGRPC(ours).Map()
	s := ours.Status()
	text := grpcHeaders(s)
	b.Run("errmap", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			must(errmap.DecodeGRPC(headers))
		}
	})
	b.Run("grpc-go base64, Unmarshal, Details", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			s := new(statuspb.Status)
			if err := proto.Unmarshal(must(base64.RawStdEncoding.DecodeString(text)), s); err != nil {
				b.Fatal(err)
			}
			status.FromProto(s).Details()
		}
	})
	b.Run("gax-go FromError", func(b *testing.B) {
		err := status.FromProto(s).Err()
		defer measure(b)()
		for b.Loop() {
			if _, ok := apierror.FromError(err); !ok {
				b.Fatal("no error")
			}
		}
	})
}

func BenchmarkMessageToJSONRPC(b *testing.B) {
	b.Run("errmap", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			errmap.EncodeJSONRPC(errmap.New(&libraryv1.BookLentError{Name: "books/1", Reader: "r-7"}), errmap.ProfileGeneric)
		}
	})
	b.Run("a2a-go", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			e := a2a.NewError(a2a.ErrTaskNotFound, "r-7 has books/1").WithErrorInfoMeta(map[string]string{"name": "books/1", "reader": "r-7"})
			must(json.Marshal(toJSONRPCError(e)))
		}
	})
}

func BenchmarkJSONRPCToMessage(b *testing.B) {
	object := errmap.EncodeJSONRPC(errmap.New(&libraryv1.BookLentError{Name: "books/1", Reader: "r-7"}), errmap.ProfileGeneric)
	like := errmap.EncodeJSONRPC(ours, errmap.ProfileA2A)
	b.Run("errmap", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			if _, ok := errors.AsType[*libraryv1.BookLentError](must(errmap.DecodeJSONRPC(object, errmap.ProfileGeneric))); !ok {
				b.Fatal("another error")
			}
		}
	})
	b.Run("a2a-go", func(b *testing.B) {
		defer measure(b)()
		for b.Loop() {
			e := new(a2aError)
			if err := json.Unmarshal(like, e); err != nil {
				b.Fatal(err)
			}
			if typed, ok := errors.AsType[*a2a.Error](fromJSONRPCError(e)); !ok || typed == nil {
				b.Fatal("another error")
			}
		}
	})
}
