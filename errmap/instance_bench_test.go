package errmap_test

import (
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/errmap"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
)

func BenchmarkDefinition_encode(b *testing.B) {
	shop := compileProto(b, shopSchema)
	for name, m := range map[string]proto.Message{
		"one field":   &a2av1.TaskNotFoundError{TaskId: "task-17"},
		"no field":    &a2av1.VersionNotSupportedError{},
		"a list":      &mcpv1.UnsupportedProtocolVersionError{Supported: []string{"2026-07-28", "2025-11-25"}, Requested: "1999-01-01"},
		"all dynamic": messageOf(b, shop, "OrderRefusedError", `order_id: "o-1" count: 3 retry: {retry_delay: {seconds: 1}}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d, err := errmap.DefinitionOf(m.ProtoReflect().Descriptor())
				if err != nil {
					b.Fatal(err)
				}
				errmap.EncodeInstance(d, m)
			}
		})
	}
}

func BenchmarkDefinition_decode(b *testing.B) {
	d, err := errmap.DefinitionOf(new(a2av1.TaskNotFoundError).ProtoReflect().Descriptor())
	if err != nil {
		b.Fatal(err)
	}
	info := &errdetails.ErrorInfo{Metadata: map[string]string{"taskId": "t-1"}}
	none := func(protoreflect.FullName) ([]byte, bool) { return nil, false }
	b.ReportAllocs()
	for b.Loop() {
		into := new(a2av1.TaskNotFoundError)
		errmap.DecodeInstance(d, into, info, none)
	}
}

// TestDefinition_encode_allocations pins what an instance of generated code
// with scalar fields costs: the details and the bytes of the ErrorInfo.
func TestDefinition_encode_allocations(t *testing.T) {
	m := &a2av1.TaskNotFoundError{TaskId: "task-17"}
	d, err := errmap.DefinitionOf(m.ProtoReflect().Descriptor())
	if err != nil {
		t.Fatal(err)
	}
	if got := testing.AllocsPerRun(100, func() { errmap.EncodeInstance(d, m) }); got > 2 {
		t.Errorf("%v allocations, want 2", got)
	}
}
