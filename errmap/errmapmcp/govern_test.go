package errmapmcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

var errNo = errors.New("no")

func always(d errmapmcp.Decision) errmapmcp.Policy {
	return func(context.Context, errmapmcp.Call) errmapmcp.Decision { return d }
}

func approves(err error) errmapmcp.Approver {
	return func(context.Context, errmapmcp.Call) error { return err }
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		opts   []errmapmcp.Option
		kind   errmapmcp.Kind
		reason errmapmcp.Reason
		cause  error
	}{
		{"allow", []errmapmcp.Option{errmapmcp.WithPolicy(always(errmapmcp.Allow()))}, 0, "", nil},
		{"allow with an approver who would not", []errmapmcp.Option{errmapmcp.WithPolicy(always(errmapmcp.Allow())), errmapmcp.WithApprover(approves(errNo))}, 0, "", nil},
		{"deny", []errmapmcp.Option{errmapmcp.WithPolicy(always(errmapmcp.Deny("read_only")))}, errmapmcp.KindDenied, "read_only", nil},
		{"deny without a reason", []errmapmcp.Option{errmapmcp.WithPolicy(always(errmapmcp.Deny("")))}, errmapmcp.KindDenied, errmapmcp.ReasonPolicy, nil},
		{"the zero decision", []errmapmcp.Option{errmapmcp.WithPolicy(always(errmapmcp.Decision{}))}, errmapmcp.KindDenied, errmapmcp.ReasonPolicy, nil},
		{"hide", []errmapmcp.Option{errmapmcp.WithPolicy(always(errmapmcp.Hide()))}, errmapmcp.KindNotFound, errmapmcp.ReasonHidden, nil},
		{"panic", []errmapmcp.Option{errmapmcp.WithPolicy(func(context.Context, errmapmcp.Call) errmapmcp.Decision { panic(errNo) })}, errmapmcp.KindDenied, errmapmcp.ReasonPolicy, errNo},
		{"ask, yes", []errmapmcp.Option{errmapmcp.WithPolicy(always(errmapmcp.Ask())), errmapmcp.WithApprover(approves(nil))}, 0, "", nil},
		{"ask, no", []errmapmcp.Option{errmapmcp.WithPolicy(always(errmapmcp.Ask())), errmapmcp.WithApprover(approves(errNo))}, errmapmcp.KindDenied, errmapmcp.ReasonApprover, errNo},
		{"ask, nobody there", []errmapmcp.Option{errmapmcp.WithPolicy(always(errmapmcp.Ask()))}, errmapmcp.KindDenied, errmapmcp.ReasonApprover, nil},
		{"ask, panic", []errmapmcp.Option{errmapmcp.WithApprover(func(context.Context, errmapmcp.Call) error { panic("no") })}, errmapmcp.KindDenied, errmapmcp.ReasonApprover, nil},
		{"an approver alone, yes", []errmapmcp.Option{errmapmcp.WithApprover(approves(nil))}, 0, "", nil},
		{"an approver alone, no", []errmapmcp.Option{errmapmcp.WithApprover(approves(errNo))}, errmapmcp.KindDenied, errmapmcp.ReasonApprover, errNo},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int32
			session := connectRaw(t, "", counting(&sent), c.opts...)
			err := callTool(t.Context(), session)
			if c.kind == 0 {
				if err != nil || sent.Load() != 1 {
					t.Errorf("the call failed: %v; it was sent %d times", err, sent.Load())
				}
				return
			}
			e := wantKind(t, err, c.kind, c.reason)
			if sent.Load() != 0 || e.Data()[errmapmcp.DataMethod] != "tools/call" || c.cause != nil && !errors.Is(err, c.cause) {
				t.Errorf("it was sent %d times, of the method %v, with the causes %v", sent.Load(), e.Data()[errmapmcp.DataMethod], causes(e))
			}
		})
	}
	t.Run("an approver who takes too long", func(t *testing.T) {
		t.Parallel()
		var sent atomic.Int32
		session := connectRaw(t, "", counting(&sent), errmapmcp.WithApprover(func(ctx context.Context, _ errmapmcp.Call) error {
			<-ctx.Done()
			return ctx.Err()
		}))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		wantKind(t, callTool(ctx, session), errmapmcp.KindTimeout, errmapmcp.ReasonDeadline)
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if err := callTool(ctx, session); !errors.Is(err, context.Canceled) || errors.Is(err, errmapmcp.KindDenied) {
			t.Errorf("the error is %v", err)
		}
	})
}

// counting answers every request and counts them.
func counting(sent *atomic.Int32) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, _ *http.Request, m message) {
		sent.Add(1)
		writeJSON(w, http.StatusOK, m.result(`{"content":[],"contents":[],"messages":[],"tools":[]}`))
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen [][2]string
	var sent atomic.Int32
	session := connectRaw(t, "", counting(&sent), errmapmcp.WithPolicy(func(_ context.Context, call errmapmcp.Call) errmapmcp.Decision {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, [2]string{call.Method(), call.Name()})
		if call.Session() == nil || call.Params() == nil {
			t.Errorf("%s has no session or no params", call.Method())
		}
		return errmapmcp.Allow()
	}))
	ctx := t.Context()
	_ = session.Ping(ctx, nil)
	_ = session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "p"})
	_ = callTool(ctx, session)
	_ = readResource(ctx, session)
	_, _ = session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "cart"})
	_ = session.Subscribe(ctx, &mcp.SubscribeParams{URI: "shop://b"})
	_, _ = session.ListTools(ctx, &mcp.ListToolsParams{})
	want := [][2]string{{"tools/call", "order"}, {"resources/read", "shop://a"}, {"prompts/get", "cart"}, {"resources/subscribe", "shop://b"}, {"tools/list", ""}}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("the policy sees (-want +got):\n%s", diff)
	}
	var zero errmapmcp.Call
	if zero.Method() != "" || zero.Name() != "" || zero.Params() != nil || zero.Session() != nil {
		t.Error("the zero Call says something")
	}
}

func TestHook_order(t *testing.T) {
	t.Parallel()
	var steps []string
	step := func(name string) { steps = append(steps, name) }
	var sent atomic.Int32
	session := connectRaw(t, "", counting(&sent),
		errmapmcp.WithPostHook(func(_ context.Context, _ errmapmcp.Call, result mcp.Result) error {
			if _, ok := result.(*mcp.CallToolResult); !ok {
				t.Errorf("the hook sees a %T", result)
			}
			step("post 1")
			return nil
		}),
		errmapmcp.WithPreHook(func(context.Context, errmapmcp.Call) error { step("pre 1"); return nil }),
		errmapmcp.WithPreHook(func(context.Context, errmapmcp.Call) error { step("pre 2"); return nil }),
		errmapmcp.WithPostHook(func(context.Context, errmapmcp.Call, mcp.Result) error { step("post 2"); panic(errNo) }),
		errmapmcp.WithPostHook(func(context.Context, errmapmcp.Call, mcp.Result) error { step("post 3"); return nil }),
		errmapmcp.WithPolicy(func(context.Context, errmapmcp.Call) errmapmcp.Decision { step("policy"); return errmapmcp.Allow() }),
	)
	err := callTool(t.Context(), session)
	wantKind(t, err, errmapmcp.KindHook, errmapmcp.ReasonPostHook)
	if !errors.Is(err, errNo) || sent.Load() != 1 {
		t.Errorf("the cause is lost, or it was sent %d times", sent.Load())
	}
	if want := []string{"policy", "pre 1", "pre 2", "post 1", "post 2"}; !slices.Equal(steps, want) {
		t.Errorf("the steps are %v, want %v", steps, want)
	}
}

// A request that failed has no result for a hook to see.
func TestHook_notOnFailures(t *testing.T) {
	t.Parallel()
	session := connectRaw(t, "", answerStatus(http.StatusBadGateway), errmapmcp.WithPostHook(func(context.Context, errmapmcp.Call, mcp.Result) error {
		t.Error("the hook was run")
		return nil
	}))
	wantKind(t, callTool(t.Context(), session), errmapmcp.KindTransport, "http:502")
}

// A hook that the caller cancels is no failure of the hook.
func TestHook_cancelled(t *testing.T) {
	t.Parallel()
	var sent atomic.Int32
	session := connectRaw(t, "", counting(&sent), errmapmcp.WithPreHook(func(ctx context.Context, _ errmapmcp.Call) error {
		<-ctx.Done()
		return ctx.Err()
	}))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := callTool(ctx, session); !errors.Is(err, context.Canceled) || errors.Is(err, errmapmcp.KindHook) {
		t.Errorf("the error is %v", err)
	}
	if sent.Load() != 0 {
		t.Error("the request was sent")
	}
}

func TestWithRate_nothing(t *testing.T) {
	t.Parallel()
	var sent atomic.Int32
	session := connectRaw(t, "", counting(&sent), errmapmcp.WithRate(1, 0))
	e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindRateLimited, errmapmcp.ReasonRate)
	if delay, ok := e.RetryDelay(); ok || sent.Load() != 0 {
		t.Errorf("there is a delay of %v for what never has room", delay)
	}
}

func TestWithMaxInFlight(t *testing.T) {
	t.Parallel()
	// held is a server whose answers wait for a release.
	held := func(called chan<- struct{}, release <-chan struct{}) func(http.ResponseWriter, *http.Request, message) {
		return func(w http.ResponseWriter, r *http.Request, m message) {
			called <- struct{}{}
			select {
			case <-release:
			case <-r.Context().Done():
				return
			}
			writeJSON(w, http.StatusOK, m.result(`{"content":[]}`))
		}
	}
	t.Run("a queue", func(t *testing.T) {
		t.Parallel()
		called, release := make(chan struct{}, 9), make(chan struct{})
		session := connectRaw(t, "", held(called, release), errmapmcp.WithMaxInFlight(1, 1))
		results := make(chan error, 2)
		go func() { results <- callTool(t.Context(), session) }()
		<-called
		go func() {
			err := callTool(t.Context(), session)
			for errors.Is(err, errmapmcp.KindOverloaded) { // the third was in the queue first
				err = callTool(t.Context(), session)
			}
			results <- err
		}()
		// The third finds the place taken and, once the second waits, the queue full.
		var err error
		for range 200 {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
			err = callTool(ctx, session)
			cancel()
			if errors.Is(err, errmapmcp.KindOverloaded) {
				break
			}
			wantKind(t, err, errmapmcp.KindTimeout, "") // it waited in the place of the second
		}
		wantKind(t, err, errmapmcp.KindOverloaded, "queue:1")
		close(release)
		for range 2 {
			if err := <-results; err != nil {
				t.Errorf("a call that had a place failed: %v", err)
			}
		}
		if err := callTool(t.Context(), session); err != nil {
			t.Errorf("the next call failed: %v", err)
		}
	})
	t.Run("closed while waiting", func(t *testing.T) {
		t.Parallel()
		called, release := make(chan struct{}, 9), make(chan struct{})
		defer close(release)
		session := connectRaw(t, "", held(called, release), errmapmcp.WithMaxInFlight(1, 1))
		results := make(chan error, 2)
		for range 2 {
			go func() { results <- callTool(t.Context(), session) }()
		}
		<-called
		_ = session.Close()
		for range 2 {
			wantKind(t, <-results, errmapmcp.KindClosed, errmapmcp.ReasonClosed)
		}
	})
	t.Run("cancelled while waiting", func(t *testing.T) {
		t.Parallel()
		called, release := make(chan struct{}, 9), make(chan struct{})
		session := connectRaw(t, "", held(called, release), errmapmcp.WithMaxInFlight(1, 1))
		first := make(chan error, 1)
		go func() { first <- callTool(t.Context(), session) }()
		<-called
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if err := callTool(ctx, session); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		close(release)
		if err := <-first; err != nil {
			t.Error(err)
		}
	})
	t.Run("a handler's own request", func(t *testing.T) {
		t.Parallel()
		var session *errmapmcp.Session
		handler := &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if _, err := session.ListTools(ctx, nil); err != nil {
				return nil, err
			}
			return &mcp.ElicitResult{Action: "accept"}, nil
		}}
		session = connectSDK(t, handler, askingOnce, errmapmcp.WithMaxInFlight(1, 0))
		if err := callTool(t.Context(), session); err != nil {
			t.Errorf("the call failed: %v", err)
		}
	})
}

// askingOnce is a tool that asks for input once.
func askingOnce(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{Name: "order"}, func(_ context.Context, req *mcp.CallToolRequest, _ empty) (*mcp.CallToolResult, any, error) {
		if req.Params.RequestState == "" {
			return &mcp.CallToolResult{
				InputRequests: mcp.InputRequestMap{"size": &mcp.ElicitParams{Message: "Which size?"}},
				RequestState:  "asked",
			}, nil, nil
		}
		answer, _ := req.Params.InputResponses["size"].(*mcp.ElicitResult)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answer.Action}}}, nil, nil
	})
}

func TestWithRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := mcp.NewInMemoryTransports()
		server := mcp.NewServer(testServer, &mcp.ServerOptions{Logger: quiet()})
		answered(server)
		served, err := server.Connect(t.Context(), theirs, nil)
		if err != nil {
			t.Fatal(err)
		}
		client := errmapmcp.NewClient(testClient, nil, errmapmcp.WithRate(0.5, 2))
		session, err := client.Connect(t.Context(), ours, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := callTool(t.Context(), session); err != nil {
				t.Errorf("a call within the burst failed: %v", err)
			}
		}
		for range 3 { // a refused request costs nothing
			e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindRateLimited, errmapmcp.ReasonRate)
			if delay, ok := e.RetryDelay(); !ok || delay != 2*time.Second {
				t.Errorf("the delay is %v %t, want 2s", delay, ok)
			}
		}
		time.Sleep(2 * time.Second)
		if err := callTool(t.Context(), session); err != nil {
			t.Errorf("the call after the delay failed: %v", err)
		}
		_ = session.Close()
		_ = served.Close()
	})
}

func TestWithMaxStdioServers(t *testing.T) {
	t.Parallel()
	client := errmapmcp.NewClient(testClient, nil, errmapmcp.WithMaxStdioServers(1))
	options := &mcp.ClientSessionOptions{ProtocolVersion: legacy}
	first, err := client.Connect(t.Context(), child(t, "answer"), options)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Connect(t.Context(), child(t, "answer"), options)
	e := wantKind(t, err, errmapmcp.KindOverloaded, "stdio_servers:1")
	if e.Data()[errmapmcp.DataCap] != 1 {
		t.Errorf("the cap is %v", e.Data()[errmapmcp.DataCap])
	}
	if err := callTool(t.Context(), first); err != nil {
		t.Errorf("the server that runs does not answer: %v", err)
	}
	_ = first.Close()
	// A place is free again once the server is gone, and one that did not start
	// takes none.
	broken := child(t, "answer")
	broken.Command.Path = "/nonexistent/server"
	_, err = client.Connect(t.Context(), broken, options)
	wantKind(t, err, errmapmcp.KindTransport, errmapmcp.ReasonStart)
	var second *errmapmcp.Session
	if left := eventually(func() string {
		if second, err = client.Connect(t.Context(), child(t, "answer"), options); err != nil {
			return err.Error()
		}
		return ""
	}); left != "" {
		t.Fatal(left)
	}
	_ = second.Close()
}

// Closing a session that has a server which does not end by itself ends it.
func TestSession_Close_endsTheServer(t *testing.T) {
	t.Parallel()
	transport := child(t, "close") // it ignores the end of its input
	transport.TerminateDuration = 50 * time.Millisecond
	session := connect(t, transport)
	wantKind(t, callTool(t.Context(), session), errmapmcp.KindConnectionDown, errmapmcp.ReasonEOF)
	_ = within(t, 2*time.Second, session.Close)
	if state := transport.Command.ProcessState; state == nil || !state.Exited() && state.ExitCode() != -1 {
		t.Errorf("the server has not exited: %v", state)
	}
	if transport.Command.Stderr == io.Discard {
		t.Error("the standard error is discarded")
	}
}
