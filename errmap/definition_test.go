package errmap_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/errmap/errmap/errmap"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	"github.com/errmap/errmap/internal/schema"
	"github.com/errmap/errmap/internal/schema/schematest"
)

func ExampleDefinitionOf() {
	definition, err := schema.DefinitionOf((*a2av1.TaskNotFoundError)(nil).ProtoReflect().Descriptor())
	if err != nil {
		panic(err)
	}
	number, _ := definition.JSONRPCCode()
	fmt.Println(definition.Code(), definition.Domain(), definition.Reason(), number)
	fmt.Println(definition.Title())
	fmt.Println(definition.ProblemType())
	// Output:
	// NOT_FOUND a2a-protocol.org TASK_NOT_FOUND -32001
	// Task not found
	// https://a2a-protocol.org/errors/task-not-found
}

func TestDefinitionOf(t *testing.T) {
	t.Parallel()
	shop := schematest.Compile(t, schematest.Shop)
	md := shop.Messages().ByName("OrderRefusedError")
	d, err := errmap.DefinitionOf(md)
	if err != nil {
		t.Fatal(err)
	}
	want := []any{protoreflect.FullName("shop.v1.OrderRefusedError"), code.Code_RESOURCE_EXHAUSTED, "ORDER_REFUSED", "orders.example.com", "Order refused",
		"Order {order_id} refused: {{{count}}} left", int32(4010), true, 402, true, "https://example.com/refused", true, true,
		map[string]string{"team": "till", "orderId": "none"}}
	if diff := cmp.Diff(want, everythingOf(d)); diff != "" || d.Descriptor() != md {
		t.Error(diff)
	}
	links := &errdetails.Help{Links: []*errdetails.Help_Link{{Description: "Why", Url: "https://example.com/why"}}}
	if diff := cmp.Diff(links, d.Help(), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	linked := new(a2av1.TaskNotFoundError).ProtoReflect().Descriptor()
	first, _ := errmap.DefinitionOf(linked)
	second, _ := errmap.DefinitionOf(linked)
	if first == nil || first != second || first != errmap.Linked().Find("a2a-protocol.org", "TASK_NOT_FOUND") {
		t.Error("two definitions of one linked message")
	}
	for _, none := range []protoreflect.MessageDescriptor{nil, shop.Messages().ByName("NotAnError")} {
		if d, err := errmap.DefinitionOf(none); d != nil || !errors.Is(err, errmap.ErrNotAnnotated) {
			t.Errorf("%v, %v", d, err)
		}
	}
}

func TestDefinition_nil(t *testing.T) {
	t.Parallel()
	var d *errmap.Definition
	want := []any{protoreflect.FullName(""), code.Code_OK, "", "", "", "", int32(0), false, 0, false, "", false, false, map[string]string(nil)}
	if diff := cmp.Diff(want, everythingOf(d)); diff != "" || d.Descriptor() != nil || d.Help() != nil {
		t.Error(diff)
	}
}

func everythingOf(d *errmap.Definition) []any {
	number, hasNumber := d.JSONRPCCode()
	status, hasStatus := d.HTTPStatus()
	retryable, known := d.Retryable()
	return []any{d.FullName(), d.Code(), d.Reason(), d.Domain(), d.Title(), d.MessageTemplate(), number, hasNumber, status, hasStatus,
		d.ProblemType(), retryable, known, d.Metadata()}
}
