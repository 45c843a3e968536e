package template_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/internal/template"
)

func text(s string) template.Part { return template.Part{Text: s} }

func field(s string) template.Part { return template.Part{Text: s, Placeholder: true} }

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want []template.Part
	}{
		{"", nil},
		{"plain é", []template.Part{text("plain é")}},
		{"{id}", []template.Part{field("id")}},
		{"Order {order_id} not found", []template.Part{text("Order "), field("order_id"), text(" not found")}},
		{"{a}{b2}", []template.Part{field("a"), field("b2")}},
		{"{{{a}}}", []template.Part{text("{"), field("a"), text("}")}},
		{"{{a}}", []template.Part{text("{a}")}},
		{"{{}}", []template.Part{text("{}")}},
		{"}}{{", []template.Part{text("}{")}},
		{"{_}", []template.Part{field("_")}},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			got, err := template.Parse(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestParse_errors(t *testing.T) {
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
			parts, err := template.Parse(tt.in)
			if err == nil || err.Error() != tt.want {
				t.Errorf("Parse(%q) = %v, %v, want error %q", tt.in, parts, err, tt.want)
			}
		})
	}
}

// FuzzParse holds that what parses can be written back, with the same parts.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "a {b} c", "{{x}}", "{", "}", "{a}}", "{{{a}}}", "é{é}"} {
		f.Add(seed)
	}
	escape := strings.NewReplacer("{", "{{", "}", "}}")
	f.Fuzz(func(t *testing.T, in string) {
		parts, err := template.Parse(in)
		if err != nil {
			return
		}
		var b strings.Builder
		for i, part := range parts {
			switch {
			case part.Text == "":
				t.Fatalf("Parse(%q): part %d is empty", in, i)
			case part.Placeholder:
				b.WriteString("{" + part.Text + "}")
			default:
				b.WriteString(escape.Replace(part.Text))
			}
		}
		if b.String() != in {
			t.Fatalf("Parse(%q) writes back as %q", in, b.String())
		}
	})
}
