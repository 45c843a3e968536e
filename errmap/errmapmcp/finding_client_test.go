package errmapmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
)

// Middlewares, proxies and Google's front ends have an "error" of their own in
// their bodies. Only one that names the version of JSON-RPC is a JSON-RPC error.
func TestFinding_P02_an_error_of_something_else_at_a_bad_status(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"error":"invalid_token","error_description":"expired"}`, `{"error":{"message":"x"}}`,
		`{"error":{"code":401,"message":"x","status":"UNAUTHENTICATED"}}`, `{"error":["x"]}`, `{"id":1,"error":{"code":-32000,"message":"x"}}`,
	} {
		for _, c := range []struct {
			status int
			kind   errmapmcp.Kind
		}{
			{401, errmapmcp.KindAuth}, {403, errmapmcp.KindAuth}, {429, errmapmcp.KindRateLimited},
			{404, errmapmcp.KindTransport}, {500, errmapmcp.KindTransport}, {503, errmapmcp.KindTransport},
		} {
			t.Run(fmt.Sprint(c.status, " ", body), func(t *testing.T) {
				t.Parallel()
				session := connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, _ message) {
					w.Header().Set("Retry-After", "7")
					writeJSON(w, c.status, body)
				})
				for range 2 {
					e := wantKind(t, callTool(t.Context(), session), c.kind, errmapmcp.NewReason("http", int64(c.status)))
					if delay, ok := e.RetryDelay(); !ok || delay != 7*time.Second {
						t.Errorf("the delay is %v, %t", delay, ok)
					}
				}
			})
		}
	}
}

func TestFinding_P15_what_the_same_request_brings_about_again(t *testing.T) {
	t.Parallel()
	for status, want := range map[int64]bool{
		301: false, 307: false, 400: false, 404: false, 405: false, 408: true, 410: false, 413: false, 418: false, 421: true, 422: false, 425: true,
		500: true, 501: false, 502: true, 503: true, 504: true, 505: false,
	} {
		e := newError(t, errmapmcp.KindTransport, errmapmcp.NewReason("http", status))
		if e.Retryable() != want {
			t.Errorf("%s: Retryable is %t", e, e.Retryable())
		}
	}
	for reason, want := range map[errmapmcp.Reason]bool{"refused": true, "dns": true, "": true, "exit:1": true, "other_origin": false} {
		if e := newError(t, errmapmcp.KindTransport, reason); e.Retryable() != want {
			t.Errorf("%s: Retryable is %t", e, e.Retryable())
		}
	}
	if newError(t, errmapmcp.KindProtocol, "http:503").Retryable() || !newError(t, errmapmcp.KindRateLimited, "http:429").Retryable() {
		t.Error("the kind does not count")
	}
	if (*errmapmcp.Error)(nil).Retryable() {
		t.Error("no error is retryable")
	}
}

// A result that is no answer must not be taken for an empty one.
func TestFinding_P21_results_that_are_none(t *testing.T) {
	t.Parallel()
	list := func(ctx context.Context, session *errmapmcp.Session) error {
		_, err := session.ListResources(ctx, nil)
		return err
	}
	for _, c := range []struct {
		name, result string
		call         func(context.Context, *errmapmcp.Session) error
		ok           bool
	}{
		{"a list that wants input", `{"resultType":"input_required","inputRequests":{}}`, list, false},
		{"a list of another type", `{"resultType":"task","resources":[]}`, list, false},
		{"a tool of another type", `{"resultType":"task","content":[]}`, callTool, false},
		{"a type that is no text", `{"resultType":7,"content":[]}`, callTool, false},
		{"input that is not named", `{"resultType":"input_required","content":[]}`, callTool, false},
		{"input that is null", `{"resultType":"input_required","inputRequests":null,"requestState":null}`, callTool, false},
		{"a complete one", `{"resultType":"complete","content":[]}`, callTool, true},
		{"one without a type", `{"content":[]}`, callTool, true},
	} {
		for way, answer := range map[string]func(w http.ResponseWriter, m message){
			"json":   func(w http.ResponseWriter, m message) { writeJSON(w, http.StatusOK, m.result(c.result)) },
			"events": func(w http.ResponseWriter, m message) { eventStream(w, m.result(c.result)) },
		} {
			t.Run(c.name+", "+way, func(t *testing.T) {
				t.Parallel()
				calls := 0
				session := connectNewest(t, func(w http.ResponseWriter, _ *http.Request, m message) {
					calls++
					answer(w, m)
				})
				err := c.call(t.Context(), session)
				if !c.ok {
					wantKind(t, err, errmapmcp.KindProtocol, errmapmcp.ReasonInvalidResult)
				} else if err != nil {
					t.Error(err)
				}
				if calls != 1 {
					t.Errorf("the server was asked %d times", calls)
				}
			})
		}
	}
	// Before 2026-07-28 a result has no type.
	if err := callTool(t.Context(), connectRaw(t, "", answerJSON(http.StatusOK, func(m message) string { return m.result(`{"resultType":"of its own","content":[]}`) }))); err != nil {
		t.Error(err)
	}
}

// connectNewest opens a session of the newest version with a hand-written server.
func connectNewest(t *testing.T, answer func(http.ResponseWriter, *http.Request, message), opts ...errmapmcp.Option) *errmapmcp.Session {
	t.Helper()
	url := rawServer(t, "", func(w http.ResponseWriter, r *http.Request, m message) {
		if m.Method == "server/discover" {
			writeJSON(w, http.StatusOK, m.result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{},"prompts":{}}}`))
			return
		}
		answer(w, r, m)
	})
	session, err := errmapmcp.NewClient(testClient, nil, opts...).Connect(t.Context(), streamable(t, url), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// Without any option a walk has an end, and none that looks like success.
func TestFinding_P22_pages_by_default(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		next   func(cursor string) string
		reason errmapmcp.Reason
		pages  int
	}{
		{"the empty cursor", func(string) string { return "" }, errmapmcp.ReasonCursorRepeated, 1},
		{"the same", func(string) string { return "A" }, errmapmcp.ReasonCursorRepeated, 2},
		{"two in turns", func(cursor string) string { return map[string]string{"": "A", "A": "B", "B": "A"}[cursor] }, errmapmcp.ReasonCursorRepeated, 3},
		{"without end", func(cursor string) string { return cursor + "+" }, "pages:1000", 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pages := 0
			session := connectRaw(t, "", answerJSON(http.StatusOK, func(m message) string {
				var params struct{ Cursor string }
				_ = json.Unmarshal(m.Params, &params)
				pages++
				return m.result(fmt.Sprintf(`{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":%q}`, c.next(params.Cursor)))
			}))
			tools := 0
			var err error
			for _, failed := range session.Tools(t.Context(), nil) {
				if err = failed; err != nil || tools > 1100 {
					break
				}
				tools++
			}
			wantKind(t, err, errmapmcp.KindPaginationCycle, c.reason)
			if pages != c.pages || tools != c.pages {
				t.Errorf("%d pages and %d tools came, want %d", pages, tools, c.pages)
			}
		})
	}
}

// Where a member stands twice the first one counts, in every way in which the
// object is read.
func TestFinding_S05_members_that_stand_twice(t *testing.T) {
	t.Parallel()
	e := errmapmcp.FromRPCError([]byte(`{"code":-31404,"code":-31409,"message":"first","message":"second","data":{"a":1},"data":{"a":2},"Code":7,"Message":"third"}`))
	wire, ok := errors.AsType[*jsonrpc.Error](e)
	peer, _ := errors.AsType[*errmap.Error](e)
	if e.Reason() != "jsonrpc:-31404" || !ok || wire.Code != -31404 || wire.Message != "first" || string(wire.Data) != `{"a":1}` {
		t.Errorf("the reason is %s, the SDK's error %+v", e.Reason(), wire)
	}
	if peer.Code().String() != "NOT_FOUND" || peer.Message() != "first" {
		t.Errorf("the peer's error is %s %q", peer.Code(), peer.Message())
	}
	session := connectRaw(t, "", answerError(`{"code":-32602,"message":"x","data":{"uri":"shop://a","uri":7},"data":{}}`))
	wantKind(t, readResource(t.Context(), session), errmapmcp.KindNotFound, "jsonrpc:-32602")
	session = connectRaw(t, "", answerError(`{"code":-32602,"code":-32002,"message":"x"}`))
	wantKind(t, readResource(t.Context(), session), errmapmcp.KindProtocol, "jsonrpc:-32602")
}

// Without any option an answer has a bound, and it takes memory of its order.
func TestFinding_A14_an_answer_without_end(t *testing.T) {
	// Not parallel: it measures memory.
	chunk := strings.Repeat("x", 1<<20)
	endless := func(head string) func(http.ResponseWriter, *http.Request, message) {
		return func(w http.ResponseWriter, _ *http.Request, m message) {
			w.Header().Set("Content-Type", map[bool]string{true: "text/event-stream", false: "application/json"}[head != ""])
			_, _ = io.WriteString(w, head+strings.TrimSuffix(m.result(`{"content":[{"type":"text","text":"`), "}"))
			for range 200 {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		}
	}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, message){"json": endless(""), "events": endless("data: ")} {
		t.Run(name, func(t *testing.T) {
			session := connectRaw(t, "", answer)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			wantKind(t, callTool(t.Context(), session), errmapmcp.KindMessageTooLarge, "received:16777216")
			runtime.ReadMemStats(&after)
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 256 {
				t.Errorf("it took %d MiB", took)
			}
		})
	}
	t.Run("the stream of the session", func(t *testing.T) {
		url := rawServer(t, "s-1", answerJSON(http.StatusOK, func(m message) string { return m.result(`{"content":[]}`) }))
		written := make(chan int, 8)
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				proxy(t, w, r, url)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			total, n := 0, 0
			for range 200 {
				var err error
				if n, err = io.WriteString(w, map[bool]string{true: "data: ", false: ""}[total == 0]+chunk); err != nil {
					break
				}
				total += n
			}
			written <- total
		}))
		t.Cleanup(front.Close)
		transport := streamable(t, front.URL)
		transport.DisableStandaloneSSE = false
		_ = connect(t, transport)
		select {
		case total := <-written:
			if total > 64<<20 { // what the system buffers counts too
				t.Errorf("%d MiB of one event were taken", total>>20)
			}
		case <-time.After(20 * time.Second):
			t.Error("the stream goes on")
		}
	})
	t.Run("a line", func(t *testing.T) {
		session := connect(t, child(t, "endless"))
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindMessageTooLarge, "received:16777216")
	})
	t.Run("a request", func(t *testing.T) {
		session := connectRaw(t, "", answerStatus(http.StatusTeapot))
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "order", Arguments: map[string]any{"note": strings.Repeat("x", 17<<20)}})
		wantKind(t, err, errmapmcp.KindMessageTooLarge, "sent:16777216")
	})
}
