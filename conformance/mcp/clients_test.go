//go:build all

package mcp_test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
)

// told is what a client tells of a call.
type told struct {
	Result *struct {
		IsError    bool                          `json:"isError"`
		Content    []struct{ Type, Text string } `json:"content"`
		Structured json.RawMessage               `json:"structuredContent"`
		Meta       map[string]json.RawMessage    `json:"_meta"`
	} `json:"result"`
	Code    json.RawMessage `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
	Name    string          `json:"name"`
}

// calls is what a client tells of all calls.
type calls struct {
	Tools  map[string]told `json:"tools"`
	Errors map[string]told `json:"errors"`
}

// clients are the official clients, with the revisions that each speaks.
var clients = []struct {
	peer
	revisions []string
}{
	{peer{"mcp for Python, client", ofPython, inPython("client.py")}, []string{"2025-11-25", "2026-07-28"}},
	{peer{"@modelcontextprotocol/sdk, client", ofNPM("@modelcontextprotocol/sdk"), inJavaScript("client1.mjs")}, []string{"2025-11-25"}},
	{peer{"@modelcontextprotocol/client", ofNPM("@modelcontextprotocol/client"), inJavaScript("client2.mjs")}, []string{"2025-11-25", "2026-07-28"}},
}

// Every official client gets what a tool failed with: the text for a model, and the
// error itself in _meta, whether the tool has an output schema or not. (P01, P06)
func TestFinding_P01_P06_official_clients(t *testing.T) {
	t.Parallel()
	for _, client := range clients {
		for _, revision := range client.revisions {
			t.Run(client.name+", "+revision, func(t *testing.T) {
				t.Parallel()
				url := serveShop(t, revision == "2026-07-28")
				command := client.command(t, url, revision)
				var stderr strings.Builder
				command.Stderr = &stderr
				out, err := command.Output()
				if err != nil {
					t.Fatalf("%v\n%s%s", err, out, stderr.String())
				}
				var got calls
				if err := json.Unmarshal(out, &got); err != nil {
					t.Fatalf("%v in %s", err, out)
				}
				checkTools(t, got.Tools)
				checkErrors(t, got.Errors, revision)
				client.tell(t, "MCP "+revision, 6, "text and `_meta` of each failed tool, code and data of the others")
			})
		}
	}
}

func checkTools(t *testing.T, tools map[string]told) {
	t.Helper()
	for _, name := range []string{"schema", "plain", "hidden", "ok"} {
		got := tools[name]
		if got.Result == nil {
			t.Errorf("%s: the client refuses the result: %s %s", name, got.Name, got.Message)
			continue
		}
		if got.Result.IsError == (name == "ok") || len(got.Result.Content) != 1 {
			t.Errorf("%s: isError is %t, the content %v", name, got.Result.IsError, got.Result.Content)
			continue
		}
		text := got.Result.Content[0].Text
		if name == "ok" {
			var out receipt
			if err := json.Unmarshal(got.Result.Structured, &out); err != nil || out.Order != "o-1" {
				t.Errorf("%s: the structured content is %s", name, got.Result.Structured)
			}
			continue
		}
		if got.Result.Structured != nil {
			t.Errorf("%s: the structured content is %s", name, got.Result.Structured)
		}
		e, err := errmap.DecodeHTTP(got.Result.Meta[errmapmcp.MetaKeyError])
		switch {
		case err != nil:
			t.Errorf("%s: _meta is %s: %v", name, got.Result.Meta, err)
		case name == "hidden":
			if !strings.HasPrefix(text, "internal error\n") || e.Code().String() != "INTERNAL" {
				t.Errorf("%s: the text is %q, the error %s", name, text, e.Code())
			}
		case text != stockText || !errors.Is(e, stockEmpty()) || e.ErrorInfo().GetMetadata()["sku"] != "A1":
			t.Errorf("%s: the text is %q, the error %v", name, text, e)
		}
	}
}

// What is an error of the protocol arrives with the code of the revision and its
// data. (X15)
func checkErrors(t *testing.T, all map[string]told, revision string) {
	t.Helper()
	missing := "-32602"
	if revision == "2025-11-25" {
		missing = "-32002"
	}
	for name, want := range map[string]struct {
		code, data string
	}{
		"tool":     {"-32602", ""},
		"prompt":   {"-31400", `"STOCK_EMPTY"`},
		"resource": {missing, `"shop://o-1"`},
	} {
		got := all[name]
		if got.Name == "ResourceNotFoundError" {
			want.code = "-32602" // the TypeScript SDK 2.x has a type for it, with that code in all revisions
		}
		if got.Result != nil || string(got.Code) != want.code || !strings.Contains(string(got.Data), want.data) {
			t.Errorf("%s: the error is %s %q %s, want %s and %s", name, got.Code, got.Message, got.Data, want.code, want.data)
		}
	}
}

// The Inspector is what authors of servers try them with. (P06)
func TestFinding_P06_inspector(t *testing.T) {
	t.Parallel()
	url := serveShop(t, false)
	for _, tool := range []string{"schema", "plain"} {
		command := exec.CommandContext(t.Context(), node(t), filepath.Join("node_modules", "@modelcontextprotocol", "inspector-cli", "build", "cli.js"),
			"--cli", url, "--transport", "http", "--method", "tools/call", "--tool-name", tool)
		var stderr strings.Builder
		command.Stderr = &stderr
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s%s", tool, err, out, stderr.String())
		}
		var result struct {
			IsError bool                       `json:"isError"`
			Content []struct{ Text string }    `json:"content"`
			Meta    map[string]json.RawMessage `json:"_meta"`
		}
		if err := json.Unmarshal(out, &result); err != nil || !result.IsError || len(result.Content) != 1 || result.Content[0].Text != stockText {
			t.Errorf("%s: it shows %s, %v", tool, out, err)
		}
		if e, err := errmap.DecodeHTTP(result.Meta[errmapmcp.MetaKeyError]); err != nil || !errors.Is(e, stockEmpty()) {
			t.Errorf("%s: _meta is %s, %v", tool, result.Meta, err)
		}
	}
	const name = "@modelcontextprotocol/inspector-cli"
	peer{name: name, version: ofNPM(name)}.tell(t, "MCP 2025-11-25", 2, "text and `_meta` of each failed tool")
}
