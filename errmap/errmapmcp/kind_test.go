package errmapmcp_test

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
)

// The names in the order that is documented.
var kindNames = []string{
	"timeout", "transport", "protocol", "denied", "not_found", "hook", "unavailable", "closed", "overloaded",
	"input_handler", "auth", "rate_limited", "session_expired", "mrtr_round_limit", "pagination_cycle",
	"message_too_large", "connection_down",
}

func TestKinds(t *testing.T) {
	t.Parallel()
	var names []string
	for i, kind := range errmapmcp.Kinds() {
		names = append(names, kind.String())
		if int(kind) != i+1 || mcpv1.Kind(kind).String() != "KIND_"+strings.ToUpper(kind.String()) {
			t.Errorf("kind %d is %s, in the schema %s", i+1, kind, mcpv1.Kind(kind))
		}
	}
	if diff := cmp.Diff(kindNames, names); diff != "" {
		t.Errorf("the kinds (-want +got):\n%s", diff)
	}
	if got := len(mcpv1.Kind_name) - 1; got != len(kindNames) {
		t.Errorf("the schema has %d kinds, want %d", got, len(kindNames))
	}
	errmapmcp.Kinds()[0] = 0
	if errmapmcp.Kinds()[0] != errmapmcp.KindTimeout {
		t.Error("Kinds hands out what it keeps")
	}
}

func TestKind_Definition(t *testing.T) {
	t.Parallel()
	for _, kind := range errmapmcp.Kinds() {
		d := kind.Definition()
		if d == nil {
			t.Fatalf("%s has no definition", kind)
		}
		if d.Domain() != errmapmcp.Domain || d.Reason() != strings.ToUpper(kind.String()) {
			t.Errorf("%s is %s/%s", kind, d.Domain(), d.Reason())
		}
		if d.Code() != kind.Code() || kind.Code() == code.Code_OK {
			t.Errorf("%s has the code %s", kind, kind.Code())
		}
		if _, known := d.Retryable(); !known {
			t.Errorf("%s does not say whether to retry", kind)
		}
		if errmap.Linked().Find(errmapmcp.Domain, d.Reason()) == nil {
			t.Errorf("%s is not in the catalogue", kind)
		}
	}
	if none := errmapmcp.Kind(0); none.Definition() != nil || none.Code() != code.Code_OK || none.Retryable() {
		t.Error("the zero Kind has a definition")
	}
}

func TestParseKind(t *testing.T) {
	t.Parallel()
	for i, name := range kindNames {
		if kind, err := errmapmcp.ParseKind(name); err != nil || kind != errmapmcp.Kinds()[i] {
			t.Errorf("ParseKind(%q) = %v, %v", name, kind, err)
		}
	}
	for _, name := range []string{"", "TIMEOUT", "unknown", "kind 1", "#Secret<redacted>"} {
		_, err := errmapmcp.ParseKind(name)
		if err == nil {
			t.Errorf("ParseKind(%q) succeeded", name)
			continue
		}
		for _, want := range kindNames {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the error %q does not name %s", err, want)
			}
		}
	}
}

func TestKind_text(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(map[string]errmapmcp.Kind{"kind": errmapmcp.KindRateLimited})
	if err != nil || string(text) != `{"kind":"rate_limited"}` {
		t.Errorf("json.Marshal: %s, %v", text, err)
	}
	var back map[string]errmapmcp.Kind
	if err := json.Unmarshal(text, &back); err != nil || back["kind"] != errmapmcp.KindRateLimited {
		t.Errorf("json.Unmarshal: %v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"kind":"sunny"}`), &back); err == nil {
		t.Error("an unknown kind was read")
	}
	if _, err := json.Marshal(errmapmcp.Kind(42)); err == nil {
		t.Error("an unknown kind was written")
	}
	if got := errmapmcp.Kind(42).Error(); got != "kind 42" {
		t.Errorf("an unknown kind shows as %q", got)
	}
	if got := errmapmcp.Kind(-1).String(); got != "kind -1" {
		t.Errorf("an unknown kind shows as %q", got)
	}
	if !errors.Is(errmapmcp.KindHook, errmapmcp.KindHook) || errors.Is(errmapmcp.KindHook, errmapmcp.KindAuth) {
		t.Error("a kind is not itself alone")
	}
}

// The table of docs/mcp.md says what the schema says.
func TestKind_table(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [^|]+ \\| (yes|no)\\b[^|]* \\| ([A-Z_]+) \\| [^|]+ \\|$")
	var got, want [][3]string
	for _, match := range row.FindAllStringSubmatch(string(text), -1) {
		got = append(got, [3]string(match[1:]))
	}
	for _, kind := range errmapmcp.Kinds() {
		retry := "no"
		if kind.Retryable() {
			retry = "yes"
		}
		want = append(want, [3]string{kind.String(), retry, kind.Code().String()})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the table (-schema +docs/mcp.md):\n%s", diff)
	}
}
