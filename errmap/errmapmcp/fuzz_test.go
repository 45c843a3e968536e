package errmapmcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// foreign answers requests out of memory: the handshake as it should be, and all
// else as a test wants.
type foreign struct {
	status            int
	contentType, body string
}

func (f foreign) RoundTrip(req *http.Request) (*http.Response, error) {
	respond := func(status int, contentType, body string) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, Header: http.Header{"Content-Type": {contentType}}, Request: req, ContentLength: -1,
			Body: io.NopCloser(strings.NewReader(body)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	}
	if req.Method != http.MethodPost {
		return respond(http.StatusMethodNotAllowed, "text/plain", "")
	}
	sent, err := io.ReadAll(req.Body)
	switch {
	case err != nil:
		return nil, err
	case bytes.Contains(sent, []byte(`"method":"initialize"`)):
		return respond(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":`+initializeResult+`}`)
	case bytes.Contains(sent, []byte(`"method":"notifications/`)):
		return respond(http.StatusAccepted, "text/plain", "")
	}
	return respond(f.status, f.contentType, f.body)
}

// Whatever a server answers over HTTP, the call ends at once, with a result or
// with an *Error that shows nothing of it.
func FuzzClient_http(f *testing.F) {
	good := `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`
	for _, body := range []string{
		good, `{"jsonrpc":"2.0","id":2,"error":{"code":-32003,"message":"marker"}}`, `{"id":2,"error":"marker"}`,
		`{"jsonrpc":"2.0","error":{"code":1,"message":"marker"}}`, `[` + good + `]`, `{"jsonrpc":"2.0","method":"ping","id":2}`,
		"data: " + good + "\n\n", "id: 1\n\ndata: marker\n\n", ":\n\ndata:\n\nevent: other\ndata: {}\n\n", "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":2,\"result\":{}}",
		"marker\n\n", "<html>marker", "{", "", "\xEF\xBB\xBF{}", "data: " + good + "\nmarker\n\n",
	} {
		for _, contentType := range []string{"application/json", "text/event-stream", "text/html; marker", ""} {
			f.Add(200, contentType, body)
		}
		f.Add(404, "application/json", body)
		f.Add(503, "application/json", body)
	}
	f.Add(302, "", "marker")
	f.Add(-1, "", "marker")
	f.Fuzz(func(t *testing.T, status int, contentType, body string) {
		if status < 200 || status > 999 {
			t.Skip("no status of a final response")
		}
		client := errmapmcp.NewClient(testClient, nil, errmapmcp.WithMaxMessage(1<<16))
		transport := &mcp.StreamableClientTransport{
			Endpoint: "http://shop.example.com", MaxRetries: -1, DisableStandaloneSSE: true,
			HTTPClient: &http.Client{Transport: foreign{status, contentType, body}},
		}
		session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = session.Close() }()
		checkCall(t, session, body)
	})
}

// Whatever a server writes on stdio behind the handshake, the call ends at once,
// with a result or with an *Error that shows nothing of it.
func FuzzClient_stdio(f *testing.F) {
	for _, output := range []string{
		`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}` + "\n", `{"jsonrpc":"2.0","id":2,"error":"marker"}` + "\n",
		`{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"marker"}}`, "[]\n", "[{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}},{}]\n",
		"\n\r\n \n", "marker\n", "{\n}", `{"jsonrpc":"2.0","id":null,"error":{}}` + "\n", `{"jsonrpc":"2.0","method":"ping","id":"a"}` + "\n", "",
	} {
		f.Add(output)
	}
	f.Fuzz(func(t *testing.T, output string) {
		theirs, ours := io.Pipe()
		reader, writer := io.Pipe()
		go serveOutput(theirs, writer, output)
		client := errmapmcp.NewClient(testClient, nil, errmapmcp.WithMaxMessage(1<<16))
		session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: reader, Writer: ours}, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = session.Close() }()
		checkCall(t, session, output)
	})
}

// serveOutput opens a session, and writes output for the first call.
func serveOutput(reader io.ReadCloser, writer io.WriteCloser, output string) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := reader.Read(buffer)
		if err != nil {
			_ = writer.Close()
			return
		}
		switch {
		case bytes.Contains(buffer[:n], []byte(`"method":"initialize"`)):
			_, _ = io.WriteString(writer, `{"jsonrpc":"2.0","id":1,"result":`+initializeResult+"}\n")
		case bytes.Contains(buffer[:n], []byte(`"method":"tools/call"`)):
			go func() { _, _ = io.Copy(io.Discard, reader) }()
			_, _ = io.WriteString(writer, output)
			_ = writer.Close()
			return
		}
	}
}

func checkCall(t *testing.T, session *errmapmcp.Session, foreign string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	err := callTool(ctx, session)
	if ctx.Err() != nil {
		t.Fatal("the call does not end")
	}
	if err == nil {
		return
	}
	e, ok := errors.AsType[*errmapmcp.Error](err)
	if !ok {
		t.Fatalf("the error is a %T: %v", err, err)
	}
	if strings.Contains(foreign, "marker") && strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), "marker") {
		t.Fatalf("the text %q shows what the server wrote", e)
	}
}
