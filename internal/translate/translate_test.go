package translate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/translate"
	"github.com/google/go-cmp/cmp"
)

// Every form is read back from what every form becomes in it.
func TestRun(t *testing.T) {
	t.Parallel()
	const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"store.example.com"}`
	const start = `{"code":9,"message":"no stock","details":[` + info + `]}`
	for _, from := range translate.Forms() {
		for _, to := range translate.Forms() {
			text := []byte(start)
			for _, hop := range [][2]translate.Form{{translate.Status, from}, {from, to}, {to, translate.Status}} {
				result, err := translate.Run(translate.Request{From: hop[0], To: hop[1], Input: text})
				if err != nil || len(result.Notes) > 0 {
					t.Fatalf("%s to %s: %v, notes %q", hop[0], hop[1], err, result.Notes)
				}
				text = result.Output
			}
			if string(text) != start {
				t.Errorf("over %s and %s: got %s, want %s", from, to, text, start)
			}
		}
	}
}

func TestRun_HTTP_status(t *testing.T) {
	t.Parallel()
	want := map[translate.Form]int{
		translate.Connect: 501, translate.GRPC: 200, translate.Status: 0, translate.HTTP: 501, translate.Problem: 501, translate.JSONRPC: 404,
	}
	got := map[translate.Form]int{}
	for _, to := range translate.Forms() {
		result, err := translate.Run(translate.Request{From: translate.Connect, To: to, ToProfile: errmap.ProfileMCP, Input: []byte(`{"code":"unimplemented"}`)})
		if err != nil {
			t.Fatal(err)
		}
		got[to] = result.HTTPStatus
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRun_options(t *testing.T) {
	t.Parallel()
	input := []byte(`{"code":-32001,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}`)
	r := translate.Request{From: translate.JSONRPC, To: translate.GRPC, Input: input}
	known, err := translate.Run(r)
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := translate.Run(r, errmap.WithCatalog(nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{"grpc-status: 5": known.Output, "grpc-status: 2": unknown.Output} {
		if line, _, _ := strings.Cut(string(got), "\n"); line != name {
			t.Errorf("got %q, want %q", line, name)
		}
	}
}

func TestDecode_header_lines(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"grpc-status: 5\ngrpc-message: gone", "Grpc-Status:5\r\nGRPC-MESSAGE:\t gone \r\n\r\n", "HTTP/2 200\ngrpc-message: gone\nno header\ngrpc-status: 5",
	} {
		e, err := translate.Decode(translate.GRPC, errmap.ProfileGeneric, []byte(text))
		if err != nil || e.Number() != 5 || e.Message() != "gone" {
			t.Errorf("%q: got %v, %v", text, e, err)
		}
	}
}

func TestParseForm(t *testing.T) {
	t.Parallel()
	for _, form := range translate.Forms() {
		if got, err := translate.ParseForm(string(form)); got != form || err != nil {
			t.Errorf("%s: got %q, %v", form, got, err)
		}
	}
	want := `unknown form "soap": want one of connect, grpc, status, http, problem, jsonrpc`
	if _, err := translate.ParseForm("soap"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := translate.Decode("soap", errmap.ProfileGeneric, nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"the code is OK, which is no error": errmap.ErrOK,
		"no such thing":                     errors.New("errmap: no such thing"),
		"boom":                              errors.New("boom"),
	} {
		if got := translate.Message(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
