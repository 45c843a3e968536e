package schema_test

import (
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
	"github.com/errmap/errmap/internal/schema"
	"github.com/errmap/errmap/internal/schema/schematest"
)

func BenchmarkDefinition_encode(b *testing.B) {
	shop := schematest.Compile(b, schematest.Shop)
	for name, m := range map[string]proto.Message{
		"one field":   &a2av1.TaskNotFoundError{TaskId: "task-17"},
		"no field":    &a2av1.VersionNotSupportedError{},
		"a list":      &mcpv1.UnsupportedProtocolVersionError{Supported: []string{"2026-07-28", "2025-11-25"}, Requested: "1999-01-01"},
		"all dynamic": schematest.MessageOf(b, shop, "OrderRefusedError", `order_id: "o-1" count: 3 retry: {retry_delay: {seconds: 1}}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d, err := schema.DefinitionOf(m.ProtoReflect().Descriptor())
				if err != nil {
					b.Fatal(err)
				}
				encode(d, m)
			}
		})
	}
}

func BenchmarkDefinition_decode(b *testing.B) {
	d, err := schema.DefinitionOf(new(a2av1.TaskNotFoundError).ProtoReflect().Descriptor())
	if err != nil {
		b.Fatal(err)
	}
	info := &errdetails.ErrorInfo{Metadata: map[string]string{"taskId": "t-1"}}
	none := func(string) ([]byte, bool) { return nil, false }
	b.ReportAllocs()
	for b.Loop() {
		into := new(a2av1.TaskNotFoundError)
		d.Decode(into, info, none)
	}
}

// TestDefinition_encode_allocations pins what an instance of generated code
// with scalar fields costs: the details and the bytes of the ErrorInfo.
func TestDefinition_encode_allocations(t *testing.T) {
	m := &a2av1.TaskNotFoundError{TaskId: "task-17"}
	d, err := schema.DefinitionOf(m.ProtoReflect().Descriptor())
	if err != nil {
		t.Fatal(err)
	}
	if got := testing.AllocsPerRun(100, func() { encode(d, m) }); got > 2 {
		t.Errorf("%v allocations, want 2", got)
	}
}
