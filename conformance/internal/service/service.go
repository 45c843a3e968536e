// Package service implements the conformance service for every library that
// errmap has an adapter for. Its errors are *errmap.Error, so that each failing
// case goes through the server interceptor of the library.
package service

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	conformancev1 "github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1"
	"github.com/errmap/errmap/errmap"
	"google.golang.org/genproto/googleapis/rpc/code"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// call is what the service needs of a call of one library.
type call interface {
	requestHeader() []*conformancev1.Header
	// query returns the parameters of a call by GET, nil for any other.
	query() []*conformancev1.Header
	addHeader(name, value string)
	addTrailer(name, value string)
	sendHeaders() error
}

// unaryRequest is any request whose answer is one message.
type unaryRequest interface {
	proto.Message
	GetResponseDefinition() *conformancev1.UnaryResponseDefinition
}

// answerOne answers the requests of a unary or client-streaming call.
func answerOne(ctx context.Context, c call, requests ...proto.Message) (*conformancev1.ConformancePayload, error) {
	var definition *conformancev1.UnaryResponseDefinition
	if len(requests) > 0 {
		if first, ok := requests[0].(unaryRequest); ok {
			definition = first.GetResponseDefinition()
		}
	}
	addAll(c, definition.GetResponseHeaders(), definition.GetResponseTrailers())
	info, err := requestInfo(ctx, c, requests)
	if err != nil {
		return nil, err
	}
	sleep(definition.GetResponseDelayMs())
	if failure := definition.GetError(); failure != nil {
		return nil, toError(failure, info)
	}
	return &conformancev1.ConformancePayload{Data: definition.GetResponseData(), RequestInfo: info}, nil
}

// answerMany answers one request with a stream.
func answerMany(ctx context.Context, c call, request *conformancev1.ServerStreamRequest, send func(*conformancev1.ConformancePayload) error) error {
	r := responder{call: c, definition: request.GetResponseDefinition(), send: send, requests: []proto.Message{request}}
	r.addAll()
	return r.finish(ctx)
}

// converse answers a stream with a stream, in turns where the first request says
// so.
func converse(ctx context.Context, c call, receive func() (*conformancev1.BidiStreamRequest, error), send func(*conformancev1.ConformancePayload) error) error {
	r := responder{call: c, send: send}
	inTurns := false
	for first := true; ; first = false {
		request, err := receive()
		if errors.Is(err, io.EOF) {
			return r.finish(ctx)
		}
		if err != nil {
			return err
		}
		if first {
			r.definition, inTurns = request.GetResponseDefinition(), request.GetFullDuplex()
			r.addAll()
		}
		r.requests = append(r.requests, request)
		if !inTurns {
			continue
		}
		if r.sent >= len(r.definition.GetResponseData()) {
			return r.finish(ctx)
		}
		if err := r.next(ctx, true); err != nil {
			return err
		}
	}
}

// responder sends the responses that a definition asks for.
type responder struct {
	call       call
	definition *conformancev1.StreamResponseDefinition
	send       func(*conformancev1.ConformancePayload) error
	requests   []proto.Message // what the next response has to echo
	sent       int
}

func (r *responder) addAll() {
	addAll(r.call, r.definition.GetResponseHeaders(), r.definition.GetResponseTrailers())
}

// next sends one response. All but the first echo requests only where the call
// goes in turns, and then only those since the last one.
func (r *responder) next(ctx context.Context, inTurns bool) error {
	payload := &conformancev1.ConformancePayload{Data: r.definition.GetResponseData()[r.sent]}
	switch {
	case r.sent == 0:
		if err := r.call.sendHeaders(); err != nil {
			return err
		}
		info, err := requestInfo(ctx, r.call, r.requests)
		if err != nil {
			return err
		}
		payload.RequestInfo = info
	case inTurns:
		echo, err := echo(r.requests)
		if err != nil {
			return err
		}
		payload.RequestInfo = &conformancev1.ConformancePayload_RequestInfo{Requests: echo}
	}
	r.requests = nil
	sleep(r.definition.GetResponseDelayMs())
	r.sent++
	return r.send(payload)
}

// finish sends what is left, and the error where there is to be one.
func (r *responder) finish(ctx context.Context) error {
	for r.sent < len(r.definition.GetResponseData()) {
		if err := r.next(ctx, false); err != nil {
			return err
		}
	}
	failure := r.definition.GetError()
	if failure == nil {
		return nil
	}
	if r.sent > 0 {
		return toError(failure, nil)
	}
	info, err := requestInfo(ctx, r.call, r.requests)
	if err != nil {
		return err
	}
	return toError(failure, info)
}

func addAll(c call, headers, trailers []*conformancev1.Header) {
	for _, h := range headers {
		for _, value := range h.GetValue() {
			c.addHeader(h.GetName(), value)
		}
	}
	for _, h := range trailers {
		for _, value := range h.GetValue() {
			c.addTrailer(h.GetName(), value)
		}
	}
}

func requestInfo(ctx context.Context, c call, requests []proto.Message) (*conformancev1.ConformancePayload_RequestInfo, error) {
	echoed, err := echo(requests)
	if err != nil {
		return nil, err
	}
	info := &conformancev1.ConformancePayload_RequestInfo{RequestHeaders: c.requestHeader(), Requests: echoed}
	if deadline, ok := ctx.Deadline(); ok {
		info.TimeoutMs = new(time.Until(deadline).Milliseconds())
	}
	if query := c.query(); query != nil {
		info.ConnectGetInfo = &conformancev1.ConformancePayload_ConnectGetInfo{QueryParams: query}
	}
	return info, nil
}

func echo(requests []proto.Message) ([]*anypb.Any, error) {
	var echoed []*anypb.Any
	for _, request := range requests {
		a, err := anypb.New(request)
		if err != nil {
			return nil, err
		}
		echoed = append(echoed, a)
	}
	return echoed, nil
}

// toError returns the error that a case asks for, with info as its last detail.
func toError(failure *conformancev1.Error, info *conformancev1.ConformancePayload_RequestInfo) error {
	status := &statuspb.Status{
		Code:    int32(failure.GetCode()),
		Message: failure.GetMessage(),
		Details: slices.Clone(failure.GetDetails()),
	}
	e, err := errmap.FromStatus(status)
	if err != nil {
		return errmap.NewCode(code.Code_INVALID_ARGUMENT, "the case asks for an error without a code")
	}
	if info == nil {
		return e
	}
	return e.WithDetail(info)
}

// sleep waits through the end of a call: an answer that left at its deadline would
// reach the suite's client or not, and the case fail by chance.
func sleep(milliseconds uint32) { time.Sleep(time.Duration(milliseconds) * time.Millisecond) }
