package grpc_test

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	_ "google.golang.org/protobuf/types/known/wrapperspb" // what the schema is made of
)

const service = "errmap.interop.v1.Failures"

// methods fail with the error whose place in errors the request names: Fail at
// once, FailInTheMiddle after one answer.
var methods = []string{"Fail", "FailInTheMiddle"}

// schema is made here and not by a generator, so that no peer needs one: requests
// and answers are google.protobuf.StringValue, which all of them bring.
var schema = newSchema()

func newSchema() protoreflect.ServiceDescriptor {
	const value = ".google.protobuf.StringValue"
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("errmap/interop/v1/failures.proto"), Package: proto.String("errmap.interop.v1"), Syntax: proto.String("proto3"),
		Dependency: []string{"google/protobuf/wrappers.proto"},
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name: proto.String("Failures"),
			Method: []*descriptorpb.MethodDescriptorProto{
				{Name: proto.String("Fail"), InputType: proto.String(value), OutputType: proto.String(value)},
				{Name: proto.String("FailInTheMiddle"), InputType: proto.String(value), OutputType: proto.String(value), ServerStreaming: proto.Bool(true)},
			},
		}},
	}
	described, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		panic(err) // the file above is not a valid one
	}
	return described.Services().Get(0)
}

// descriptorSet is the schema as a gateway takes it.
func descriptorSet() *descriptorpb.FileDescriptorSet {
	wrappers := schema.ParentFile().Imports().Get(0).FileDescriptor
	return &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{
		protodesc.ToFileDescriptorProto(wrappers), protodesc.ToFileDescriptorProto(schema.ParentFile()),
	}}
}
