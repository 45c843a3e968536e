// Package schematest has what tests of schemas stand on: a schema with everything in
// it, and the ways in which a program comes by one.
package schematest

import (
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Shop is what most tests of definitions stand on: one message with
// every kind of field, and one of each thing that an option can say.
const Shop = `
syntax = "proto3";
package shop.v1;

import "errmap/v1/error.proto";
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "google/rpc/error_details.proto";

option (errmap.v1.domain) = "shop.example.com";

enum Size {
  option allow_alias = true;
  SIZE_UNSPECIFIED = 0;
  SIZE_SMALL = 1;
  SIZE_TINY = 1;
}

message Line {
  string sku = 1;
  int64 count = 2;
  Line next = 3;
}

message EveryKindError {
  option (errmap.v1.error) = { code: FAILED_PRECONDITION };
  string text = 1;
  bool flag = 2;
  int32 i32 = 3;
  sint64 s64 = 4;
  uint32 u32 = 5;
  fixed64 f64 = 6;
  float float = 7;
  double double = 8;
  bytes raw = 9;
  Size size = 10;
  Line line = 11;
  repeated string words = 12;
  repeated Line lines = 13;
  map<string, int64> stock = 14;
  google.protobuf.Timestamp at = 15;
  google.protobuf.Duration wait = 16;
  google.protobuf.FieldMask mask = 17;
  google.protobuf.StringValue string_value = 18;
  google.protobuf.BytesValue bytes_value = 19;
  google.protobuf.Int32Value int32_value = 20;
  google.protobuf.Int64Value int64_value = 21;
  google.protobuf.UInt32Value uint32_value = 22;
  google.protobuf.UInt64Value uint64_value = 23;
  google.protobuf.FloatValue float_value = 24;
  google.protobuf.DoubleValue double_value = 25;
  google.protobuf.BoolValue bool_value = 26;
  google.protobuf.Struct object = 27;
  google.protobuf.ListValue list = 28;
  google.protobuf.Value value = 29;
  google.protobuf.Any any = 30;
  google.protobuf.Empty empty = 31;
  google.protobuf.NullValue nothing = 32;
  optional google.protobuf.NullValue maybe_nothing = 33;
  optional int32 maybe_int = 34;
  optional string maybe_text = 35;
  oneof choice {
    string one_text = 36;
    int32 one_int = 37;
    google.rpc.LocalizedMessage one_localized = 38;
  }
  string renamed = 39 [json_name = "@odd \"name\""];
  repeated google.rpc.RetryInfo retries = 40;
  google.rpc.ErrorInfo inner = 41;
  repeated double doubles = 42;
  map<int32, Line> by_number = 43;
  map<bool, bytes> by_bool = 44;
  int64 i64 = 45;
  uint64 u64 = 46;
  sfixed32 sf32 = 47;
  repeated google.protobuf.NullValue nothings = 48;
  repeated string odd_words = 49 [json_name = "o\\d: \"w\""];
}

message OrderRefusedError {
  option (errmap.v1.error) = {
    code: RESOURCE_EXHAUSTED
    info: { reason: "ORDER_REFUSED", domain: "orders.example.com", metadata: { key: "team" value: "till" } metadata: { key: "orderId" value: "none" } }
    title: "Order refused"
    message: "Order {order_id} refused: {{{count}}} left"
    jsonrpc_code: 4010
    http_status: 402
    problem_type: "https://example.com/refused"
    help: { description: "Why" url: "https://example.com/why" }
    retryable: true
  };
  google.rpc.BadRequest bad = 9;
  string order_id = 1;
  optional int32 count = 2;
  google.rpc.RetryInfo retry = 4;
  google.rpc.Help help = 3;
}

message PlainError {
  option (errmap.v1.error) = { code: NOT_FOUND };
  message HTTPTimeoutError {
    option (errmap.v1.error) = { code: DEADLINE_EXCEEDED message: "late" };
  }
}

message TwoRetriesError {
  option (errmap.v1.error) = { code: UNAVAILABLE };
  google.rpc.RetryInfo first = 2;
  google.rpc.RetryInfo second = 1;
  google.rpc.DebugInfo debug = 3;
  google.rpc.QuotaFailure quota = 4;
  google.rpc.PreconditionFailure precondition = 5;
  google.rpc.ResourceInfo resource = 6;
  google.rpc.RequestInfo request = 7;
  google.rpc.LocalizedMessage localized = 8;
}

message NotAnError { string text = 1; }
`

// Compile compiles one schema against the linked copies of what it imports.
func Compile(t testing.TB, source string) protoreflect.FileDescriptor {
	t.Helper()
	return CompileAll(t, map[string]string{"test.proto": source}, "test.proto")[0]
}

// CompileAll compiles the schemas at paths, which may import each other by their
// names in sources.
func CompileAll(t testing.TB, sources map[string]string, paths ...string) []protoreflect.FileDescriptor {
	t.Helper()
	linked := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		fd, err := protoregistry.GlobalFiles.FindFileByPath(path)
		return protocompile.SearchResult{Desc: fd}, err
	})
	compiler := protocompile.Compiler{Resolver: protocompile.CompositeResolver{
		&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(sources)}, linked,
	}}
	files, err := compiler.Compile(t.Context(), paths...)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]protoreflect.FileDescriptor, len(files))
	for i, file := range files {
		out[i] = file
	}
	return out
}

// Foreign returns a file as a stranger sees it who got it as bytes, by
// reflection or in a descriptor set: nothing is linked, what it imports is a
// copy too, and options are unknown fields.
func Foreign(t testing.TB, file protoreflect.FileDescriptor) protoreflect.FileDescriptor {
	t.Helper()
	set := new(descriptorpb.FileDescriptorSet)
	seen := make(map[string]bool)
	var add func(protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if seen[file.Path()] {
			return
		}
		seen[file.Path()] = true
		for i := range file.Imports().Len() {
			add(file.Imports().Get(i).FileDescriptor)
		}
		raw, err := proto.Marshal(protodesc.ToFileDescriptorProto(file))
		if err != nil {
			t.Fatal(err)
		}
		fresh := new(descriptorpb.FileDescriptorProto)
		if err := (proto.UnmarshalOptions{Resolver: new(protoregistry.Types)}).Unmarshal(raw, fresh); err != nil {
			t.Fatal(err)
		}
		set.File = append(set.File, fresh)
	}
	add(file)
	files, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatal(err)
	}
	found, err := files.FindFileByPath(file.Path())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// MessageOf returns a message of a file from its text form.
func MessageOf(t testing.TB, file protoreflect.FileDescriptor, name protoreflect.Name, text string) proto.Message {
	t.Helper()
	md := file.Messages().ByName(name)
	if md == nil {
		t.Fatalf("no message %s", name)
	}
	m := dynamicpb.NewMessage(md)
	if err := prototext.Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	return m
}
