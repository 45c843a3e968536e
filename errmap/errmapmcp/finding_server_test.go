package errmapmcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
)

// metaError is the key of the error in the _meta of a result.
const metaError = "io.github.errmap/error"

// newest is the version of the protocol in which every result says what it is.
const newest = "2026-07-28"

// post calls a tool as a client without any SDK would, and returns the result as
// it stands on the wire.
func post(t *testing.T, url, version, tool string) map[string]json.RawMessage {
	t.Helper()
	params := `"name":"` + tool + `","arguments":{}`
	if version == newest {
		params += `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+params+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(body) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			body = data
		}
	}
	var answer struct {
		Result map[string]json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Result == nil {
		t.Fatalf("the answer is %s", body)
	}
	return answer.Result
}

// failingTools adds a tool for each way in which a tool can fail, and returns
// their names.
func failingTools(server *mcp.Server) []string {
	typed := stockEmpty()
	wire := &jsonrpc.Error{Code: 4010, Message: "m", Data: []byte(`{"a":1}`)}
	fails := func(failure error) mcp.ToolHandlerFor[empty, any] {
		return func(context.Context, *mcp.CallToolRequest, empty) (*mcp.CallToolResult, any, error) {
			return nil, nil, failure
		}
	}
	raw := func(name string, handler mcp.ToolHandler) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, handler)
	}
	errmapmcp.AddTool(server, &mcp.Tool{Name: "typed"}, fails(typed))
	errmapmcp.AddTool(server, &mcp.Tool{Name: "hidden"}, fails(errors.New("token hunter2 refused")))
	errmapmcp.AddTool(server, &mcp.Tool{Name: "wrapped-wire"}, fails(fmt.Errorf("hunter2: %w", wire)))
	mcp.AddTool(server, &mcp.Tool{Name: "theirs"}, fails(fmt.Errorf("hunter2: %w", typed)))
	mcp.AddTool(server, &mcp.Tool{Name: "plain"}, fails(errors.New("as the SDK has it")))
	raw("raw", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, typed })
	raw("raw-wire", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("hunter2: %w", wire)
	})
	raw("panic", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("hunter2") })
	raw("by-hand", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "sold out"}}}, nil
	})
	raw("own", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result := &mcp.CallToolResult{
			Meta: mcp.Meta{"shop.example.com/cart": "c-1"}, StructuredContent: map[string]any{"left": 0},
			Content: []mcp.Content{&mcp.TextContent{Text: "Sorry, it is sold out."}},
		}
		result.SetError(typed)
		return result, nil
	})
	return []string{"typed", "hidden", "wrapped-wire", "theirs", "plain", "raw", "raw-wire", "panic", "by-hand", "own"}
}

func installed(t *testing.T, add func(*mcp.Server)) string {
	t.Helper()
	return sdkServer(t, func(server *mcp.Server) {
		if err := errmapmcp.InstallServer(server, new(reports).guard()); err != nil {
			t.Fatal(err)
		}
		add(server)
	})
}

// A client of 2026-07-28 refuses a result that does not say what it is, and one of
// an earlier version does not expect it.
func TestFinding_P01_a_failed_tool_has_what_the_SDK_gives_a_result(t *testing.T) {
	t.Parallel()
	var names []string
	url := installed(t, func(server *mcp.Server) { names = failingTools(server) })
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := post(t, url, newest, name)
			if string(result["resultType"]) != `"complete"` || string(result["isError"]) != "true" {
				t.Errorf("resultType is %s, isError %s", result["resultType"], result["isError"])
			}
			if !strings.Contains(string(result["_meta"]), "io.modelcontextprotocol/serverInfo") {
				t.Errorf("_meta is %s", result["_meta"])
			}
			if result := post(t, url, legacy, name); result["resultType"] != nil || string(result["isError"]) != "true" {
				t.Errorf("under %s resultType is %s, isError %s", legacy, result["resultType"], result["isError"])
			}
		})
	}
}

// What a tool put into its result itself stays.
func TestFinding_P01_a_failed_tool_keeps_what_it_wrote(t *testing.T) {
	t.Parallel()
	url := installed(t, func(server *mcp.Server) { failingTools(server) })
	result := post(t, url, newest, "own")
	if string(result["structuredContent"]) != `{"left":0}` || !strings.Contains(string(result["_meta"]), `"shop.example.com/cart":"c-1"`) ||
		!strings.Contains(string(result["content"]), "sold out") {
		t.Errorf("the result is %s", result)
	}
	if !strings.Contains(string(result["_meta"]), "STOCK_EMPTY") {
		t.Errorf("_meta %s has no error", result["_meta"])
	}
}

// A client may check structured content against the output schema of the tool, a
// failed one's too: what does not fit must not stand there.
func TestFinding_P06_a_failed_tool_with_an_output_schema(t *testing.T) {
	t.Parallel()
	type receipt struct {
		Order string `json:"order"`
	}
	url := installed(t, func(server *mcp.Server) {
		errmapmcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, empty) (*mcp.CallToolResult, receipt, error) {
			return nil, receipt{}, stockEmpty()
		})
	})
	for _, version := range []string{newest, legacy} {
		result := post(t, url, version, "order")
		if result["structuredContent"] != nil {
			t.Errorf("%s: the structured content is %s", version, result["structuredContent"])
		}
		var meta map[string]json.RawMessage
		if err := json.Unmarshal(result["_meta"], &meta); err != nil {
			t.Fatal(err)
		}
		e, err := errmap.DecodeHTTP(meta[metaError])
		if err != nil || !errors.Is(e, stockEmpty()) || e.ErrorInfo().GetMetadata()["sku"] != "A1" {
			t.Errorf("%s: _meta has %s, %v", version, meta[metaError], err)
		}
		for _, part := range []string{"no stock of A1", "STOCK_EMPTY of shop.example.com; sku: A1"} {
			if !strings.Contains(string(result["content"]), part) {
				t.Errorf("%s: the text %s does not hold %q", version, result["content"], part)
			}
		}
	}
}

// A model reads the text of a failed tool and nothing else.
func TestFinding_P06_the_text_is_for_a_model(t *testing.T) {
	t.Parallel()
	bad := &errdetails.BadRequest{}
	for i := range 20 {
		bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: fmt.Sprintf("items[%d].quantity", i), Description: "must be\nat least 1"})
	}
	many := map[string]string{}
	for i := range 20 {
		many[fmt.Sprintf("k%02d", i)] = "v"
	}
	var changes string
	for i := range 16 {
		changes += fmt.Sprintf("Change items[%d].quantity: must be at least 1\n", i)
	}
	for _, c := range []struct {
		name    string
		failure error
		want    string
	}{
		{"reason and metadata", stockEmpty(), "no stock of A1\nDo not try again without a change: it would fail in the same way.\nReason: STOCK_EMPTY of shop.example.com; sku: A1"},
		{"what to change", errmap.NewCode(code.Code_INVALID_ARGUMENT, "bad order").WithDetail(bad), "bad order\n" + changes + "… and 4 more.\nDo not try again without a change: it would fail in the same way."},
		{"when", errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, "too many orders").WithRetryDelay(90 * time.Second), "too many orders\nTry again after 1m30s."},
		{"at once", errmap.NewCode(code.Code_ABORTED, "the cart changed").WithDetail(&errdetails.RetryInfo{RetryDelay: &durationpb.Duration{}}), "the cart changed\nTry again: it may succeed."},
		{"whether", errmap.NewCode(code.Code_UNAVAILABLE, "the shop is closed"), "the shop is closed\nTry again: it may succeed."},
		{"as it is defined", newError(t, errmapmcp.KindDenied, "policy"), "The policy for MCP requests refused\nDo not try again without a change: it would fail in the same way.\nReason: DENIED of mcp-client.errmap.github.io; reason: policy"},
		{"aborted", errmap.NewCode(code.Code_ABORTED, "the cart changed"), "the cart changed\nBegin the whole sequence of calls again: something else changed in between."},
		{"exhausted", errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, "too many orders"), "too many orders\nDo not try again at once: a limit is reached."},
		{"late", errmap.NewCode(code.Code_DEADLINE_EXCEEDED, "too late"), "too late\nIt may have been done: look before you try again."},
		{"what comes first", errmap.NewCode(code.Code_FAILED_PRECONDITION, "not yet").
			WithDetail(&errdetails.PreconditionFailure{Violations: []*errdetails.PreconditionFailure_Violation{{Subject: "terms", Description: "accept them"}}}).
			WithDetail(&errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{{Subject: "orders", Description: "5 a day"}}}).
			WithDetail(&errdetails.Help{Links: []*errdetails.Help_Link{{Url: "https://shop.example.com/terms"}}}),
			"not yet\nFirst needed: terms: accept them\nOver the quota: orders: 5 a day\nSee https://shop.example.com/terms\nDo not try again without a change: it would fail in the same way."},
		{"much metadata", errmap.NewCode(code.Code_CANCELLED, "m").WithDetail(&errdetails.ErrorInfo{Reason: "R", Domain: "shop.example.com", Metadata: many}),
			"m\nReason: R of shop.example.com; k00: v; k01: v; k02: v; k03: v; k04: v; k05: v; k06: v; k07: v; k08: v; k09: v; k10: v; k11: v; k12: v; k13: v; k14: v; k15: v; …"},
		{"a long value", errmap.NewCode(code.Code_CANCELLED, "m").WithDetail(&errdetails.ErrorInfo{Reason: "R", Metadata: map[string]string{"k": strings.Repeat("é", 1000)}}),
			"m\nReason: R; k: " + strings.Repeat("é", 505) + "…"},
		{"no message", errmap.NewCode(code.Code_CANCELLED, ""), "The tool failed: CANCELLED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := installed(t, func(server *mcp.Server) {
				errmapmcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, empty) (*mcp.CallToolResult, any, error) {
					return nil, nil, c.failure
				})
			})
			var content []struct{ Type, Text string }
			if err := json.Unmarshal(post(t, url, newest, "order")["content"], &content); err != nil || len(content) != 1 || content[0].Type != "text" {
				t.Fatalf("the content is %v, %v", content, err)
			}
			if diff := cmp.Diff(c.want, content[0].Text); diff != "" {
				t.Errorf("the text (-want +got):\n%s", diff)
			}
		})
	}
}

// An error that is hidden tells a model nothing but the id by which the log has it.
func TestFinding_P06_a_hidden_error_in_the_text(t *testing.T) {
	t.Parallel()
	url := installed(t, func(server *mcp.Server) { failingTools(server) })
	for _, name := range []string{"hidden", "panic"} {
		result := post(t, url, newest, name)
		if text := string(result["content"]); !strings.Contains(text, "internal error") || !strings.Contains(text, "Request id, for a report: ") || strings.Contains(text, "hunter2") {
			t.Errorf("%s: the text is %s", name, text)
		}
		if strings.Contains(string(result["_meta"]), "hunter2") {
			t.Errorf("%s: _meta is %s", name, result["_meta"])
		}
	}
}
