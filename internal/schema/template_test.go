package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/internal/schema"
)

func literal(s string) schema.Part { return schema.Part{Text: s} }

func placeholder(s string) schema.Part { return schema.Part{Text: s, Placeholder: true} }

func TestParseTemplate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want []schema.Part
	}{
		{"", nil},
		{"plain é", []schema.Part{literal("plain é")}},
		{"{id}", []schema.Part{placeholder("id")}},
		{"Order {order_id} not found", []schema.Part{literal("Order "), placeholder("order_id"), literal(" not found")}},
		{"{a}{b2}", []schema.Part{placeholder("a"), placeholder("b2")}},
		{"{{{a}}}", []schema.Part{literal("{"), placeholder("a"), literal("}")}},
		{"{{a}}", []schema.Part{literal("{a}")}},
		{"{{}}", []schema.Part{literal("{}")}},
		{"}}{{", []schema.Part{literal("}{")}},
		{"{_}", []schema.Part{placeholder("_")}},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			got, err := schema.ParseTemplate(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ParseTemplate(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestParseTemplate_errors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"a } b", `"}" at byte 2 closes no placeholder, write "}}" for a brace`},
		{"{a}}", `"}" at byte 3 closes no placeholder, write "}}" for a brace`},
		{"a {b", `"{" at byte 2 opens a placeholder that is not closed, write "{{" for a brace`},
		{"{", `"{" at byte 0 opens a placeholder that is not closed, write "{{" for a brace`},
		{"{}", `"{}" at byte 0 holds no field name, write "{{" and "}}" for braces`},
		{"x{ a }", `"{ a }" at byte 1 holds no field name, write "{{" and "}}" for braces`},
		{"{1a}", `"{1a}" at byte 0 holds no field name, write "{{" and "}}" for braces`},
		{"{a{b}", `"{a{b}" at byte 0 holds no field name, write "{{" and "}}" for braces`},
		{"{a.b}", `"{a.b}" at byte 0 holds no field name, write "{{" and "}}" for braces`},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			parts, err := schema.ParseTemplate(tt.in)
			if err == nil || err.Error() != tt.want {
				t.Errorf("ParseTemplate(%q) = %v, %v, want error %q", tt.in, parts, err, tt.want)
			}
		})
	}
}

// FuzzParse holds that what parses can be written back, with the same parts.
func FuzzParseTemplate(f *testing.F) {
	for _, seed := range []string{"", "a {b} c", "{{x}}", "{", "}", "{a}}", "{{{a}}}", "é{é}"} {
		f.Add(seed)
	}
	escape := strings.NewReplacer("{", "{{", "}", "}}")
	f.Fuzz(func(t *testing.T, in string) {
		parts, err := schema.ParseTemplate(in)
		if err != nil {
			return
		}
		var b strings.Builder
		for i, part := range parts {
			switch {
			case part.Text == "":
				t.Fatalf("ParseTemplate(%q): part %d is empty", in, i)
			case part.Placeholder:
				b.WriteString("{" + part.Text + "}")
			default:
				b.WriteString(escape.Replace(part.Text))
			}
		}
		if b.String() != in {
			t.Fatalf("ParseTemplate(%q) writes back as %q", in, b.String())
		}
	})
}
