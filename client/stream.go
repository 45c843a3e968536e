package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/jsonrpc"
)

// endWait is how long a server may take to end a stream after the event of its
// error, before the error is told without the trailers.
const endWait = 250 * time.Millisecond

// stream is one call. Its request goes out in the first Receive, which is the
// first to know that the message is whole; the two sides may run at once.
type stream struct {
	*transport
	ctx    context.Context //nolint:containedctx // the call goes out in Receive, which has no context
	cancel context.CancelFunc
	spec   connect.Spec
	info   *connect.CallInfo

	params []byte
	sent   chan struct{} // closed once the request side is done
	done   sync.Once

	// The receive side, used by one goroutine at a time.
	begun  bool
	err    error // what every further Receive returns
	id     jsonrpc.ID
	resp   *http.Response
	events *jsonrpc.EventReader

	mu     sync.Mutex // guards body against Close
	body   io.Closer
	closed bool
}

// SendHeaders does nothing: a JSON-RPC request has no header of its own.
func (s *stream) SendHeaders() error { return nil }

// Send takes the one request message.
func (s *stream) Send(msg any) error {
	select {
	case <-s.sent:
		return io.EOF
	default:
	}
	if s.params != nil {
		return failed(connect.CodeInternal, "a JSON-RPC call has one request message", nil)
	}
	params, err := s.marshal(msg)
	if err != nil {
		return err
	}
	s.params = params
	s.info.SendStats = connect.MessageStats{Size: len(params)}
	if s.spec.StreamType == connect.StreamTypeUnary {
		return s.CloseSend()
	}
	return nil
}

// CloseSend ends the request side.
func (s *stream) CloseSend() error {
	s.done.Do(func() { close(s.sent) })
	return nil
}

// Receive sends the request the first time, and reads the next message.
func (s *stream) Receive(msg any) error {
	if s.err != nil {
		return s.err
	}
	result, err := s.next()
	if err == nil {
		s.info.ReceiveStats = connect.MessageStats{Size: len(result)}
		err = s.unmarshal(result, msg)
	}
	if err != nil {
		s.end(err)
		return err
	}
	if s.events == nil { // one message was all
		s.end(io.EOF)
	}
	return nil
}

// Close abandons the call; a pending Receive returns.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.cancel()
	if s.body != nil {
		_ = s.body.Close()
		s.body = nil
	}
	return nil
}

func (s *stream) end(err error) {
	s.err = err
	if s.observer != nil && !errors.Is(err, io.EOF) {
		sent, _ := errors.AsType[*errmap.Error](err)
		s.observer.Observe(s.ctx, errmap.Event{Procedure: s.spec.Procedure, Wire: errmap.WireJSONRPC, Side: errmap.ClientSide, Err: err, Sent: sent})
	}
	_ = s.Close()
}

// hold keeps the body of the response for Close.
func (s *stream) hold(body io.Closer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.body = body; s.closed {
		_ = body.Close()
	}
}

func (s *stream) next() ([]byte, error) {
	if s.events != nil {
		return s.nextEvent()
	}
	if s.begun {
		return nil, io.EOF
	}
	s.begun = true
	select {
	case <-s.sent:
	case <-s.ctx.Done():
		return nil, localError(s.ctx, context.Cause(s.ctx))
	}
	if s.batcher != nil && s.spec.StreamType == connect.StreamTypeUnary {
		return s.batcher.call(s)
	}
	return s.call()
}

func (s *stream) call() ([]byte, error) {
	s.id = s.nextID()
	body := jsonrpc.AppendRequest(nil, s.id, s.names(s.spec.Procedure), s.params)
	accept := contentTypeJSON
	if s.spec.StreamType == connect.StreamTypeServer {
		accept = contentTypeEvents + ", " + contentTypeJSON + ";q=0.5"
	}
	resp, err := s.post(s.ctx, requestHeader(s.info), body, accept)
	if err != nil {
		return nil, err
	}
	s.hold(resp.Body)
	s.resp = resp
	receiveHeader(s.info, resp)
	if mediaType(resp) == contentTypeEvents && resp.StatusCode/100 == 2 {
		return s.beginEvents()
	}
	answer, err := s.readAll(s.ctx, resp)
	if err != nil {
		return nil, err
	}
	result, err := s.answer(answer, s.id, resp)
	if err == nil && s.spec.StreamType == connect.StreamTypeServer {
		return nil, protocolError("a streaming call was answered with one message that is no stream", nil)
	}
	return result, err
}

// beginEvents begins to read a stream of events. Some servers label plain JSON as
// events; what does not look like an event is read as JSON.
func (s *stream) beginEvents() ([]byte, error) {
	head := new(bytes.Buffer)
	s.events = jsonrpc.NewEventReader(io.TeeReader(s.resp.Body, &capped{head, s.maxResponse}), s.maxResponse)
	result, err := s.nextEvent()
	if !errors.Is(err, jsonrpc.ErrNotEvents) {
		return result, err
	}
	rest, readErr := jsonrpc.ReadBody(head.Bytes(), s.resp.Body, s.maxResponse)
	if readErr != nil && !errors.Is(readErr, jsonrpc.ErrTooLarge) {
		return nil, cutError(s.ctx, readErr)
	}
	result, err = s.answer(rest, s.id, s.resp)
	if err == nil {
		err = protocolError("a stream of events is one plain answer", nil)
	}
	return result, err
}

// nextEvent returns the result of the next response in the stream. A unary call
// that is answered with events has the first response as its answer.
func (s *stream) nextEvent() ([]byte, error) {
	event, err := s.events.Next()
	switch {
	case errors.Is(err, io.EOF) && s.spec.StreamType == connect.StreamTypeServer:
		receiveTrailer(s.info, s.resp)
		return nil, io.EOF
	case errors.Is(err, io.EOF):
		return nil, cutError(s.ctx, io.ErrUnexpectedEOF)
	case errors.Is(err, jsonrpc.ErrNotEvents):
		return nil, err
	case errors.Is(err, jsonrpc.ErrEventTooLarge):
		return nil, failed(connect.CodeResourceExhausted, fmt.Sprintf("an event is larger than %d bytes", s.maxResponse), nil)
	case err != nil:
		return nil, cutError(s.ctx, err)
	}
	result, err := s.answer(event.Data, s.id, s.resp)
	switch {
	case err != nil:
		s.awaitTrailer()
	case s.spec.StreamType == connect.StreamTypeUnary:
		s.events = nil
	}
	return result, err
}

// awaitTrailer reads the trailers of a stream that failed, which come after its
// last event.
func (s *stream) awaitTrailer() {
	timer := time.AfterFunc(endWait, s.cancel)
	defer timer.Stop()
	if _, err := io.CopyN(io.Discard, s.resp.Body, int64(s.maxResponse)); errors.Is(err, io.EOF) {
		receiveTrailer(s.info, s.resp)
	}
}

// capped keeps the first bytes that are written to it.
type capped struct {
	to   *bytes.Buffer
	room int
}

func (c *capped) Write(p []byte) (int, error) {
	if n := min(len(p), c.room); n > 0 {
		c.to.Write(p[:n])
		c.room -= n
	}
	return len(p), nil
}
