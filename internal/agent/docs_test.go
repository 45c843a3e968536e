package agent_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
)

var documented = regexp.MustCompile("^\\| (-\\d+) ([A-Z_]+)(.*?) \\| `(.*)` \\|$")

// TestDocs_NineErrors sends each request that docs/agent.md shows.
func TestDocs_NineErrors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/agent.md")
	if err != nil {
		t.Fatal(err)
	}
	h := newHarness(t)
	seen := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		row := documented.FindStringSubmatch(strings.TrimSpace(line))
		if row == nil {
			continue
		}
		number, reason, notes, body := row[1], row[2], row[3], row[4]
		seen[reason] = true
		header := map[string]string{"A2A-Version": "1.0"}
		if strings.Contains(notes, "without `A2A-Version`") {
			delete(header, "A2A-Version")
		}
		if _, extension, ok := strings.Cut(notes, "`A2A-Extensions: "); ok {
			header["A2A-Extensions"] = strings.TrimSuffix(extension, "`")
		}
		if strings.Contains(notes, "completed task") {
			body = strings.Replace(body, `"ID"`, `"`+h.task(t, versioned)+`"`, 1)
		}
		_, answer := h.do(t, http.MethodPost, "/", body, header)
		if !strings.HasPrefix(answer, `{"jsonrpc":"2.0","id":1,"error":{"code":`+number+`,`) || !strings.Contains(answer, `"reason":"`+reason+`"`) {
			t.Errorf("%s %s: %s", number, reason, answer)
		}
	}
	if len(seen) != 9 {
		t.Errorf("%d errors are documented, want 9: %v", len(seen), seen)
	}
}
