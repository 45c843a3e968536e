package errmap_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adaptertest"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

var libraries = map[string]errmap.Wire{"memory": errmap.WireStatus, "connect": errmap.WireConnect, "gRPC": errmap.WireGRPC}

func TestError_StatusOn_nothing_lost(t *testing.T) {
	t.Parallel()
	cases := adaptertest.Rich(t)
	s := &statuspb.Status{Code: 9, Message: "m"}
	s.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, 9, protowire.BytesType), "hi"))
	e, err := errmap.FromStatus(s)
	if err != nil {
		t.Fatal(err)
	}
	cases["unknown fields"] = e
	e, err = errmap.DecodeGRPC(map[string][]string{"grpc-status": {"404"}, "grpc-message": {"m"}})
	if err != nil {
		t.Fatal(err)
	}
	cases["a private code without details"] = e
	for name, rich := range cases {
		for wire, form := range libraries {
			t.Run(name+"/"+wire, func(t *testing.T) {
				t.Parallel()
				e, _ := errors.AsType[*errmap.Error](rich)
				s := e.StatusOn(form)
				if len(s.ProtoReflect().GetUnknown()) > 0 {
					t.Error("the status has unknown fields, which libraries drop")
				}
				back, err := errmap.FromStatus(s)
				if err != nil {
					t.Fatal(err)
				}
				adaptertest.CheckSame(t, e, back)
				if form == errmap.WireConnect && (s.GetCode() < 1 || s.GetCode() > 16) {
					t.Errorf("code %d, which the Connect protocol has not", s.GetCode())
				}
			})
		}
	}
}

func TestError_StatusOn_budget(t *testing.T) {
	t.Parallel()
	// Text of which each byte takes three is over the budget long before its length
	// is.
	e := errmap.NewCode(code.Code_ABORTED, strings.Repeat("é", 2000)).WithDetail(&errdetails.ErrorInfo{Reason: "CLASH"})
	if s := e.StatusOn(errmap.WireGRPC); len(s.GetMessage()) >= 4000 || len(s.GetDetails()) != 1 {
		t.Errorf("message of %d bytes, %d details", len(s.GetMessage()), len(s.GetDetails()))
	}
	for _, form := range []errmap.Wire{errmap.WireStatus, errmap.WireConnect} {
		if s := e.StatusOn(form); s.GetMessage() != e.Message() {
			t.Errorf("form %d cuts the message", form)
		}
	}
	if s := errmap.NewCode(code.Code_ABORTED, "x").StatusOn(errmap.WireGRPC, errmap.WithBudget(1)); s.GetCode() != 10 || s.GetMessage() != "" {
		t.Errorf("got %v", s)
	}
}

func TestError_StatusOn_nil(t *testing.T) {
	t.Parallel()
	for name, form := range libraries {
		if s := (*errmap.Error)(nil).StatusOn(form); s != nil {
			t.Errorf("%s: %v", name, s)
		}
	}
}

func BenchmarkError_StatusOn(b *testing.B) {
	e := errmap.NewCode(code.Code_NOT_FOUND, "Task not found").
		WithDetail(&errdetails.ErrorInfo{Reason: "TASK_NOT_FOUND", Domain: "a2a-protocol.org", Metadata: map[string]string{"taskId": "t-1", "tenant": "x"}})
	for name, form := range libraries {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.StatusOn(form)
			}
		})
	}
}
