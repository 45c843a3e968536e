package errmapmcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// threeTools is a server with tools, prompts and resources of the names a, b and c.
func threeTools(server *mcp.Server) {
	for _, name := range []string{"a", "b", "c"} {
		mcp.AddTool(server, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, empty) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		})
		server.AddPrompt(&mcp.Prompt{Name: name}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
		read := func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{}, nil
		}
		server.AddResource(&mcp.Resource{Name: name, URI: "shop://" + name}, read)
		server.AddResourceTemplate(&mcp.ResourceTemplate{Name: name, URITemplate: "shop://" + name + "/{id}"}, read)
	}
}

// hideB hides what is called b.
func hideB(_ context.Context, call errmapmcp.Call) errmapmcp.Decision {
	switch call.Name() {
	case "b", "shop://b", "shop://b/{id}":
		return errmapmcp.Hide()
	case "c":
		return errmapmcp.Deny("")
	}
	return errmapmcp.Allow()
}

func TestFinding_S03_hidden_ones_are_not_listed(t *testing.T) {
	t.Parallel()
	var hooked int
	session := connectSDK(t, nil, threeTools, errmapmcp.WithPolicy(hideB), errmapmcp.WithPostHook(func(_ context.Context, _ errmapmcp.Call, result mcp.Result) error {
		if tools, ok := result.(*mcp.ListToolsResult); ok {
			hooked = len(tools.Tools)
		}
		return nil
	}))
	var got []string
	tools, err1 := session.ListTools(t.Context(), nil)
	prompts, err2 := session.ListPrompts(t.Context(), nil)
	resources, err3 := session.ListResources(t.Context(), nil)
	templates, err4 := session.ListResourceTemplates(t.Context(), nil)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		got = append(got, tool.Name)
	}
	for _, prompt := range prompts.Prompts {
		got = append(got, prompt.Name)
	}
	for _, resource := range resources.Resources {
		got = append(got, resource.URI)
	}
	for _, template := range templates.ResourceTemplates {
		got = append(got, template.URITemplate)
	}
	// What is denied is there; only what is hidden is not.
	want := []string{"a", "c", "a", "c", "shop://a", "shop://c", "shop://a/{id}", "shop://c/{id}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is listed (-want +got):\n%s", diff)
	}
	if hooked != 2 {
		t.Errorf("a hook saw %d tools", hooked)
	}
	var walked []string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		walked = append(walked, tool.Name)
	}
	if diff := cmp.Diff([]string{"a", "c"}, walked); diff != "" {
		t.Errorf("what is walked (-want +got):\n%s", diff)
	}
	_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "b"})
	wantKind(t, err, errmapmcp.KindNotFound, errmapmcp.ReasonHidden)
}

// A policy that fails must not show what it may have wanted to hide.
func TestFinding_S03_a_policy_that_panics_hides(t *testing.T) {
	t.Parallel()
	session := connectSDK(t, nil, threeTools, errmapmcp.WithPolicy(func(_ context.Context, call errmapmcp.Call) errmapmcp.Decision {
		if call.Method() == "tools/call" {
			panic("hunter2")
		}
		return errmapmcp.Allow()
	}))
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || tools.Tools == nil || len(tools.Tools) != 0 {
		t.Errorf("the tools are %v, %v", tools, err)
	}
}

// By what the server has listed the client knows what it lacks.
func TestFinding_S02_unknown_tools_and_prompts(t *testing.T) {
	t.Parallel()
	unknown := func(session *errmapmcp.Session) (tool, prompt error) {
		_, tool = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "unknown"})
		_, prompt = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "unknown"})
		return tool, prompt
	}
	session := connectSDK(t, nil, threeTools)
	tool, prompt := unknown(session)
	wantKind(t, tool, errmapmcp.KindProtocol, "jsonrpc:-32602") // nothing was listed yet
	wantKind(t, prompt, errmapmcp.KindProtocol, "jsonrpc:-32602")
	_, err1 := session.ListTools(t.Context(), nil)
	_, err2 := session.ListPrompts(t.Context(), nil)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	tool, prompt = unknown(session)
	for _, err := range []error{tool, prompt} {
		e := wantKind(t, err, errmapmcp.KindNotFound, "jsonrpc:-32602")
		if e.Data()["name"] != "unknown" || !errors.Is(err, &jsonrpc.Error{Code: -32602}) {
			t.Errorf("the data is %v", e.Data())
		}
	}
}

// -32602 about something that is listed is about its arguments, and a list of
// which a part is missing says nothing of what is not in it.
func TestFinding_S02_what_a_list_does_not_tell(t *testing.T) {
	t.Parallel()
	tool := `{"name":"order","inputSchema":{"type":"object"}}`
	for _, c := range []struct {
		name, next string
		list       *mcp.ListToolsParams
		call       string
		kind       errmapmcp.Kind
	}{
		{"a listed tool", `null`, nil, "order", errmapmcp.KindProtocol},
		{"an unknown tool", `null`, nil, "other", errmapmcp.KindNotFound},
		{"more pages", `"2"`, nil, "other", errmapmcp.KindProtocol},
		{"the last page alone", `null`, &mcp.ListToolsParams{Cursor: "2"}, "other", errmapmcp.KindProtocol},
		{"an empty cursor", `""`, nil, "other", errmapmcp.KindProtocol},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session := connectRaw(t, "", answerJSON(http.StatusOK, func(m message) string {
				if m.Method == "tools/list" {
					return m.result(`{"tools":[` + tool + `],"nextCursor":` + c.next + `}`)
				}
				return m.failure(`{"code":-32602,"message":"no"}`)
			}))
			if _, err := session.ListTools(t.Context(), c.list); err != nil {
				t.Fatal(err)
			}
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.call})
			wantKind(t, err, c.kind, "jsonrpc:-32602")
		})
	}
	t.Run("all pages", func(t *testing.T) {
		t.Parallel()
		session := connectRaw(t, "", answerJSON(http.StatusOK, func(m message) string {
			switch {
			case m.Method != "tools/list":
				return m.failure(`{"code":-32602,"message":"no"}`)
			case strings.Contains(string(m.Params), `"2"`):
				return m.result(`{"tools":[{"name":"second","inputSchema":{"type":"object"}}]}`)
			}
			return m.result(`{"tools":[` + tool + `],"nextCursor":"2"}`)
		}))
		for _, err := range session.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for name, kind := range map[string]errmapmcp.Kind{"order": errmapmcp.KindProtocol, "second": errmapmcp.KindProtocol, "other": errmapmcp.KindNotFound} {
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
			wantKind(t, err, kind, "jsonrpc:-32602")
		}
	})
	t.Run("resources", func(t *testing.T) {
		t.Parallel()
		for templates, kind := range map[string]errmapmcp.Kind{`[]`: errmapmcp.KindNotFound, `[{"name":"t","uriTemplate":"shop://{id}"}]`: errmapmcp.KindProtocol} {
			session := connectRaw(t, "", answerJSON(http.StatusOK, func(m message) string {
				switch m.Method {
				case "resources/list":
					return m.result(`{"resources":[{"name":"b","uri":"shop://b"}]}`)
				case "resources/templates/list":
					return m.result(`{"resourceTemplates":` + templates + `}`)
				}
				return m.failure(`{"code":-32602,"message":"no"}`)
			}))
			if _, err := session.ListResources(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			wantKind(t, readResource(t.Context(), session), errmapmcp.KindProtocol, "jsonrpc:-32602")
			if _, err := session.ListResourceTemplates(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			wantKind(t, readResource(t.Context(), session), kind, "jsonrpc:-32602")
			_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "shop://b"})
			wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:-32602")
		}
	})
	t.Run("a page that is left out", func(t *testing.T) {
		t.Parallel()
		session := connectRaw(t, "", answerJSON(http.StatusOK, func(m message) string {
			switch {
			case m.Method != "tools/list":
				return m.failure(`{"code":-32602,"message":"no"}`)
			case strings.Contains(string(m.Params), `"3"`):
				return m.result(`{"tools":[` + tool + `]}`)
			}
			return m.result(`{"tools":[` + tool + `],"nextCursor":"2"}`)
		}))
		for _, cursor := range []string{"", "3"} {
			if _, err := session.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: cursor}); err != nil {
				t.Fatal(err)
			}
		}
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "other"})
		wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:-32602")
	})
	t.Run("more than is remembered", func(t *testing.T) {
		t.Parallel()
		names := make([]string, 10_001)
		for i := range names {
			names[i] = fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, i)
		}
		for n, kind := range map[int]errmapmcp.Kind{10_000: errmapmcp.KindNotFound, 10_001: errmapmcp.KindProtocol} {
			session := connectRaw(t, "", answerJSON(http.StatusOK, func(m message) string {
				if m.Method == "tools/list" {
					return m.result(`{"tools":[` + strings.Join(names[:n], ",") + `]}`)
				}
				return m.failure(`{"code":-32602,"message":"no"}`)
			}))
			if _, err := session.ListTools(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			wantKind(t, callTool(t.Context(), session), kind, "jsonrpc:-32602")
		}
	})
	t.Run("other lists that changed", func(t *testing.T) {
		t.Parallel()
		var changed string
		session := connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
			switch m.Method {
			case "prompts/list":
				writeJSON(w, http.StatusOK, m.result(`{"prompts":[]}`))
			case "resources/list":
				writeJSON(w, http.StatusOK, m.result(`{"resources":[]}`))
			case "resources/templates/list":
				writeJSON(w, http.StatusOK, m.result(`{"resourceTemplates":[]}`))
			case "tools/call":
				eventStream(w, `{"jsonrpc":"2.0","method":"notifications/`+changed+`/list_changed"}`+"\n\ndata: "+m.result(`{"content":[]}`))
			default:
				writeJSON(w, http.StatusOK, m.failure(`{"code":-32602,"message":"no"}`))
			}
		})
		ask := func() (prompt, resource error) {
			_, prompt = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "other"})
			return prompt, readResource(t.Context(), session)
		}
		_, err1 := session.ListPrompts(t.Context(), nil)
		_, err2 := session.ListResources(t.Context(), nil)
		_, err3 := session.ListResourceTemplates(t.Context(), nil)
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		prompt, resource := ask()
		wantKind(t, prompt, errmapmcp.KindNotFound, "")
		wantKind(t, resource, errmapmcp.KindNotFound, "")
		for _, kind := range []string{"prompts", "resources"} {
			changed = kind
			if err := callTool(t.Context(), session); err != nil {
				t.Fatal(err)
			}
		}
		prompt, resource = ask()
		wantKind(t, prompt, errmapmcp.KindProtocol, "")
		wantKind(t, resource, errmapmcp.KindProtocol, "")
	})
	t.Run("a list that changed", func(t *testing.T) {
		t.Parallel()
		session := connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
			if m.Method == "tools/list" {
				writeJSON(w, http.StatusOK, m.result(`{"tools":[`+tool+`]}`))
				return
			}
			eventStream(w, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n\ndata: "+m.failure(`{"code":-32602,"message":"no"}`))
		})
		if _, err := session.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		_, _ = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "other"})
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "other"})
		wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:-32602")
	})
}
