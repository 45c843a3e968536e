package agent_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/agent"
)

const (
	baseURL = "http://agent.example.com"
	service = "/lf.a2a.v1.A2AService/"
)

// versioned is the header of a request of A2A 1.0.
var versioned = map[string]string{"A2A-Version": "1.0"}

// harness is an agent behind a listener in memory.
type harness struct {
	agent *agent.Agent
	log   *lockedBuffer
	http  *http.Client // HTTP/1.1
	http2 *http.Client // HTTP/2 without TLS
	grpc  *grpc.ClientConn
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// memoryListener hands out pipes. Those of grpc's bufconn will not do: net/http
// sets and clears read deadlines, and there a timer that was stopped too late
// ends the next read, and with it the request.
type memoryListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *memoryListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func (l *memoryListener) dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	h := &harness{log: new(lockedBuffer)}
	var err error
	h.agent, err = agent.New(agent.WithURL(baseURL), agent.WithVersion("v1.2.3"),
		agent.WithLogger(slog.New(slog.NewTextHandler(h.log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	listener := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	s := &http.Server{Handler: h.agent, Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = s.Serve(listener) }()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return listener.dial(ctx) }
	h.http = &http.Client{Transport: &http.Transport{DialContext: dial}}
	h2 := &http.Transport{DialContext: dial, Protocols: new(http.Protocols)}
	h2.Protocols.SetUnencryptedHTTP2(true)
	h.http2 = &http.Client{Transport: h2}
	h.grpc, err = grpc.NewClient("passthrough:///agent", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.dial(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.agent.Shutdown()
		h.http.CloseIdleConnections()
		h.http2.CloseIdleConnections()
		_ = h.grpc.Close()
		_ = s.Close()
	})
	return h
}

// request is one call as every wire makes it.
type request struct {
	method     string // of the service
	params     proto.Message
	header     map[string]string
	verb, path string // of HTTP+JSON
}

func (r request) descriptor() protoreflect.MethodDescriptor {
	return a2apb.File_a2av1_proto.Services().ByName("A2AService").Methods().ByName(protoreflect.Name(r.method))
}

func (r request) newResponse(t *testing.T) proto.Message {
	t.Helper()
	mt, err := protoregistry.GlobalTypes.FindMessageByName(r.descriptor().Output().FullName())
	if err != nil {
		t.Fatal(err)
	}
	return mt.New().Interface()
}

func (r request) json(t *testing.T) string {
	t.Helper()
	b, err := protojson.Marshal(r.params)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// wire makes a call, and returns what its client says of the error.
type wire struct {
	name string
	call func(t *testing.T, h *harness, r request) *errmap.Error
}

var wires = []wire{
	{"connect", viaConnect(connecthttp.WithSendCodec("proto"))},
	{"connect json", viaConnect(connecthttp.WithSendCodec("json"))},
	{"grpc", viaConnect(connecthttp.WithGRPC())},
	{"grpc-web", viaConnect(connecthttp.WithGRPCWeb())},
	{"grpc-go", viaGRPC},
	{"jsonrpc", viaJSONRPC},
	{"http", viaHTTP},
}

func viaConnect(opts ...connecthttp.Option) func(*testing.T, *harness, request) *errmap.Error {
	return func(t *testing.T, h *harness, r request) *errmap.Error {
		t.Helper()
		client := errmapconnect.NewClient(connecthttp.NewTransport(h.http2, baseURL, opts...))
		ctx, info := connect.NewClientContext(t.Context())
		for key, value := range r.header {
			info.RequestHeader().Set(key, value)
		}
		spec := connect.Spec{Procedure: service + r.method, Schema: r.descriptor()}
		if !r.descriptor().IsStreamingServer() {
			return asError(t, client.CallUnary(ctx, spec, r.params, r.newResponse(t)))
		}
		spec.StreamType = connect.StreamTypeServer
		stream, err := client.CallServerStream(ctx, spec, r.params)
		if err != nil {
			return asError(t, err)
		}
		defer stream.Close()
		for {
			if err := stream.Receive(r.newResponse(t)); err != nil {
				return asError(t, err)
			}
		}
	}
}

func viaGRPC(t *testing.T, h *harness, r request) *errmap.Error {
	t.Helper()
	ctx := t.Context()
	for key, value := range r.header {
		ctx = metadata.AppendToOutgoingContext(ctx, key, value)
	}
	var err error
	if !r.descriptor().IsStreamingServer() {
		err = h.grpc.Invoke(ctx, service+r.method, r.params, r.newResponse(t))
	} else {
		var stream grpc.ClientStream
		stream, err = h.grpc.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, service+r.method)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(stream.SendMsg(r.params), stream.CloseSend()); err != nil {
			t.Fatal(err)
		}
		for err == nil {
			err = stream.RecvMsg(r.newResponse(t))
		}
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	e, err := errmap.FromStatus(status.Convert(err).Proto())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func viaJSONRPC(t *testing.T, h *harness, r request) *errmap.Error {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":9007199254740993,"method":"` + r.method + `","params":` + r.json(t) + `}`
	_, answer := h.do(t, http.MethodPost, "/", body, r.header)
	lines := strings.Split(strings.TrimSpace(answer), "\n")
	last := strings.TrimPrefix(lines[len(lines)-1], "data: ")
	if !strings.HasPrefix(last, `{"jsonrpc":"2.0","id":9007199254740993,`) {
		t.Errorf("the id is not that of the request: %s", last)
	}
	if !strings.Contains(last, `"error":{"code":`) {
		return nil
	}
	e, err := errmap.DecodeJSONRPC([]byte(last), errmap.ProfileA2A)
	if err != nil {
		t.Fatalf("%s: %v", last, err)
	}
	return e
}

func viaHTTP(t *testing.T, h *harness, r request) *errmap.Error {
	t.Helper()
	body := ""
	if r.verb == http.MethodPost {
		body = r.json(t)
	}
	response, answer := h.do(t, r.verb, r.path, body, r.header)
	if response.StatusCode == http.StatusOK {
		return nil
	}
	e, err := errmap.DecodeHTTP([]byte(answer), errmap.WithHTTPStatus(response.StatusCode))
	if err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	return e
}

// do makes a request over HTTP/1.1 and reads the answer to its end.
func (h *harness) do(t *testing.T, verb, path, body string, header map[string]string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), verb, baseURL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for key, value := range header {
		r.Header.Set(key, value)
	}
	response, err := h.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(answer)
}

func asError(t *testing.T, err error) *errmap.Error {
	t.Helper()
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	e, ok := errors.AsType[*errmap.Error](err)
	if !ok {
		t.Fatalf("not an *errmap.Error: %v", err)
	}
	return e
}

// message is a request that says text to the agent.
func message(text string) *a2apb.SendMessageRequest {
	return &a2apb.SendMessageRequest{Message: &a2apb.Message{
		MessageId: "m-1", Role: a2apb.Role_ROLE_USER,
		Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: text}}},
	}}
}

// task has the agent complete a task and returns its id.
func (h *harness) task(t *testing.T, header map[string]string) string {
	t.Helper()
	ctx := t.Context()
	for key, value := range header {
		ctx = metadata.AppendToOutgoingContext(ctx, key, value)
	}
	response, err := a2apb.NewA2AServiceClient(h.grpc).SendMessage(ctx, message("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if state := response.GetTask().GetStatus().GetState(); state != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("the task is %v", state)
	}
	return response.GetTask().GetId()
}
