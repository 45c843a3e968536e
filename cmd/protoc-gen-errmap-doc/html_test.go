package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The page holds all that it needs, and nothing of the schema is markup in it.
func TestHTML_self_contained(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"orders", "hostile"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := parse(t, generate(t, name, "format=html,title=</title><script>")["errors.html"])
			ids, links, scripts := map[string]bool{}, []string(nil), 0
			for n := range page.Descendants() {
				if n.DataAtom == atom.Script {
					scripts++
				}
				if slices.Contains([]atom.Atom{atom.Img, atom.Link, atom.Iframe, atom.Svg, atom.B, atom.Object}, n.DataAtom) {
					t.Errorf("the page has an element %s", n.Data)
				}
				for _, a := range n.Attr {
					switch {
					case strings.HasPrefix(a.Key, "on"), a.Key == "src", a.Key == "style":
						t.Errorf("%s has the attribute %s", n.Data, a.Key)
					case a.Key == "href":
						links = append(links, a.Val)
					case a.Key == "id" && ids[a.Val]:
						t.Errorf("two elements have the identifier %s", a.Val)
					case a.Key == "id":
						ids[a.Val] = true
					}
				}
			}
			if scripts != 1 {
				t.Errorf("the page has %d scripts, want 1", scripts)
			}
			for _, link := range links {
				if id, ok := strings.CutPrefix(link, "#"); !ok || !ids[id] {
					t.Errorf("%q leads nowhere in the page", link)
				}
			}
			if len(links) == 0 {
				t.Error("the page has no links")
			}
		})
	}
}

// Whatever a schema says stands on the page as text.
func TestHTML_foreign_text(t *testing.T) {
	t.Parallel()
	text := textOf(parse(t, generate(t, "hostile", "format=html,title=A & <b>")["errors.html"]))
	for _, want := range []string{
		"A & <b>",
		`</p><script>alert("comment")</script> *not* **bold** `,
		"</title></script><script>alert('title')</script><img src=x onerror=alert(1)>",
		"``` {name} </code></pre></details><b onclick=\"x\"> \n```\n# heading {{}}",
		`"><svg onload=alert(1)>`,
		"1. + - = # @somebody www.example.com | <script>",
		"1. no list, __no emphasis__, a_name_with_underscores, <b>no tag</b>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

// Every error shows every wire form; profiles of JSON-RPC that say the same
// share one.
func TestHTML_wires(t *testing.T) {
	t.Parallel()
	page := parse(t, generate(t, "orders", "format=html")["errors.html"])
	articles := 0
	for n := range page.Descendants() {
		if n.DataAtom != atom.Article {
			continue
		}
		articles++
		text := textOf(n)
		for _, want := range []string{"Connect, HTTP", "gRPC and gRPC-Web, HTTP 200", "google.rpc.Status\n", "HTTP+JSON (AIP-193), HTTP", "Problem details (RFC 9457), HTTP", "JSON-RPC 2.0, every profile, HTTP 200", "grpc-status: ", `"status": `} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in:\n%s", want, text)
			}
		}
	}
	if articles != 4 {
		t.Errorf("%d errors, want 4", articles)
	}
}

// Where the profiles of JSON-RPC differ, each has an example of its own.
func TestHTML_profiles(t *testing.T) {
	t.Parallel()
	page := parse(t, generate(t, "errmap/mcp/v1/errors", "format=html")["errors.html"])
	var summaries []string
	for n := range page.Descendants() {
		if n.DataAtom == atom.Article && strings.HasSuffix(attribute(n, "id"), "unsupported-protocol-version") {
			for d := range n.Descendants() {
				if d.DataAtom == atom.Summary && strings.HasPrefix(textOf(d), "JSON-RPC") {
					summaries = append(summaries, textOf(d))
				}
			}
		}
	}
	want := []string{
		"JSON-RPC 2.0, profile generic, HTTP 200",
		"JSON-RPC 2.0, profile a2a, HTTP 200",
		"JSON-RPC 2.0, profile mcp, HTTP 400",
	}
	if diff := cmp.Diff(want, summaries); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The page's own script finds errors, in a document that knows just enough of
// the page.
func TestHTML_search(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	page := parse(t, generate(t, "orders", "format=html")["errors.html"])
	type article struct {
		ID     string `json:"id"`
		Domain string `json:"domain"`
		Text   string `json:"text"`
	}
	var input struct {
		Articles []article `json:"articles"`
		Script   string    `json:"script"`
		Queries  []string  `json:"queries"`
	}
	for n := range page.Descendants() {
		switch n.DataAtom {
		case atom.Article:
			input.Articles = append(input.Articles, article{attribute(n, "data-error"), textOf(n.Parent.FirstChild.NextSibling), textOf(n)})
		case atom.Script:
			input.Script = textOf(n)
		}
	}
	tests := []struct {
		query string
		found []string
	}{
		{"", []string{"orders-example-com-inner", "orders-example-com-order-not-found", "orders-example-com-out-of-paper", "stock-example-com-stock-empty"}},
		{"not_found", []string{"orders-example-com-order-not-found"}},
		{"  PAPER  4100 ", []string{"orders-example-com-out-of-paper"}},
		{"Orders/PrintOrder", []string{"orders-example-com-order-not-found", "orders-example-com-out-of-paper"}},
		{"stock.example.com", []string{"stock-example-com-stock-empty"}},
		{"paper stock", nil},
	}
	for _, tt := range tests {
		input.Queries = append(input.Queries, tt.query)
	}
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "input.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, "testdata/search.mjs", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var results []struct {
		Shown    []string `json:"shown"`
		Sections int      `json:"sections"`
		Text     string   `json:"text"`
		Nothing  bool     `json:"nothing"`
	}
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, tt := range tests {
		r := results[i]
		if diff := cmp.Diff(tt.found, append([]string(nil), r.Shown...)); diff != "" {
			t.Errorf("%q finds (-want +got):\n%s", tt.query, diff)
		}
		if r.Nothing != (len(tt.found) == 0) {
			t.Errorf("%q: the page says that there is nothing: %v", tt.query, r.Nothing)
		}
	}
	if got := results[1]; got.Sections != 1 || got.Text != "1 of 4 errors" {
		t.Errorf("%d sections and %q, want 1 and one of 4 errors", got.Sections, got.Text)
	}
}

func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	n, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
