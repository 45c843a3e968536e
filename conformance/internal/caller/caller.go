// Package caller makes the calls that the conformance suite asks for, with every
// library that errmap has an adapter for. What it reports of a failed call is the
// *errmap.Error that the client interceptor of the library made of it.
package caller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	conformancev1 "github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1"
	"github.com/errmap/errmap/errmap"
	"google.golang.org/protobuf/proto"
)

// A call is one call of one library, not yet begun.
type call interface {
	unary(ctx context.Context, request proto.Message) (*conformancev1.ConformancePayload, error)
	serverStream(ctx context.Context, request *conformancev1.ServerStreamRequest) (stream, error)
	clientStream(ctx context.Context) (stream, error)
	bidiStream(ctx context.Context) (stream, error)
	// header and trailer return those of the answer, once the call is over.
	header() []*conformancev1.Header
	trailer() []*conformancev1.Header
}

// A stream is a call that has begun. Of a client-streaming call, receive closes the
// request.
type stream interface {
	send(request proto.Message) error
	closeSend() error
	receive() (*conformancev1.ConformancePayload, error)
	close() error
}

// NewCall prepares a call with one library to the server that a request names. The
// context that it returns is the one to make the call with.
type NewCall func(ctx context.Context, request *conformancev1.ClientCompatRequest) (context.Context, call, error)

// Do makes a call. The error says that it could not be made as the suite asks, or
// that a failed call was not told by an *errmap.Error.
func Do(ctx context.Context, request *conformancev1.ClientCompatRequest, newCall NewCall) (*conformancev1.ClientResponseResult, error) {
	if request.TimeoutMs != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, milliseconds(request.GetTimeoutMs()))
		defer cancel()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var messages []proto.Message
	for _, packed := range request.GetRequestMessages() {
		message, err := packed.UnmarshalNew()
		if err != nil {
			return nil, err
		}
		messages = append(messages, message)
	}
	ctx, call, err := newCall(ctx, request)
	if err != nil {
		return nil, err
	}
	d := &dialogue{ctx: ctx, cancel: cancel, request: request, call: call, messages: messages, result: new(conformancev1.ClientResponseResult)}
	if err := d.run(); err != nil {
		return nil, err
	}
	d.result.ResponseHeaders, d.result.ResponseTrailers = call.header(), call.trailer()
	return d.result, nil
}

// A dialogue is one call as the suite asks for it.
type dialogue struct {
	ctx      context.Context //nolint:containedctx // of the one call
	cancel   context.CancelFunc
	request  *conformancev1.ClientCompatRequest
	call     call
	messages []proto.Message
	result   *conformancev1.ClientResponseResult
}

func (d *dialogue) run() error {
	switch method := d.request.GetMethod(); method {
	case "ClientStream":
		s, err := d.call.clientStream(d.ctx)
		if err != nil {
			return d.failed(err)
		}
		return d.clientStream(s)
	case "BidiStream":
		s, err := d.call.bidiStream(d.ctx)
		if err != nil {
			return d.failed(err)
		}
		return d.closing(s, d.bidiStream(s))
	case "Unary", "IdempotentUnary", "Unimplemented", "ServerStream":
		if len(d.messages) != 1 {
			return fmt.Errorf("%s has %d request messages", method, len(d.messages))
		}
		message, streams := d.messages[0].(*conformancev1.ServerStreamRequest)
		if !streams {
			d.cancelLater()
			return d.received(d.call.unary(d.ctx, d.messages[0]))
		}
		s, err := d.call.serverStream(d.ctx, message)
		if err != nil {
			return d.failed(err)
		}
		d.cancelNow()
		return d.closing(s, d.receiveAll(s))
	default:
		return fmt.Errorf("no method %q", method)
	}
}

func (d *dialogue) clientStream(s stream) error {
	for i, message := range d.messages {
		time.Sleep(milliseconds(d.request.GetRequestDelayMs()))
		if err := s.send(message); err != nil {
			d.result.NumUnsentRequests = int32(len(d.messages) - i)
			break
		}
	}
	if d.request.GetCancel().GetBeforeCloseSend() != nil {
		d.cancel()
	} else {
		d.cancelLater()
	}
	return d.received(s.receive())
}

func (d *dialogue) bidiStream(s stream) error {
	inTurns := d.request.GetStreamType() == conformancev1.StreamType_STREAM_TYPE_FULL_DUPLEX_BIDI_STREAM
	for i, message := range d.messages {
		time.Sleep(milliseconds(d.request.GetRequestDelayMs()))
		if err := s.send(message); err != nil {
			d.result.NumUnsentRequests = int32(len(d.messages) - i)
			break // receive tells why
		}
		if !inTurns {
			continue
		}
		if err := d.received(s.receive()); err != nil {
			return err
		}
		if d.result.Error != nil {
			return nil
		}
	}
	if d.request.GetCancel().GetBeforeCloseSend() != nil {
		d.cancel()
	}
	if err := s.closeSend(); err != nil {
		return d.failed(err)
	}
	d.cancelNow()
	return d.receiveAll(s)
}

func (d *dialogue) receiveAll(s stream) error {
	for {
		payload, err := s.receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err := d.received(payload, err); err != nil || d.result.Error != nil {
			return err
		}
	}
}

// closing closes a stream after what was done with it.
func (d *dialogue) closing(s stream, err error) error {
	closing := s.close()
	if err != nil || d.result.Error != nil || closing == nil {
		return err
	}
	return d.failed(closing)
}

// received notes a message, or the error that came in its place.
func (d *dialogue) received(payload *conformancev1.ConformancePayload, err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return d.failed(err)
	}
	d.result.Payloads = append(d.result.Payloads, payload)
	if after := d.request.GetCancel().GetAfterNumResponses(); after > 0 && int(after) == len(d.result.GetPayloads()) {
		d.cancel()
	}
	return nil
}

// failed notes the error that ended the call.
func (d *dialogue) failed(err error) error {
	e, ok := errors.AsType[*errmap.Error](err)
	if !ok || !e.Remote() && !e.Local() {
		return fmt.Errorf("the call failed without an *errmap.Error that knows whose it is: %w", err)
	}
	d.result.Error = &conformancev1.Error{Code: conformancev1.Code(e.Number()), Message: new(e.Message())}
	for _, detail := range e.Details() {
		d.result.Error.Details = append(d.result.Error.Details, detail.Any())
	}
	return nil
}

// cancelLater cancels the call in a while, if it is to be canceled once the request
// has been sent.
func (d *dialogue) cancelLater() {
	if after, ok := d.cancelAfter(); ok {
		time.AfterFunc(after, d.cancel)
	}
}

// cancelNow does so after waiting for that while.
func (d *dialogue) cancelNow() {
	if after, ok := d.cancelAfter(); ok {
		time.Sleep(after)
		d.cancel()
	}
}

func (d *dialogue) cancelAfter() (time.Duration, bool) {
	switch timing := d.request.GetCancel().GetCancelTiming().(type) {
	case *conformancev1.ClientCompatRequest_Cancel_AfterCloseSendMs:
		return milliseconds(timing.AfterCloseSendMs), true
	case nil:
		return 0, d.request.GetCancel() != nil
	}
	return 0, false
}

func milliseconds(n uint32) time.Duration { return time.Duration(n) * time.Millisecond }
