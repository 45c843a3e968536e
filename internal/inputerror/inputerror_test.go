package inputerror_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/errmap/errmap/internal/inputerror"
)

func TestFinding_P24_Reason(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		m          proto.Message
		json, want string
	}{
		{new(descriptorpb.FieldDescriptorProto), `{"number":"hunter2"}`, `(line 1:11): invalid value for int32 field number`},
		{new(descriptorpb.FieldDescriptorProto), `{"number":12345678901}`, `(line 1:11): invalid value for int32 field number`},
		{new(descriptorpb.FieldDescriptorProto), `{"number":{"hunter2":1}}`, `(line 1:11): invalid value for int32 field number`},
		{new(descriptorpb.FieldDescriptorProto), `{"type":"hunter2"}`, `(line 1:9): invalid value for enum field type`},
		{new(descriptorpb.FieldDescriptorProto), `{"name":"a","name":"hunter2"}`, `(line 1:13): duplicate field "name"`},
		{new(descriptorpb.FieldDescriptorProto), `{"options":"hunter2"}`, `syntax error (line 1:12): unexpected string`},
		{new(descriptorpb.FieldDescriptorProto), `{"name":hunter2}`, `syntax error (line 1:9): invalid value`},
		{new(descriptorpb.FieldDescriptorProto), `{"name":"hunter2`, `unexpected EOF`},
		{new(descriptorpb.FieldDescriptorProto), "{\"name\":\"hunter2\x01\"}", "invalid character"},
		{new(descriptorpb.DescriptorProto), `{"field":"hunter2"}`, `unexpected string`},
		{new(descriptorpb.DescriptorProto), `"hunter2"`, `unexpected string`},
		{new(descriptorpb.DescriptorProto), `72`, `unexpected number`},
		{new(timestamppb.Timestamp), `"hunter2"`, `invalid google.protobuf.Timestamp value`},
		{new(durationpb.Duration), `"hunter2"`, `invalid google.protobuf.Duration value`},
		{new(durationpb.Duration), `"999999999999999s"`, `google.protobuf.Duration value out of range`},
		{new(fieldmaskpb.FieldMask), `"hunter2_x"`, `google.protobuf.FieldMask.paths contains invalid path`},
		{new(structpb.Struct), `{"a":1,"a":"hunter2"}`, `duplicate map key`},
		{new(structpb.Struct), `{"hunter2":1,"hunter2":2}`, `duplicate map key`},
		{new(anypb.Any), `{"@type":"hunter2"}`, `unable to resolve`},
		{new(anypb.Any), `{"@type":7}`, `@type field value is not a string`},
	} {
		err := protojson.Unmarshal([]byte(test.json), test.m)
		if err == nil {
			t.Errorf("%s is no mistake", test.json)
			continue
		}
		got := inputerror.Reason(err, 0)
		if !strings.Contains(got, test.want) || strings.Contains(got, "hunter2") || strings.ContainsAny(got, "\u00a0") {
			t.Errorf("%s: %q, want %q (%v)", test.json, got, test.want, err)
		}
	}
	err := protojson.Unmarshal([]byte(`{"f":{"number":"hunter2"}}`), new(descriptorpb.FieldDescriptorProto))
	if got := inputerror.Reason(err, 3); !strings.HasPrefix(got, "(line 1:") {
		t.Errorf("with bytes before: %q", got)
	}
}
