package errmapmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

func accepting() *mcp.ClientOptions {
	return elicits(func() (*mcp.ElicitResult, error) { return &mcp.ElicitResult{Action: "accept"}, nil })
}

// needs is a result that asks for input.
func needs(requests, state string) string {
	return `{"resultType":"input_required","inputRequests":` + requests + `,"requestState":` + strconv.Quote(state) + `}`
}

// manyInputs are n requests for input.
func manyInputs(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"%d":{"method":"roots/list","params":{}}`, i))
	}
	return "{" + strings.Join(all, ",") + "}"
}

const oneInput = `{"a":{"method":"elicitation/create","params":{"message":"?"}}}`

func TestWithRounds_caps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		opt    errmapmcp.Option
		result string
		reason errmapmcp.Reason
		sent   int32
		limit  int
	}{
		{"rounds", errmapmcp.WithRounds(2, 0, 0), needs(oneInput, "s"), "rounds:2", 3, 2},
		{"inputs", errmapmcp.WithRounds(0, 3, 0), needs(`{"a":{"method":"roots/list","params":{}},"b":{"method":"roots/list","params":{}}}`, "s"), "inputs:4", 2, 3},
		{"state", errmapmcp.WithRounds(0, 0, 8), needs(oneInput, "123456789"), "state:9", 1, 8},
		{"nothing but state", errmapmcp.WithRounds(0, 0, 0), needs(`{}`, "s"), "rounds:10", 11, 10},
		{"inputs by default", errmapmcp.WithRounds(0, 0, 0), needs(manyInputs(101), "s"), "inputs:101", 1, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int32
			session := connectWith(t, streamable(t, rawServer(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
				sent.Add(1)
				writeJSON(w, http.StatusOK, m.result(c.result))
			})), accepting(), c.opt)
			e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindMRTRRoundLimit, c.reason)
			count, _ := c.reason.Number()
			if sent.Load() != c.sent || e.Data()[errmapmcp.DataCount] != int(count) || e.Data()[errmapmcp.DataCap] != c.limit {
				t.Errorf("it was sent %d times, want %d; the data is %v", sent.Load(), c.sent, e.Data())
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		var sent atomic.Int32
		session := connectWith(t, streamable(t, rawServer(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
			if sent.Add(1) <= 25 {
				writeJSON(w, http.StatusOK, m.result(needs(oneInput, strings.Repeat("s", 100))))
				return
			}
			writeJSON(w, http.StatusOK, m.result(`{"content":[]}`))
		})), accepting(), errmapmcp.WithRounds(-1, -1, -1))
		if err := callTool(t.Context(), session); err != nil {
			t.Error(err)
		}
	})
}

func TestClient_rounds(t *testing.T) {
	t.Parallel()
	t.Run("every request that may ask", func(t *testing.T) {
		t.Parallel()
		type sent struct {
			InputResponses map[string]json.RawMessage `json:"inputResponses"`
			RequestState   string                     `json:"requestState"`
		}
		var seen []sent
		session := connectWith(t, streamable(t, rawServer(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
			var params sent
			if err := json.Unmarshal(m.Params, &params); err != nil {
				t.Error(err)
			}
			if params.RequestState == "" {
				writeJSON(w, http.StatusOK, m.result(needs(`{"e":{"method":"elicitation/create","params":{"message":"?"}},"s":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}},"r":{"method":"roots/list","params":{}}}`, "s")))
				return
			}
			seen = append(seen, params)
			writeJSON(w, http.StatusOK, m.result(`{"content":[],"contents":[],"messages":[]}`))
		})), &mcp.ClientOptions{
			ElicitationHandler: accepting().ElicitationHandler,
			//lint:ignore SA1019 servers of the deprecation window still ask for it
			CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
				//lint:ignore SA1019 servers of the deprecation window still ask for it
				return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "hi"}}, nil
			},
		})
		tool := &mcp.CallToolParams{Name: "order", Arguments: map[string]any{}}
		_, err1 := session.CallTool(t.Context(), tool)
		_, err2 := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart"})
		_, err3 := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "shop://a"})
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		if tool.RequestState != "" || tool.InputResponses != nil {
			t.Error("the caller's parameters were changed")
		}
		if len(seen) != 3 {
			t.Fatalf("the server was answered %d times", len(seen))
		}
		for _, got := range seen {
			if got.RequestState != "s" || string(got.InputResponses["e"]) != `{"action":"accept"}` ||
				!strings.Contains(string(got.InputResponses["s"]), `"role":"assistant"`) || !strings.Contains(string(got.InputResponses["r"]), `"roots":[]`) {
				t.Errorf("the server was sent %+v", got)
			}
		}
	})
	t.Run("with the SDK's server", func(t *testing.T) {
		t.Parallel()
		result, err := connectSDK(t, accepting(), askingOnce).CallTool(t.Context(), &mcp.CallToolParams{Name: "order"})
		if err != nil || result.Content[0].(*mcp.TextContent).Text != "accept" {
			t.Errorf("the call returned %+v, %v", result, err)
		}
	})
	off := &mcp.ClientOptions{ElicitationHandler: accepting().ElicitationHandler, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}}
	t.Run("turned off", func(t *testing.T) {
		t.Parallel()
		result, err := connectSDK(t, off, asking).CallTool(t.Context(), &mcp.CallToolParams{Name: "order"})
		if err != nil || !result.NeedsInput() {
			t.Errorf("the call returned %+v, %v", result, err)
		}
	})
	t.Run("turned on again", func(t *testing.T) {
		t.Parallel()
		session := connectSDK(t, off, asking, errmapmcp.WithRounds(1, 0, 0))
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindMRTRRoundLimit, "rounds:1")
	})
}

func TestClient_inputHandler(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]*mcp.ClientOptions{
		"panics":        elicits(func() (*mcp.ElicitResult, error) { panic(errPrompt) }),
		"is not there":  nil,
		"answers wrong": elicits(func() (*mcp.ElicitResult, error) { return nil, errPrompt }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := callTool(t.Context(), connectSDK(t, handler, asking))
			wantKind(t, err, errmapmcp.KindInputHandler, errmapmcp.ReasonHandler)
			if handler != nil && !errors.Is(err, errPrompt) {
				t.Error("the handler's own error is lost")
			}
		})
	}
	t.Run("fails with a kind of its own", func(t *testing.T) {
		t.Parallel()
		session := connectSDK(t, elicits(func() (*mcp.ElicitResult, error) {
			return nil, newError(t, errmapmcp.KindDenied, "policy")
		}), asking)
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindInputHandler, errmapmcp.ReasonHandler)
	})
	t.Run("outlasts the caller", func(t *testing.T) {
		t.Parallel()
		session := connectSDK(t, &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}, asking)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		wantKind(t, callTool(ctx, session), errmapmcp.KindTimeout, errmapmcp.ReasonDeadline)
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		if err := callTool(ctx, session); !errors.Is(err, context.Canceled) || errors.Is(err, errmapmcp.KindInputHandler) {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestSession_walks(t *testing.T) {
	t.Parallel()
	walks := map[string]func(*errmapmcp.Session) ([]string, error){
		"tools/list": func(s *errmapmcp.Session) (names []string, err error) {
			for tool, err := range s.Tools(t.Context(), nil) {
				if err != nil {
					return names, err
				}
				names = append(names, tool.Name)
			}
			return names, nil
		},
		"prompts/list": func(s *errmapmcp.Session) (names []string, err error) {
			for prompt, err := range s.Prompts(t.Context(), nil) {
				if err != nil {
					return names, err
				}
				names = append(names, prompt.Name)
			}
			return names, nil
		},
		"resources/list": func(s *errmapmcp.Session) (names []string, err error) {
			for resource, err := range s.Resources(t.Context(), nil) {
				if err != nil {
					return names, err
				}
				names = append(names, resource.Name)
			}
			return names, nil
		},
		"resources/templates/list": func(s *errmapmcp.Session) (names []string, err error) {
			for template, err := range s.ResourceTemplates(t.Context(), nil) {
				if err != nil {
					return names, err
				}
				names = append(names, template.Name)
			}
			return names, nil
		},
	}
	// page is a page of any of them.
	page := func(name, next string) string {
		item := `[{"name":"` + name + `","uri":"shop://a","uriTemplate":"shop://{a}","inputSchema":{"type":"object"}}]`
		return `{"tools":` + item + `,"prompts":` + item + `,"resources":` + item + `,"resourceTemplates":` + item + next + `}`
	}
	cursorOf := func(m message) string {
		var params struct{ Cursor string }
		_ = json.Unmarshal(m.Params, &params)
		return params.Cursor
	}
	for _, c := range []struct {
		name   string
		page   func(cursor string) string
		reason errmapmcp.Reason // "" for an end
		names  string
	}{
		{"an end", func(cursor string) string {
			if cursor == "2" {
				return page("b", "")
			}
			return page("a", `,"nextCursor":"2"`)
		}, "", "a b"},
		{"the same cursor", func(string) string { return page("a", `,"nextCursor":"2"`) }, errmapmcp.ReasonCursorRepeated, "a a"},
		{"a circle", func(cursor string) string {
			return page("a", `,"nextCursor":"`+map[string]string{"": "2", "2": "3", "3": "2"}[cursor]+`"`)
		}, errmapmcp.ReasonCursorRepeated, "a a a"},
		{"the empty cursor", func(string) string { return page("a", `,"nextCursor":""`) }, errmapmcp.ReasonCursorRepeated, "a"},
		{"no end", func(cursor string) string { return page("a", `,"nextCursor":"`+cursor+`+"`) }, "pages:4", "a a a a"},
		{"null", func(string) string { return page("a", `,"nextCursor":null`) }, "", "a"},
	} {
		for method, walk := range walks {
			t.Run(c.name+" of "+method, func(t *testing.T) {
				t.Parallel()
				session := connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
					if m.Method != method {
						t.Errorf("the method is %s, want %s", m.Method, method)
					}
					writeJSON(w, http.StatusOK, m.result(c.page(cursorOf(m))))
				}, errmapmcp.WithPagination(4))
				names, err := walk(session)
				if c.reason == "" && err != nil {
					t.Errorf("the walk failed: %v", err)
				} else if c.reason != "" {
					wantKind(t, err, errmapmcp.KindPaginationCycle, c.reason)
				}
				if diff := cmp.Diff(c.names, strings.Join(names, " ")); diff != "" {
					t.Errorf("the items (-want +got):\n%s", diff)
				}
			})
		}
	}
	t.Run("the empty cursor over stdio", func(t *testing.T) {
		t.Parallel()
		_, err := walks["tools/list"](connect(t, child(t, "empty cursor"), errmapmcp.WithPagination(0)))
		wantKind(t, err, errmapmcp.KindPaginationCycle, errmapmcp.ReasonCursorRepeated)
	})
	t.Run("the empty cursor in events", func(t *testing.T) {
		t.Parallel()
		_, err := walks["tools/list"](connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
			eventStream(w, m.result(page("a", `,"nextCursor":""`)))
		}, errmapmcp.WithPagination(0)))
		wantKind(t, err, errmapmcp.KindPaginationCycle, errmapmcp.ReasonCursorRepeated)
	})
	t.Run("stops when told", func(t *testing.T) {
		t.Parallel()
		var sent atomic.Int32
		session := connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
			sent.Add(1)
			writeJSON(w, http.StatusOK, m.result(page("a", `,"nextCursor":"`+cursorOf(m)+`+"`)))
		}, errmapmcp.WithPagination(-1))
		for _, err := range session.Tools(t.Context(), &mcp.ListToolsParams{Cursor: "start"}) {
			if err != nil {
				t.Fatal(err)
			}
			if sent.Load() == 3 {
				break
			}
		}
		if sent.Load() != 3 {
			t.Errorf("%d pages were asked for", sent.Load())
		}
	})
	t.Run("a failing page", func(t *testing.T) {
		t.Parallel()
		for method, walk := range walks {
			_, err := walk(connectRaw(t, "", answerStatus(http.StatusBadGateway), errmapmcp.WithPagination(0)))
			if !errors.Is(err, errmapmcp.KindTransport) {
				t.Errorf("%s: %v", method, err)
			}
		}
	})
}
