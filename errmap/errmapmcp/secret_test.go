package errmapmcp_test

import (
	"encoding"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"text/template"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

const shown = "#Secret<redacted>"

func TestSecret_shows(t *testing.T) {
	t.Parallel()
	type config struct{ Token errmapmcp.Secret }
	const text = "hunter2"
	for _, secret := range []errmapmcp.Secret{errmapmcp.NewSecret(text), {}} {
		for _, rendering := range renderings(t, secret) {
			// %T and %p do not ask the value, and say nothing of it.
			if strings.Contains(rendering, text) || strings.Contains(rendering, hexOf(text)) {
				t.Errorf("%q holds the secret", rendering)
			}
		}
		if got, err := json.Marshal(map[string]any{"a": secret, "b": []any{&secret}}); err != nil || string(got) != `{"a":"#Secret\u003credacted\u003e","b":["#Secret\u003credacted\u003e"]}` {
			t.Errorf("json.Marshal: %s, %v", got, err)
		}
		if got, err := xml.Marshal(config{secret}); err != nil || strings.Contains(string(got), text) {
			t.Errorf("xml.Marshal: %s, %v", got, err)
		}
		if got, err := secret.MarshalText(); err != nil || string(got) != shown {
			t.Errorf("MarshalText: %s, %v", got, err)
		}
		if got, err := secret.MarshalBinary(); err != nil || string(got) != shown {
			t.Errorf("MarshalBinary: %s, %v", got, err)
		}
		var page strings.Builder
		if err := template.Must(template.New("").Parse("{{.}}")).Execute(&page, secret); err != nil || page.String() != shown {
			t.Errorf("text/template: %s, %v", page.String(), err)
		}
		if secret.String() != shown || secret.GoString() != shown || secret.LogValue().String() != shown {
			t.Error("a method shows something else")
		}
	}
}

// In an unexported field fmt finds no method, and still does not find the text.
func TestSecret_inUnexportedField(t *testing.T) {
	t.Parallel()
	type session struct{ token errmapmcp.Secret }
	for _, rendering := range renderings(t, session{errmapmcp.NewSecret("hunter2")}) {
		if strings.Contains(rendering, "hunter2") || strings.Contains(rendering, hexOf("hunter2")) {
			t.Errorf("%q holds the secret", rendering)
		}
	}
}

func TestSecret_Reveal(t *testing.T) {
	t.Parallel()
	secret := errmapmcp.NewSecret("hunter2")
	if secret.Reveal() != "hunter2" || secret.IsZero() {
		t.Error("the secret is lost")
	}
	if !secret.Equal(errmapmcp.NewSecret("hunter2")) || secret.Equal(errmapmcp.NewSecret("hunter3")) || secret.Equal(errmapmcp.Secret{}) {
		t.Error("Equal does not compare the texts")
	}
	var zero errmapmcp.Secret
	if zero.Reveal() != "" || !zero.IsZero() || !zero.Equal(errmapmcp.NewSecret("")) {
		t.Error("the zero secret is not the empty text")
	}
	var config struct{ Token errmapmcp.Secret }
	if err := json.Unmarshal([]byte(`{"Token":"hunter2"}`), &config); err != nil || config.Token.Reveal() != "hunter2" {
		t.Errorf("json.Unmarshal: %q, %v", config.Token.Reveal(), err)
	}
	var _ encoding.TextUnmarshaler = &config.Token
}

func TestSecret_inData(t *testing.T) {
	t.Parallel()
	e := newError(t, errmapmcp.KindAuth, "token", errmapmcp.WithData("token", errmapmcp.NewSecret("hunter2")))
	for _, value := range []any{e, e.Data()} {
		for _, rendering := range renderings(t, value) {
			if strings.Contains(rendering, "hunter2") || strings.Contains(rendering, hexOf("hunter2")) {
				t.Errorf("%q holds the secret", rendering)
			}
		}
	}
	if token, ok := e.Data()["token"].(errmapmcp.Secret); !ok || token.Reveal() != "hunter2" {
		t.Error("the secret is lost")
	}
}

func hexOf(text string) string {
	var hex strings.Builder
	for _, b := range []byte(text) {
		hex.WriteByte("0123456789abcdef"[b>>4])
		hex.WriteByte("0123456789abcdef"[b&15])
	}
	return hex.String()
}
