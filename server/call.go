package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	"connectrpc.com/connect/v2"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/inputerror"
	"github.com/errmap/errmap/internal/jsonrpc"
	"github.com/errmap/errmap/internal/procedure"
	"github.com/errmap/errmap/internal/strict"
)

// ProtocolName is the token for JSON-RPC in [connect.CallInfo.Protocol].
const ProtocolName = errmapconnect.ProtocolNameJSONRPC

var (
	errStreamOver   = errors.New("server: the call is over")
	errSecondResult = errors.New("server: a unary method sends one message")
	errNoResult     = errors.New("server: the method returned neither a message nor an error")
	errGoexit       = errors.New("server: the method called runtime.Goexit")
)

// Info is what is known of a call beyond [connect.CallInfo], whose
// TransportInfo it is. It is immutable.
type Info struct {
	request *http.Request
	id      string
	method  string
}

// InfoForContext returns the Info of the call that ctx belongs to; false where
// that did not come through JSON-RPC.
func InfoForContext(ctx context.Context) (*Info, bool) {
	call, ok := connect.CallInfoForServerContext(ctx)
	if !ok {
		return nil, false
	}
	info, ok := call.TransportInfo.(*Info)
	return info, ok
}

// HTTPRequest returns the HTTP request that the call came in, for its URL and
// TLS state. Its body has been read. It must not be changed, and is nil for a
// nil Info.
func (i *Info) HTTPRequest() *http.Request {
	if i == nil {
		return nil
	}
	return i.request
}

// ID returns the id of the request as the JSON token that it was, "" for a
// notification and for a nil Info.
func (i *Info) ID() string {
	if i == nil {
		return ""
	}
	return i.id
}

// Method returns the name that the request called, "" for a nil Info.
func (i *Info) Method() string {
	if i == nil {
		return ""
	}
	return i.method
}

// call is one call of a method, and the stream that the method sees.
type call struct {
	h      *handler
	ctx    procedure.Context // a stream has no other way to its call
	info   connect.CallInfo
	meta   Info
	method *method
	id     jsonrpc.ID
	params []byte

	mu       sync.Mutex
	received bool
	sent     bool
	over     bool
	answer   []byte
	events   *eventStream
	exited   *errmap.Error // where the method ended its goroutine
}

func (h *handler) newCall(r *http.Request, request *jsonrpc.Request, m *method) *call {
	// Each field by itself: a literal would be made elsewhere and copied.
	c := new(call)
	c.h, c.method, c.id, c.params = h, m, request.ID, request.Params
	c.meta.request, c.meta.id, c.meta.method = r, string(request.ID), m.name
	c.info.Spec, c.info.PeerAddr, c.info.TransportInfo = m.spec, r.RemoteAddr, &c.meta
	c.info.Protocol, c.info.Codec = ProtocolName, connect.CodecNameJSON
	c.info.RequestEncoding = encodingName(first(r.Header[headerContentEncoding]))
	c.info.ResponseEncoding = connect.CompressionNameIdentity
	for key, values := range r.Header {
		// The calls of a batch share the values, and Add must not write to them.
		c.info.RequestHeader().SetValues(key, slices.Clip(values))
	}
	return c
}

// run calls the method and returns what its caller may see of the error. When
// it returns, nothing touches the call's buffers any more, even if the method
// left goroutines behind. Where the method ends its goroutine (runtime.Goexit), run
// does not return, and the call has exited.
func (c *call) run(ctx context.Context) (failure *errmap.Error) {
	c.ctx.Context, c.ctx.Name = ctx, c.method.spec.Procedure
	over := false
	defer func() {
		if over {
			return
		}
		value := recover()
		c.end()
		if value == nil {
			value = errGoexit
			c.exited = c.told(nil, c.h.guard.Panicked(&c.ctx, value))
			return
		}
		failure = c.told(nil, c.h.guard.Panicked(&c.ctx, value))
	}()
	err := c.h.server.Call(&c.ctx, c.method.spec.Procedure, &c.info, c)
	sent := c.end()
	over = true
	if err == nil && c.method.spec.StreamType == connect.StreamTypeUnary && !sent {
		err = errNoResult
	}
	if err == nil {
		return nil
	}
	return c.told(err, c.h.guard.Outgoing(&c.ctx, err))
}

// told tells the observer of a method's error and of what its caller may see of it,
// which it returns.
func (c *call) told(err error, failure *errmap.Error) *errmap.Error {
	return c.h.told(&c.ctx, c.method, err, failure)
}

// told tells the observer of a call that failed, of a method that may be nil.
func (h *handler) told(ctx context.Context, m *method, err error, failure *errmap.Error) *errmap.Error {
	e := errmap.Event{Wire: errmap.WireJSONRPC, Err: err, Sent: failure}
	if m != nil {
		e.Procedure = m.spec.Procedure
	}
	h.observer.Observe(ctx, e)
	return failure
}

// end lets the stream of the method do nothing any more, and tells whether it has
// sent a message.
func (c *call) end() (sent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	return c.sent
}

// Receive implements [connect.ServerStream].
func (c *call) Receive(message any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.over:
		return errStreamOver
	case c.received:
		return io.EOF
	}
	c.received = true
	m, ok := message.(proto.Message)
	if !ok {
		return fmt.Errorf("server: %T is not a Protobuf message", message)
	}
	c.info.ReceiveStats = connect.MessageStats{Size: len(c.params)}
	if c.params != nil && !c.sent {
		// The answer is not there yet, so its buffer is room to work in.
		room, ok := c.method.params.Read(c.params, m, c.answer)
		if c.answer = room[:0]; ok {
			return nil
		}
	}
	return c.h.readParams(c.method, c.params, m)
}

// SendHeaders implements [connect.ServerStream]. A unary call may still fail,
// so its headers wait for its message.
func (c *call) SendHeaders() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.over:
		return errStreamOver
	case c.events == nil:
		return nil
	}
	return c.events.open(c)
}

// Send implements [connect.ServerStream].
func (c *call) Send(message any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.over:
		return errStreamOver
	case c.events != nil:
		return c.events.send(c, message)
	case c.sent:
		return errSecondResult
	}
	out, size, err := c.h.appendResult(c.answer[:0], c, message)
	if err != nil {
		return err
	}
	c.answer, c.sent = out, true
	c.info.SendStats = connect.MessageStats{Size: size}
	return nil
}

// appendResult appends a response with a message. An error that says why the
// message has no JSON is not for the caller, so it does not speak.
func (h *handler) appendResult(dst []byte, c *call, message any) (out []byte, size int, err error) {
	m, ok := message.(proto.Message)
	if !ok {
		return dst, 0, fmt.Errorf("server: %T is not a Protobuf message", message)
	}
	begin := len(dst)
	dst = jsonrpc.BeginResult(dst, c.id)
	start := len(dst)
	if dst, ok = c.method.result.Append(dst, m); !ok {
		dst, err = h.marshal.MarshalAppend(dst, m)
		if err != nil {
			return dst[:begin], 0, fmt.Errorf("server: the message has no JSON: %w", err)
		}
		dst = dst[:start+len(jsonrpc.Compact(dst[start:]))]
	}
	dst = strict.Append(dst, m.ProtoReflect())
	size = len(dst) - start
	dst = jsonrpc.End(dst)
	if len(dst)-begin > h.limits.ResponseBytes {
		return dst[:begin], 0, connect.Errorf(connect.CodeResourceExhausted,
			"the answer is larger than %d bytes", h.limits.ResponseBytes)
	}
	return dst, size, nil
}

// readParams reads params into a message. The error is for the caller.
func (h *handler) readParams(method *method, params []byte, m proto.Message) error {
	name := m.ProtoReflect().Descriptor().FullName()
	// A2A and MCP have params by name alone.
	if params == nil || isEmptyList(params) && h.profile == errmap.ProfileGeneric && !method.required {
		if err := proto.CheckInitialized(m); err != nil {
			return connect.Errorf(connect.CodeInvalidArgument, "Invalid params: a %s has required fields", name)
		}
		return nil
	}
	if params[0] != '{' {
		return connect.Errorf(connect.CodeInvalidArgument, "Invalid params: params must be an object with the fields of %s", name)
	}
	if err := h.unmarshal.Unmarshal(params, m); err != nil {
		return connect.Errorf(connect.CodeInvalidArgument, "Invalid params: not a %s: %s", name, clip([]byte(inputerror.Reason(err, 0))))
	}
	if h.knownEnums {
		if path := strict.UnknownEnum(params, m.ProtoReflect().Descriptor()); path != "" {
			return connect.Errorf(connect.CodeInvalidArgument, "Invalid params: not a %s: invalid value for enum field %s", name, clip([]byte(path)))
		}
	}
	return nil
}

// isEmptyList reports whether params are an array of nothing, which is what clients send
// for a method without arguments that know params by position alone.
func isEmptyList(params []byte) bool {
	return params[0] == '[' && bytes.TrimLeft(params[1:], " \t\r\n")[0] == ']'
}

// appendFailure appends a response with an error, and returns its number. One
// that is larger than limit is cut down to its code and a text.
func (h *handler) appendFailure(dst []byte, id jsonrpc.ID, failure *errmap.Error, limit int) ([]byte, int64) {
	begin := len(dst)
	dst, number := errmap.AppendJSONRPC(jsonrpc.BeginError(dst, id), failure, h.profile, h.encoding...)
	dst = jsonrpc.End(dst)
	if len(dst)-begin <= limit {
		return dst, number
	}
	short := errmap.NewCode(failure.Code(), clip([]byte(failure.Message())))
	dst, number = errmap.AppendJSONRPC(jsonrpc.BeginError(dst[:begin], id), short, h.profile, h.encoding...)
	return jsonrpc.End(dst), number
}
