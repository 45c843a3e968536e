package server_test

import (
	"context"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/server"
)

// unlinked is a service that is in no generated code here, as a gateway has it.
const unlinked = `
name: "acme/v9/acme.proto" package: "acme.v9" syntax: "proto3"
dependency: "google/protobuf/any.proto" dependency: "errmap/v1/error.proto"
options { [errmap.v1.domain]: "acme.example.com" }
message_type { name: "Mystery" field { name: "n" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL json_name: "n" } }
message_type { name: "Box" field { name: "any" number: 1 type: TYPE_MESSAGE type_name: ".google.protobuf.Any" label: LABEL_OPTIONAL json_name: "any" } }
message_type { name: "LostError" options { [errmap.v1.error] { code: NOT_FOUND jsonrpc_code: 5005 title: "Lost" } } }
service {
  name: "Boxes"
  method { name: "Open" input_type: ".acme.v9.Box" output_type: ".acme.v9.Box" options { [errmap.v1.errors]: "acme.v9.LostError" } }
}`

func unlinkedFile(t *testing.T) protoreflect.FileDescriptor {
	t.Helper()
	var raw descriptorpb.FileDescriptorProto
	if err := prototext.Unmarshal([]byte(unlinked), &raw); err != nil {
		t.Fatal(err)
	}
	file, err := protodesc.NewFile(&raw, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestWithCatalog(t *testing.T) {
	t.Parallel()
	file := unlinkedFile(t)
	catalog, err := errmap.NewCatalog(file)
	if err != nil {
		t.Fatal(err)
	}
	box := file.Messages().ByName("Box")
	rpc := connect.NewServer()
	rpc.Register(connect.Method{
		Spec: connect.Spec{Procedure: "/acme.v9.Boxes/Open", Schema: file.Services().ByName("Boxes").Methods().ByName("Open")},
		Handler: func(_ context.Context, _ connect.Spec, stream connect.ServerStream) error {
			message := dynamicpb.NewMessage(box)
			if err := stream.Receive(message); err != nil {
				return err
			}
			if !message.Has(box.Fields().ByName("any")) {
				return errmap.New(dynamicpb.NewMessage(file.Messages().ByName("LostError")))
			}
			return stream.Send(message)
		},
	})
	open := `{"jsonrpc":"2.0","id":1,"method":"acme.v9.Boxes/Open","params":{"any":{"@type":"type.googleapis.com/acme.v9.Mystery","n":7}}}`
	empty := `{"jsonrpc":"2.0","id":1,"method":"acme.v9.Boxes/Open"}`
	const lost = `{"code":5005,"message":"Lost","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"LOST","domain":"acme.example.com"},` +
		`{"@type":"type.googleapis.com/google.rpc.Status","code":5}]}`
	with, err := server.NewHandler(rpc, server.WithCatalog(catalog), server.WithDiscovery("t", "v"))
	if err != nil {
		t.Fatal(err)
	}
	exchanges(t, with, [][2]string{
		{open, `{"jsonrpc":"2.0","id":1,"result":{"any":{"@type":"type.googleapis.com/acme.v9.Mystery","n":7}}}`},
		{empty, `{"jsonrpc":"2.0","id":1,"error":` + lost + `}`},
	})
	if got := post(t, with, discover).body; !strings.Contains(got, `"errors":[`+lost+`]`) {
		t.Errorf("the document lacks the error: %s", got)
	}
	without, err := server.NewHandler(rpc, server.WithDiscovery("t", "v"))
	if err != nil {
		t.Fatal(err)
	}
	if got := post(t, without, open).body; !strings.Contains(got, `"code":-32602`) {
		t.Errorf("without the catalogue: got %s, want -32602", got)
	}
	if got := post(t, without, discover).body; !strings.Contains(got, `"x-unknown-errors":["acme.v9.LostError"]`) {
		t.Errorf("without the catalogue: got %s, want the error named as unknown", got)
	}
}

func TestWithEncoding(t *testing.T) {
	t.Parallel()
	private := errmap.Forward(errmap.NewCode(code.Code(42), "odd").WithRemote())
	const odd = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"odd","data":[{"@type":"type.googleapis.com/google.rpc.Status","code":2}]}}`
	got := post(t, newHandler(t, failing(private), server.WithEncoding(errmap.WithoutCarried())), get("1", "A1")).body
	if got != odd {
		t.Errorf("got %s, want %s", got, odd)
	}
	if whole := post(t, newHandler(t, failing(private)), get("1", "A1")).body; !strings.Contains(whole, "errmap.v1.Carried") {
		t.Errorf("by default: got %s, want the number carried", whole)
	}
}
