package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
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

// failing is an error for which room was set aside, "" for none.
type failing string

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
		h.refuse(w, r, x, h.invalid(fmt.Sprintf(
			"Invalid Request: the answers of the batch would have more than %d bytes", h.limits.ResponseBytes), nil))
		return
	}
	b.room.Store(int64(room))
	defer func() {
		for i := range b.outcomes {
			h.held.Give(r, b.outcomes[i].held)
		}
	}()
	b.run(ctx, r)
	b.write(w, r, x)
}

// run handles the elements, some at the same time.
func (b *batch) run(ctx context.Context, r *http.Request) {
	var workers sync.WaitGroup
	var work func()
	work = func() {
		over := false
		defer func() {
			if !over {
				workers.Go(work) // for a method that ended this goroutine
			}
		}()
		for {
			i := int(b.next.Add(1)) - 1
			if i >= len(b.requests) {
				over = true
				return
			}
			b.handle(ctx, r, i)
		}
	}
	for range min(b.h.limits.BatchConcurrency, len(b.requests)) {
		workers.Go(work)
	}
	workers.Wait()
}

func (b *batch) handle(ctx context.Context, r *http.Request, i int) {
	request, out := &b.requests[i], &b.outcomes[i]
	if b.full.Load() && !request.IsNotification() {
		b.shorten(i, textNotRun)
		return
	}
	defer b.fit(r, i)
	b.h.handle(ctx, r, make([]byte, 0, answerBytes), request, b.h.methods[string(request.Method)], out)
}

// fit leaves an answer out that is larger than what is left for it.
func (b *batch) fit(r *http.Request, i int) {
	out := &b.outcomes[i]
	extra := int64(out.size() + len(",") - b.reserved(i))
	if out.answer == nil || extra <= 0 || b.room.Add(-extra) >= 0 {
		return
	}
	b.room.Add(extra)
	b.full.Store(true)
	b.h.held.Give(r, out.held)
	b.shorten(i, textNotSent)
}

// shorten gives an element the answer for which room was set aside.
func (b *batch) shorten(i int, text failing) {
	out := &b.outcomes[i]
	out.ready, out.answer, out.shared, out.held, out.short = true, nil, nil, 0, text
}

// appendShort appends the short answer of an element.
func (b *batch) appendShort(dst []byte, i int) []byte {
	failure := errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, string(b.outcomes[i].short))
	dst, _ = b.h.appendFailure(dst, b.h.id(b.requests[i].ID), failure, b.h.limits.ResponseBytes)
	return dst
}

// reserved is the room for the short answer of an element and a comma.
func (b *batch) reserved(i int) int {
	const frame = len(`{"jsonrpc":"2.0","id":,"error":{"code":-31429,"message":""}},`)
	return frame + len(b.h.id(b.requests[i].ID)) + max(len(textNotSent), len(textNotRun))
}

// write writes the answers, with the headers of all calls.
func (b *batch) write(w http.ResponseWriter, r *http.Request, x *exchange) {
	size, left := 0, false
	for i := range b.outcomes {
		out := &b.outcomes[i]
		addHeaders(w.Header(), &out.header, "")
		addHeaders(w.Header(), &out.trailer, trailerPrefix)
		left = left || out.left
		if out.short != "" {
			x.answer = b.appendShort(x.answer[:0], i)
			size += len(x.answer) + len(",")
		} else if out.answer != nil {
			size += out.size() + len(",")
		}
	}
	switch {
	case r.Context().Err() != nil && left:
	case size == 0:
		b.h.accepted(w)
	case size+len("]") <= maxPooledBytes:
		answer := appender{x.answer[:0]}
		_ = b.each(r, x, &answer)
		x.answer = answer.bytes
		if !b.h.write(w, r, x, http.StatusOK, x.answer, nil) {
			x.answer = nil
		}
	default:
		b.h.send(w, r, x, http.StatusOK, size+len("]"), func(w io.Writer) error {
			pieces := bufio.NewWriterSize(w, maxPooledBytes/4)
			if err := b.each(r, x, pieces); err != nil {
				return err
			}
			return pieces.Flush()
		})
	}
}

// appender is a writer of bytes.
type appender struct{ bytes []byte }

// Write implements [io.Writer].
func (a *appender) Write(p []byte) (int, error) {
	a.bytes = append(a.bytes, p...)
	return len(p), nil
}

// each writes the answers one by one, and lets go of those that are written.
func (b *batch) each(r *http.Request, x *exchange, w io.Writer) error {
	var short []byte
	before := []byte{'['}
	for i := range b.outcomes {
		out := &b.outcomes[i]
		answer := out.answer
		if out.short != "" {
			short = b.appendShort(short[:0], i)
			answer = short
		}
		if answer == nil {
			continue
		}
		for _, piece := range [...][]byte{before, answer, out.shared} {
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
		before = []byte{','}
		b.h.held.Give(r, out.held)
		out.answer, out.shared, out.held = nil, nil, 0
	}
	_, err := w.Write([]byte{']'})
	return err
}
