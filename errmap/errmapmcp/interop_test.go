package errmapmcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// What the SDK itself leaves of failures, as docs/interop.md has it. Where a
// newer SDK fails a case here, the table and the package can drop it.
func TestInterop_sdkClient(t *testing.T) {
	t.Parallel()
	bare := func(t *testing.T, answer func(http.ResponseWriter, *http.Request, message)) *mcp.ClientSession {
		session, err := mcp.NewClient(testClient, nil).Connect(t.Context(), streamable(t, rawServer(t, "", answer)), &mcp.ClientSessionOptions{ProtocolVersion: legacy})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return session
	}
	call := func(ctx context.Context, session *mcp.ClientSession) error {
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "order"})
		return err
	}
	for _, status := range []int{401, 403, 429, 503} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			err := call(t.Context(), bare(t, answerStatus(status, "Retry-After", "7", "WWW-Authenticate", "Bearer scope=x")))
			if err == nil || !strings.Contains(err.Error(), http.StatusText(status)) || strings.Contains(err.Error(), "7") || strings.Contains(err.Error(), "Bearer") {
				t.Errorf("the SDK says %v", err)
			}
		})
	}
	t.Run("a null id", func(t *testing.T) {
		t.Parallel()
		session := bare(t, answerJSON(400, func(message) string { return `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"gone"}}` }))
		err := call(t.Context(), session)
		if _, ok := errors.AsType[*jsonrpc.Error](err); ok || err == nil {
			t.Errorf("the SDK says %v", err)
		}
		if err := call(t.Context(), session); !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("then the SDK says %v", err)
		}
	})
	for _, number := range []int{-32003, -32004} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			t.Parallel()
			err := call(t.Context(), bare(t, answerError(fmt.Sprintf(`{"code":%d,"message":"quota"}`, number))))
			if _, ok := errors.AsType[*jsonrpc.Error](err); ok || !errors.Is(err, mcp.ErrConnectionClosed) {
				t.Errorf("the SDK says %v", err)
			}
		})
	}
	t.Run("an error that is no object", func(t *testing.T) {
		t.Parallel()
		session := bare(t, answerError(`"boom"`))
		if err := call(t.Context(), session); err == nil {
			t.Error("the call succeeded")
		}
		if err := call(t.Context(), session); !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("then the SDK says %v", err)
		}
	})
	t.Run("the exit of a server", func(t *testing.T) {
		t.Parallel()
		session, err := mcp.NewClient(testClient, nil).Connect(t.Context(), child(t, "exit"), &mcp.ClientSessionOptions{ProtocolVersion: legacy})
		if err != nil {
			t.Fatal(err)
		}
		if err := call(t.Context(), session); !errors.Is(err, io.EOF) || strings.Contains(err.Error(), "exit") {
			t.Errorf("the SDK says %v", err)
		}
		if err := session.Close(); err == nil || err.Error() != "exit status 1" {
			t.Errorf("Close: %v", err)
		}
	})
	t.Run("a server that does not read", func(t *testing.T) {
		t.Parallel()
		transport := child(t, "deaf")
		session, err := mcp.NewClient(testClient, nil).Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
		if err != nil {
			t.Fatal(err)
		}
		if err := call(t.Context(), session); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		returned := make(chan struct{})
		go func() {
			defer close(returned)
			_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "order", Arguments: map[string]any{"note": strings.Repeat("x", 1<<20)}})
		}()
		time.AfterFunc(time.Second, cancel) // when the pipe to the server is long full
		<-ctx.Done()
		select {
		case <-returned:
			t.Errorf("the SDK says %v", err)
		case <-time.After(300 * time.Millisecond):
		}
		_ = transport.Command.Process.Kill()
		<-returned
		_ = session.Close()
	})
	t.Run("a page", func(t *testing.T) {
		t.Parallel()
		session := bare(t, func(w http.ResponseWriter, _ *http.Request, _ message) { _, _ = w.Write([]byte("<html>")) })
		if err := call(t.Context(), session); err == nil {
			t.Error("the call succeeded")
		}
		if err := call(t.Context(), session); !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("then the SDK says %v", err)
		}
	})
	t.Run("an answer to another request", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		err := call(ctx, bare(t, answerJSON(200, func(message) string { return `{"jsonrpc":"2.0","id":99,"result":{}}` })))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the SDK says %v", err)
		}
	})
	t.Run("an empty cursor", func(t *testing.T) {
		t.Parallel()
		session := bare(t, answerJSON(200, func(m message) string { return m.result(`{"tools":[],"nextCursor":""}`) }))
		for _, err := range session.Tools(t.Context(), nil) {
			t.Errorf("the SDK says %v", err)
		}
	})
	t.Run("input without end", func(t *testing.T) {
		t.Parallel()
		session, err := mcp.NewClient(testClient, accepting()).Connect(t.Context(), streamable(t, sdkServer(t, asking)), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		if err := call(t.Context(), session); err == nil || errors.Unwrap(err) != nil {
			t.Errorf("the SDK says %v", err)
		}
	})
}

func TestInterop_sdkServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		failure error
		want    string
	}{
		{"wrapped", fmt.Errorf("buying: %w", &jsonrpc.Error{Code: 4010, Message: "m", Data: []byte(`{}`)}), `{"code":4010,"message":"buying: m"}`},
		{"plain", errors.New("token hunter2 refused"), `{"code":0,"message":"token hunter2 refused"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session := connectSDK(t, nil, func(server *mcp.Server) {
				server.AddPrompt(&mcp.Prompt{Name: "cart"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, c.failure })
			})
			_, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart"})
			if e := wantKind(t, err, errmapmcp.KindProtocol, ""); string(e.RPCError()) != c.want {
				t.Errorf("the SDK sends %s, want %s", e.RPCError(), c.want)
			}
		})
	}
	t.Run("a panic", func(t *testing.T) {
		t.Parallel()
		session := connect(t, child(t, "panic of the SDK's server"))
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindConnectionDown, "exit:2")
	})
	t.Run("a panic, mended", func(t *testing.T) {
		t.Parallel()
		session := connect(t, child(t, "panic of a mended server"))
		for range 2 {
			if err := callTool(t.Context(), session); err != nil {
				t.Error(err)
			}
		}
	})
}
