package server

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/jsonrpc"
)

const (
	// answerBytes is enough for most answers of a batch.
	answerBytes = 256

	textNotSent = "the answers of the batch are too large: this one is left out"
	textNotRun  = "the answers of the batch are too large: this call was not made"
)

// batch is the state of one batch that is being answered. Room for a short
// error is set aside for every element, so that each is answered whatever the
// others say.
type batch struct {
	h        *handler
	requests []jsonrpc.Request
	outcomes []outcome
	room     atomic.Int64 // what is left beyond the short errors
	full     atomic.Bool
	next     atomic.Int64
}

// serveBatch answers the elements of a batch, in order, once all are done.
func (h *handler) serveBatch(ctx context.Context, w http.ResponseWriter, r *http.Request, x *exchange, requests []jsonrpc.Request) {
	b := &batch{h: h, requests: requests, outcomes: make([]outcome, len(requests))}
	room := h.limits.ResponseBytes - len("[]")
	for i := range requests {
		if !requests[i].IsNotification() {
			room -= b.reserved(i)
		}
	}
	if room < 0 {
		h.refuse(w, r, h.invalid(fmt.Sprintf(
			"Invalid Request: the answers of the batch would have more than %d bytes", h.limits.ResponseBytes), nil))
		return
	}
	b.room.Store(int64(room))
	b.run(ctx, r)
	h.writeBatch(w, r, x, b.outcomes)
}

// run handles the elements, some at the same time.
func (b *batch) run(ctx context.Context, r *http.Request) {
	work := func() {
		for {
			i := int(b.next.Add(1)) - 1
			if i >= len(b.requests) {
				return
			}
			b.handle(ctx, r, i)
		}
	}
	var workers sync.WaitGroup
	for range min(b.h.limits.BatchConcurrency, len(b.requests)) - 1 {
		workers.Go(work)
	}
	work()
	workers.Wait()
}

func (b *batch) handle(ctx context.Context, r *http.Request, i int) {
	request := &b.requests[i]
	if b.full.Load() && !request.IsNotification() {
		b.outcomes[i] = b.short(i, textNotRun)
		return
	}
	done := b.h.handle(ctx, r, make([]byte, 0, answerBytes), request, b.h.methods[string(request.Method)])
	if extra := int64(len(done.answer) + len(",") - b.reserved(i)); done.answer != nil && extra > 0 {
		if b.room.Add(-extra) < 0 {
			b.room.Add(extra)
			b.full.Store(true)
			headers := done.call
			done = b.short(i, textNotSent)
			done.call = headers
		}
	}
	b.outcomes[i] = done
}

// short is the answer for which room was set aside.
func (b *batch) short(i int, text string) outcome {
	id := b.h.id(b.requests[i].ID)
	answer, number := b.h.appendFailure(nil, id, errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, text), b.h.limits.ResponseBytes)
	return outcome{answer: answer, number: number}
}

// reserved is the room for the short answer of an element and a comma.
func (b *batch) reserved(i int) int {
	const frame = len(`{"jsonrpc":"2.0","id":,"error":{"code":-31429,"message":""}},`)
	return frame + len(b.h.id(b.requests[i].ID)) + max(len(textNotSent), len(textNotRun))
}

func (h *handler) writeBatch(w http.ResponseWriter, r *http.Request, x *exchange, outcomes []outcome) {
	answer := append(x.answer[:0], '[')
	for _, done := range outcomes {
		if done.call != nil {
			addHeaders(w.Header(), done.call.info.ResponseHeader(), "")
			addHeaders(w.Header(), done.call.info.ResponseTrailer(), trailerPrefix)
		}
		if done.answer == nil {
			continue
		}
		if len(answer) > 1 {
			answer = append(answer, ',')
		}
		answer = append(answer, done.answer...)
	}
	x.answer = append(answer, ']')
	switch {
	case r.Context().Err() != nil && anyLeft(outcomes):
		return
	case len(x.answer) == len("[]"):
		h.accepted(w)
	default:
		if !h.write(w, r, http.StatusOK, x.answer) {
			x.answer = nil
		}
	}
}

func anyLeft(outcomes []outcome) bool {
	for _, done := range outcomes {
		if done.left {
			return true
		}
	}
	return false
}
