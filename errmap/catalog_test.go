package errmap_test

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/schema"
	"github.com/errmap/errmap/internal/schema/schematest"
)

func ExampleLinked() {
	definition := schema.Linked().Find("a2a-protocol.org", "TASK_NOT_FOUND")
	fmt.Println(definition.FullName(), definition.Code())
	// Output: errmap.a2a.v1.TaskNotFoundError NOT_FOUND
}

func ExampleNewCatalog() {
	catalog, err := schema.NewCatalog(mcpv1.File_errmap_mcp_v1_errors_proto)
	if err != nil {
		panic(err)
	}
	for _, definition := range catalog.Definitions() {
		if definition.Domain() == "modelcontextprotocol.io" {
			fmt.Println(definition.Reason())
		}
	}
	// Output:
	// HEADER_MISMATCH
	// MISSING_REQUIRED_CLIENT_CAPABILITY
	// RESOURCE_NOT_FOUND
	// UNSUPPORTED_PROTOCOL_VERSION
	// URL_ELICITATION_REQUIRED
}

func newCatalog(t testing.TB, files ...protoreflect.FileDescriptor) *errmap.Catalog {
	t.Helper()
	catalog, err := errmap.NewCatalog(files...)
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	shop := schematest.Foreign(t, schematest.Compile(t, schematest.Shop))
	catalog := newCatalog(t, shop)
	d := catalog.Find("orders.example.com", "ORDER_REFUSED")
	if d.FullName() != "shop.v1.OrderRefusedError" || d != catalog.ByJSONRPC("orders.example.com", 4010) ||
		d != catalog.ByProblemType("https://example.com/refused") || !slices.Contains(catalog.Definitions(), d) || !catalog.KnowsDomain("orders.example.com") {
		t.Errorf("found %s", d.FullName())
	}
	if catalog.Find("orders.example.com", "OTHER") != nil || catalog.KnowsDomain("example.com") || catalog.ByJSONRPC("", 1) != nil || catalog.ByProblemType("") != nil {
		t.Error("an error is found that is not there")
	}
	if mt, err := catalog.FindMessageByName("shop.v1.Line"); err != nil || mt.Descriptor() != shop.Messages().ByName("Line") {
		t.Error(err)
	}
	if _, err := catalog.FindMessageByURL("x/shop.v1.None"); err != protoregistry.NotFound { // the very value: protobuf compares so
		t.Error(err)
	}
	if xt, err := catalog.FindExtensionByName("errmap.v1.error"); err != nil || xt != protoreflect.ExtensionType(errmapv1.E_Error) {
		t.Error(err)
	}
	if c, err := errmap.NewCatalog(schematest.Compile(t, `syntax = "proto3"; package bad.v1; import "errmap/v1/error.proto";
		message BadError { option (errmap.v1.error) = { code: OK }; }`)); c != nil || err == nil {
		t.Errorf("%v, %v", c, err)
	}
}

func TestCatalog_nil(t *testing.T) {
	t.Parallel()
	var c *errmap.Catalog
	if c.Find("a2a-protocol.org", "TASK_NOT_FOUND") != nil || c.Definitions() != nil || c.KnowsDomain("a2a-protocol.org") ||
		c.ByProblemType("https://a2a-protocol.org/errors/task-not-found") != nil || c.ByJSONRPC("a2a-protocol.org", -32001) != nil {
		t.Error("a nil catalogue knows an error")
	}
	detail, err := anypb.New(&errmapv1.Carried{Check: []byte("four")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (protojson.MarshalOptions{Resolver: c}).Marshal(detail); err != nil {
		t.Error(err)
	}
	if err := (proto.UnmarshalOptions{Resolver: c}).Unmarshal(nil, new(errmapv1.Carried)); err != nil {
		t.Error(err)
	}
}

func TestLinked(t *testing.T) {
	t.Parallel()
	if first, second := errmap.Linked(), errmap.Linked(); first == nil || first != second {
		t.Error("Linked is made anew")
	}
}
