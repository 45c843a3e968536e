package client

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/errmap/errmap/internal/jsonrpc"
)

// batcher gathers unary calls into batches. Calls whose request headers differ
// never share one.
type batcher struct {
	*transport
	mu   sync.Mutex
	open map[string]*batch
}

// batch is the calls that go out together.
type batch struct {
	key    string
	header http.Header
	calls  []*pending
	timer  *time.Timer
	ctx    context.Context //nolint:containedctx // it outlives the call that opened it
	cancel context.CancelFunc
	live   int // calls whose caller still waits
}

// pending is one call of a batch.
type pending struct {
	id       jsonrpc.ID
	request  []byte
	deadline time.Time // zero for none
	outcome  chan outcome
}

type outcome struct {
	result []byte
	resp   *http.Response
	err    error
}

// call puts a call into a batch and waits for its own answer.
func (b *batcher) call(s *stream) ([]byte, error) {
	s.id = b.nextID()
	p := &pending{
		id:      s.id,
		request: jsonrpc.AppendRequest(nil, s.id, b.names(s.spec.Procedure), s.params),
		outcome: make(chan outcome, 1),
	}
	p.deadline, _ = s.ctx.Deadline()
	opened := b.join(requestHeader(s.info), p)
	select {
	case out := <-p.outcome:
		if out.resp != nil {
			receiveHeader(s.info, out.resp)
		}
		return out.result, out.err
	case <-s.ctx.Done():
		b.leave(opened)
		return nil, localError(s.ctx, context.Cause(s.ctx))
	}
}

// join adds a call to the open batch of its headers. The batch goes out when it
// is full, or when the time of its first call is up.
func (b *batcher) join(header http.Header, p *pending) *batch {
	key := headerKey(header)
	b.mu.Lock()
	defer b.mu.Unlock()
	open := b.open[key]
	if open == nil {
		open = &batch{key: key, header: header}
		open.ctx, open.cancel = context.WithCancel(context.Background())
		b.open[key] = open
		open.timer = time.AfterFunc(b.batchWait, func() { b.flush(open) })
	}
	open.calls = append(open.calls, p)
	open.live++
	if len(open.calls) >= b.batchMax && open.timer.Stop() {
		delete(b.open, key)
		go b.send(open)
	}
	return open
}

// leave ends a batch that nobody waits for any more; a later call opens another.
func (b *batcher) leave(left *batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if left.live--; left.live > 0 {
		return
	}
	left.cancel()
	left.timer.Stop()
	if b.open[left.key] == left {
		delete(b.open, left.key)
	}
}

func (b *batcher) flush(open *batch) {
	b.mu.Lock()
	if b.open[open.key] == open {
		delete(b.open, open.key)
	}
	b.mu.Unlock()
	b.send(open)
}

// send sends a batch and gives each call its outcome.
func (b *batcher) send(open *batch) {
	defer open.cancel()
	ctx, cancel := open.deadline()
	defer cancel()
	body, accept := open.body(), contentTypeJSON
	resp, err := b.post(ctx, open.header, body, accept)
	if err != nil {
		open.fail(outcome{err: err})
		return
	}
	answer, err := b.readAll(ctx, resp)
	if err != nil {
		open.fail(outcome{resp: resp, err: err})
		return
	}
	var parser jsonrpc.Parser
	responses, err := parser.ParseResponses(answer, jsonrpc.Rules{MaxItems: 2*len(open.calls) + 1})
	if err != nil {
		open.fail(outcome{resp: resp, err: b.statusError(answer, resp)})
		return
	}
	b.pair(open, responses.Items, answer, resp)
}

// pair gives each call the first response of its id. An error without an id
// answers the calls that no response names, as does the one answer to all that is
// none of the server; without one they learn that theirs is missing.
func (b *batcher) pair(open *batch, items []jsonrpc.Response, answer []byte, resp *http.Response) {
	waiting := make(map[string]*pending, len(open.calls))
	for _, p := range open.calls {
		waiting[p.id.Key()] = p
	}
	var rest *outcome
	for i := range items {
		r := &items[i]
		if r.ID == nil || r.ID.IsNull() {
			if rest == nil && (r.Error != nil || len(items) == 1) {
				_, err := b.outcome(r, answer, nil, resp)
				rest = &outcome{resp: resp, err: err}
			}
			continue
		}
		p := waiting[r.ID.Key()]
		if p == nil {
			continue
		}
		delete(waiting, r.ID.Key())
		result, err := b.outcome(r, answer, p.id, resp)
		p.outcome <- outcome{slices.Clone(result), resp, err}
	}
	if rest == nil {
		rest = &outcome{resp: resp, err: brokenError("the batch was answered without this call", answer, resp)}
	}
	for _, p := range waiting {
		p.outcome <- *rest
	}
}

func (o *batch) fail(out outcome) {
	for _, p := range o.calls {
		p.outcome <- out
	}
}

// body is the array of the requests; one call alone needs no array.
func (o *batch) body() []byte {
	if len(o.calls) == 1 {
		return o.calls[0].request
	}
	out := []byte{'['}
	for i, p := range o.calls {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, p.request...)
	}
	return append(out, ']')
}

// deadline bounds a batch by the latest deadline of its calls, if all have one.
func (o *batch) deadline() (context.Context, context.CancelFunc) {
	var latest time.Time
	for _, p := range o.calls {
		if p.deadline.IsZero() {
			return o.ctx, func() {}
		}
		if p.deadline.After(latest) {
			latest = p.deadline
		}
	}
	return context.WithDeadline(o.ctx, latest)
}

func headerKey(h http.Header) string {
	keys := make([]string, 0, len(h))
	for key := range h {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var text []byte
	for _, key := range keys {
		text = fmt.Appendf(text, "%q:%q\n", key, h[key])
	}
	return string(text)
}
