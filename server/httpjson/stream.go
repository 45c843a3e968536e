package httpjson

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/header"
	"github.com/errmap/errmap/internal/inflight"
	"github.com/errmap/errmap/internal/strict"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The mistakes of a unary method.
var (
	errNoAnswer = errors.New("httpjson: the method returned without an answer")
	errAnswered = errors.New("httpjson: the method answered twice")
	errGoexit   = errors.New("httpjson: the method called runtime.Goexit")
)

// errOver is what a method's goroutines learn that outlive their call.
var errOver = errors.New("httpjson: the call is over")

// stream is one call on its way through the server.
type stream struct {
	*handler
	ctx     context.Context // of the call: it may end before that of r
	binding binding
	w       http.ResponseWriter
	r       *http.Request
	path    map[string]string
	body    []byte
	info    connect.CallInfo

	received bool
	badInput *errmap.Error // why the request message could not be made

	mu       sync.Mutex // guards w against the keep-alive comments
	begun    bool       // the header is out
	broken   error      // what ended the writing
	over     bool       // the method is done: what it left behind sends nothing more
	answer   []byte     // of a unary call
	answered bool
	content  string // the content type of answer

	exited *errmap.Error // where the method ended its goroutine
}

// call runs the method and finishes the response.
func (s *stream) call() {
	s.info = connect.CallInfo{
		Spec:             s.binding.spec,
		PeerAddr:         s.r.RemoteAddr,
		Protocol:         ProtocolName,
		Codec:            connect.CodecNameJSON,
		RequestEncoding:  connect.CompressionNameIdentity,
		ResponseEncoding: connect.CompressionNameIdentity,
	}
	for key, values := range s.r.Header {
		s.info.RequestHeader().SetValues(key, values)
	}
	s.finish(s.run())
}

// finish writes what the call ended with.
func (s *stream) finish(e *errmap.Error) {
	held := int64(0)
	if e == nil && s.binding.spec.StreamType == connect.StreamTypeUnary {
		// One answer alone may be as large as it likes.
		held = min(inflight.Counted(len(s.answer)), s.handler.held.Share())
		s.binding.size.Saw(held)
		if !s.handler.held.Take(s.r, held) {
			e, held = s.told(s.ctx, s.binding, nil, leftOut()), 0
		}
	}
	defer s.handler.held.Give(s.r, held)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.r.Context().Err() != nil && e != nil && s.begun {
		return // the client is gone
	}
	switch {
	case e != nil && s.begun:
		_, body := errmap.EncodeHTTP(e, s.encodeOptions()...)
		_ = s.event("error", body) // a write that fails is the client's going
		s.hand(s.info.ResponseTrailer(), http.TrailerPrefix)
	case e != nil:
		s.headers()
		s.fail(s.w, s.r, e)
	case s.binding.spec.StreamType == connect.StreamTypeServer:
		s.begin()
		s.hand(s.info.ResponseTrailer(), http.TrailerPrefix)
	default:
		s.headers()
		s.w.Header().Set("Content-Type", s.content)
		s.w.Header().Add("Vary", "Accept")
		s.w.WriteHeader(http.StatusOK)
		_, _ = s.w.Write(s.answer)
	}
}

// run calls the method and returns what its caller may see of its error. When it
// returns or panics, nothing but its caller writes any more, even if the method
// left goroutines behind.
func (s *stream) run() (e *errmap.Error) {
	returned := false
	defer func() {
		switch value := recover(); {
		case value == http.ErrAbortHandler:
			panic(value)
		case value != nil:
			e = s.told(s.ctx, s.binding, nil, s.errors.Panicked(s.named(), value))
		case !returned:
			s.exited = s.told(s.ctx, s.binding, nil, s.errors.Panicked(s.named(), errGoexit))
		}
	}()
	stop := s.keepAlive()
	defer func() {
		stop()
		s.mu.Lock()
		s.over = true
		s.mu.Unlock()
	}()
	err := s.server.Call(s.ctx, s.binding.spec.Procedure, &s.info, s)
	returned = true
	if err == nil && s.binding.spec.StreamType == connect.StreamTypeUnary && !s.answered {
		err = errNoAnswer
	}
	if err == nil {
		return nil
	}
	if s.badInput != nil && errors.Is(err, error(s.badInput)) {
		return s.told(s.ctx, s.binding, err, s.badInput)
	}
	return s.told(s.ctx, s.binding, err, s.errors.Outgoing(s.named(), err))
}

// named is the context of the call for the guard's log.
func (s *stream) named() context.Context {
	return errmap.WithProcedure(s.ctx, s.binding.spec.Procedure)
}

// Receive makes the one request message, of body, path and query.
func (s *stream) Receive(msg any) error {
	if s.received {
		return io.EOF
	}
	s.received = true
	m, ok := msg.(proto.Message)
	if !ok {
		return fmt.Errorf("httpjson: %T is no Protobuf message", msg)
	}
	if err := s.fill(m); err != nil {
		s.badInput = err
		return err
	}
	s.info.ReceiveStats = connect.MessageStats{Size: len(s.body)}
	return nil
}

// SendHeaders begins the response of a stream.
func (s *stream) SendHeaders() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return errOver
	}
	if s.binding.spec.StreamType == connect.StreamTypeServer {
		s.begin()
	}
	return nil
}

// Send takes the answer of a unary call, or sends one event.
func (s *stream) Send(msg any) error {
	m, ok := msg.(proto.Message)
	if !ok {
		return fmt.Errorf("httpjson: %T is no Protobuf message", msg)
	}
	text, content, err := s.marshal(m)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return errOver
	}
	s.info.SendStats = connect.MessageStats{Size: len(text)}
	if s.binding.spec.StreamType == connect.StreamTypeUnary {
		if s.answered {
			return errAnswered
		}
		s.answer, s.content, s.answered = text, content, true
		return nil
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	held := inflight.Counted(len(text))
	if !s.handler.held.Take(s.r, held) {
		return busy()
	}
	defer s.handler.held.Give(s.r, held)
	s.begin()
	return s.event("", text)
}

// marshal returns what the response says of a message: all of it, one field of
// it, or the content of a google.api.HttpBody.
func (s *stream) marshal(m proto.Message) (text []byte, content string, err error) {
	if s.binding.httpBody {
		fields := m.ProtoReflect().Descriptor().Fields()
		content = m.ProtoReflect().Get(fields.ByName("content_type")).String()
		if content == "" {
			content = "application/octet-stream"
		}
		return append([]byte{}, m.ProtoReflect().Get(fields.ByName("data")).Bytes()...), content, nil
	}
	options := protojson.MarshalOptions{Resolver: s.catalog, EmitDefaultValues: s.binding.response != nil}
	if text, err = options.Marshal(m); err != nil {
		return nil, "", fmt.Errorf("httpjson: the response has no JSON: %w", err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, "", err
	}
	text = strict.Append(compact.Bytes(), m.ProtoReflect())
	if fd := s.binding.response; fd != nil {
		if text, err = onlyField(text, fd); err != nil {
			return nil, "", err
		}
	}
	return text, messageType(s.r), nil
}

// onlyField returns one member of an object; of an unset message, null.
func onlyField(object []byte, fd protoreflect.FieldDescriptor) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, err
	}
	if text, ok := members[fd.JSONName()]; ok {
		return text, nil
	}
	return []byte("null"), nil
}

// headers hands what the method set to the response, its trailers as headers.
func (s *stream) headers() {
	s.hand(s.info.ResponseHeader(), "")
	s.hand(s.info.ResponseTrailer(), "Trailer-")
}

// hand sets headers, each key with prefix before it.
func (s *stream) hand(from *connect.Header, prefix string) {
	for key, values := range from.All() {
		if !header.OfTransport(key) {
			s.w.Header()[prefix+key] = values
		}
	}
}

// begin sends the header of a stream. mu is held.
func (s *stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	s.hand(s.info.ResponseHeader(), "")
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Cache-Control", "no-store")
	s.w.WriteHeader(http.StatusOK)
	_ = s.flush(nil)
}

// event sends one event. mu is held.
func (s *stream) event(name string, data []byte) error {
	var out []byte
	if name != "" {
		out = append(append(append(out, "event: "...), name...), '\n')
	}
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		out = append(append(append(out, "data: "...), line...), '\n')
	}
	return s.flush(append(out, '\n'))
}

// flush writes bytes and sees them off; after an error nothing more is written.
// mu is held.
func (s *stream) flush(event []byte) error {
	if s.broken != nil {
		return s.broken
	}
	if _, err := s.w.Write(event); err != nil {
		s.broken = connect.NewError(connect.CodeCanceled, "the client left").WithCause(err)
		return s.broken
	}
	// What cannot flush sends the events in the end.
	if err := http.NewResponseController(s.w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.broken = connect.NewError(connect.CodeCanceled, "the client left").WithCause(err)
	}
	return s.broken
}

// keepAlive sends a comment whenever a stream has been open that long, until stop
// is called.
func (s *stream) keepAlive() (stop func()) {
	if s.binding.spec.StreamType != connect.StreamTypeServer || s.times.KeepAlive < 0 {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	ticker := time.NewTicker(s.times.KeepAlive)
	go func() {
		defer close(ended)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				s.mu.Lock()
				if s.begun {
					_ = s.flush([]byte(": keep-alive\n\n"))
				}
				s.mu.Unlock()
			}
		}
	}()
	return func() { close(done); <-ended }
}
