package agent_test

import (
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/metadata"
)

// The rows of docs/agent.md: an error, a rule over JSON-RPC, a rule over HTTP.
var (
	documented = regexp.MustCompile("^\\| (-\\d+) ([A-Z_]+)(.*?) \\| `(.*)` \\|$")
	ruled      = regexp.MustCompile("^\\| [0-9.]+(?: to [0-9.]+)? \\| (.*?) \\| `(\\{.*)` \\| (`.*`) \\|$")
	ruledHTTP  = regexp.MustCompile("^\\| [0-9.]+ \\| .*? \\| `(GET|POST) (\\S+)`(?:, `([^:]+): (.*?)`)? \\| (\\d+), `([^:]+): (.*)` \\|$")
	quoted     = regexp.MustCompile("`([^`]*)`")
)

func lines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/agent.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// headers are those that the words of a row name.
func headers(words string) map[string]string {
	header := map[string]string{"A2A-Version": "1.0"}
	if strings.Contains(words, "without `A2A-Version`") {
		delete(header, "A2A-Version")
	}
	for _, name := range quoted.FindAllStringSubmatch(words, -1) {
		if key, value, ok := strings.Cut(name[1], ": "); ok {
			header[key] = value
		}
	}
	return header
}

// TestDocs_NineErrors sends each request that docs/agent.md shows.
func TestDocs_NineErrors(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	seen := make(map[string]bool)
	for _, line := range lines(t) {
		row := documented.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		number, reason, notes, body := row[1], row[2], row[3], row[4]
		seen[reason] = true
		if strings.Contains(notes, "completed task") {
			body = strings.Replace(body, `"ID"`, `"`+h.task(t, versioned)+`"`, 1)
		}
		_, answer := h.do(t, http.MethodPost, "/", body, headers(notes))
		if !strings.HasPrefix(answer, `{"jsonrpc":"2.0","id":1,"error":{"code":`+number+`,`) || !strings.Contains(answer, `"reason":"`+reason+`"`) {
			t.Errorf("%s %s: %s", number, reason, answer)
		}
	}
	if len(seen) != 9 {
		t.Errorf("%d errors are documented, want 9: %v", len(seen), seen)
	}
}

// TestDocs_Rules provokes each rule that docs/agent.md lists, and expects the
// answer that it tells.
func TestDocs_Rules(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ids := strings.NewReplacer("COMPLETED", h.task(t, versioned), "WAITING", h.say(t, "", "ask"), "RUNNING", h.running(t))
	rules := 0
	for _, line := range lines(t) {
		row := ruled.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		rules++
		_, answer := h.do(t, http.MethodPost, "/", ids.Replace(row[2]), headers(row[1]))
		for _, part := range quoted.FindAllStringSubmatch(row[3], -1) {
			want := part[1]
			if strings.HasPrefix(want, "-") {
				want = `"error":{"code":` + want + `,`
			}
			if !strings.Contains(answer, want) {
				t.Errorf("%s: no %s in %s", row[1], want, answer)
			}
		}
	}
	if rules < 20 {
		t.Errorf("%d rules are documented", rules)
	}
}

// TestDocs_RulesOfHTTP does so for those of HTTP.
func TestDocs_RulesOfHTTP(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	card, _ := h.do(t, http.MethodGet, "/.well-known/agent-card.json", "", nil)
	ids := strings.NewReplacer("COMPLETED", h.task(t, versioned), "ETAG", card.Header.Get("ETag"))
	rules := 0
	for _, line := range lines(t) {
		row := ruledHTTP.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		rules++
		header, body := map[string]string{"A2A-Version": "1.0"}, ""
		if row[3] != "" {
			header[row[3]] = ids.Replace(row[4])
		}
		if row[3] == "Content-Type" {
			body = "{}"
		}
		response, answer := h.do(t, row[1], ids.Replace(row[2]), body, header)
		if status, _ := strconv.Atoi(row[5]); response.StatusCode != status || response.Header.Get(row[6]) != row[7] {
			t.Errorf("%s: HTTP %d, %v: %s", line, response.StatusCode, response.Header, answer)
		}
	}
	if rules < 11 {
		t.Errorf("%d rules of HTTP are documented", rules)
	}
}

// running has the agent begin a task that lasts.
func (h *harness) running(t *testing.T) string {
	t.Helper()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "A2A-Version", "1.0")
	stream, err := a2apb.NewA2AServiceClient(h.grpc).SendStreamingMessage(ctx, message("wait 1m"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil { // it works now
		t.Fatal(err)
	}
	return first.GetTask().GetId()
}
