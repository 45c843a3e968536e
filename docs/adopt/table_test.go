package adopt_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	spb "google.golang.org/genproto/googleapis/rpc/status"
)

var update = flag.Bool("update", false, "write the tables of docs/adopt.md anew")

const page = "../adopt.md"

// table holds a table of the page to what services did: each row is what a handler
// does, and what a caller gets of it without errmap and with it.
func table(t *testing.T, name string, failures []failure, call func(t *testing.T, f failure, with bool) string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("| a handler ends with | before | after |\n|---|---|---|\n")
	for _, f := range failures {
		before, after := call(t, f, false), call(t, f, true)
		if before == after {
			after = "the same"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", f.name, before, after)
	}
	start, end := "<!-- table: "+name+" -->\n", "<!-- end of table -->"
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(content, []byte(start))
	if i < 0 {
		t.Fatalf("%s has no %s; it should be\n%s", page, start, b.String())
	}
	i += len(start)
	n := bytes.Index(content[i:], []byte(end))
	if n < 0 {
		t.Fatalf("%s: the table %s has no end", page, name)
	}
	if *update {
		content = append(content[:i:i], append([]byte(b.String()), content[i+n:]...)...)
		if err := os.WriteFile(page, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(content[i:i+n]), b.String()); diff != "" {
		t.Errorf("go test -update writes it (-%s +seen):\n%s", page, diff)
	}
}

// cell is what a caller gets, as a table has it.
func cell(code, message string, details []string) string {
	text := fmt.Sprintf("%s `%s`", code, message)
	if message == "" {
		text = code + ", no text"
	}
	if len(details) > 0 {
		text += ", with " + strings.Join(details, ", ")
	}
	return text
}

func ofStatus(s *spb.Status, code string) string {
	var details []string
	for _, d := range s.GetDetails() {
		details = append(details, string(d.MessageName().Name()))
	}
	return cell(code, s.GetMessage(), details)
}

const brokenOff = "no answer: the connection ends"

// post asks a handler with the Connect protocol, without any library.
func post(t *testing.T, h http.Handler, path string, timeout time.Duration, sku ...string) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = silent
	s.Start()
	defer s.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(fmt.Sprintf(`{"sku":%q}`, append(sku, "A1")[0])))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if timeout > 0 {
		r.Header.Set("Connect-Timeout-Ms", fmt.Sprint(timeout.Milliseconds()))
	}
	w, err := s.Client().Do(r)
	if err != nil {
		return brokenOff
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	var e struct {
		Code, Message string
		Details       []struct{ Type, Value string }
	}
	if err := json.Unmarshal(body, &e); err != nil {
		t.Fatalf("%d %s: %v", w.StatusCode, body, err)
	}
	var details []string
	for _, d := range e.Details {
		if _, err := base64.RawStdEncoding.DecodeString(d.Value); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		details = append(details, d.Type[strings.LastIndex(d.Type, ".")+1:])
	}
	return cell(e.Code, e.Message, details)
}

// get asks a handler for a page or for HTTP+JSON.
func get(t *testing.T, h http.Handler, path string) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = silent
	s.Start()
	defer s.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Client().Do(r)
	if err != nil {
		return brokenOff
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer // since protojson puts spaces where it likes
	if json.Compact(&compact, body) == nil {
		body = compact.Bytes()
	}
	text := strings.TrimSpace(string(ids.ReplaceAll(body, []byte("…"))))
	return fmt.Sprintf("%d `%s`", w.StatusCode, strings.ReplaceAll(text, "|", `\|`))
}

var ids = regexp.MustCompile(`\b[A-Z2-7]{26}\b`)
