package schema_test

import (
	"testing"

	"github.com/errmap/errmap/internal/schema"
	"github.com/errmap/errmap/internal/schema/schematest"
)

// templateSchema has an error with the template under test.
func templateSchema(template string) string {
	return `
syntax = "proto3";
package text.v1;
import "errmap/v1/error.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/rpc/error_details.proto";
option (errmap.v1.domain) = "text.example.com";
message TextError {
  option (errmap.v1.error) = { code: INTERNAL title: "The title" message: "` + template + `" };
  string order_id = 1 [json_name = "number"];
  optional int64 count = 2;
  repeated string words = 3;
  google.protobuf.Timestamp at = 4;
  google.protobuf.Duration wait = 5;
  google.rpc.RetryInfo retry = 6;
}`
}

func TestMessageTemplate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, template, in, want string }{
		{"empty", "", `order_id: "7"`, "The title"},
		{"constant", "Gone", ``, "Gone"},
		{"braces", "{{{order_id}}} }}{{", `order_id: "7"`, "{7} }{"},
		{"constant braces", "{{a}}", ``, "{a}"},
		{"one field", "{order_id}", `order_id: "7"`, "7"},
		{"text around", "Order {order_id} gone", `order_id: "7"`, "Order 7 gone"},
		{"a field twice", "{order_id}/{order_id}", `order_id: "7"`, "7/7"},
		{"text is not expanded again", "{order_id}", `order_id: "{count}"`, "{count}"},
		{"unset", "Order {order_id} gone", ``, "The title"},
		{"zero without presence is unset", "Order {order_id} gone", `order_id: ""`, "The title"},
		{"zero with presence is set", "{count} left", `count: 0`, "0 left"},
		{"one of two unset", "Order {order_id}: {count}", `order_id: "7"`, "The title"},
		{"metadata text of a list", "{words}", `words: ["a", "b"]`, `["a","b"]`},
		{"metadata text of a timestamp", "since {at}", `at: {seconds: 1}`, "since 1970-01-01T00:00:01Z"},
		{"a value without text", "{wait}", `wait: {seconds: 1 nanos: -1}`, "The title"},
		{"a detail", "{retry}", `retry: {retry_delay: {seconds: 1}}`, `{"retryDelay":"1s"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := schematest.Compile(t, templateSchema(test.template))
			m := schematest.MessageOf(t, file, "TextError", test.in)
			d, err := schema.DefinitionOf(m.ProtoReflect().Descriptor())
			if err != nil {
				t.Fatal(err)
			}
			if got, _, _ := encode(d, m); got != test.want {
				t.Errorf("text %q, want %q", got, test.want)
			}
		})
	}
}

func TestMessageTemplate_mistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ template, want string }{
		{"{nope}", `errmap: text.v1.TextError: message: placeholder {nope} names no field of the message`},
		{"{number}", `errmap: text.v1.TextError: message: placeholder {number} names no field of the message`},
		{"{order_id", `errmap: text.v1.TextError: message: "{" at byte 0 opens a placeholder that is not closed, write "{{" for a brace`},
		{"a}", `errmap: text.v1.TextError: message: "}" at byte 1 closes no placeholder, write "}}" for a brace`},
	} {
		t.Run(test.template, func(t *testing.T) {
			t.Parallel()
			file := schematest.Compile(t, templateSchema(test.template))
			_, err := schema.DefinitionOf(file.Messages().ByName("TextError"))
			if errorText(err) != test.want {
				t.Errorf("error %q, want %q", errorText(err), test.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
