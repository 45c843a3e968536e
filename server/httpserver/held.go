package httpserver

import (
	"context"
	"encoding/binary"
	"net/http"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/inflight"
)

const (
	// busyDelay is when one would try again for whom there was no room.
	busyDelay = time.Second

	// maxPaths bounds how many paths are remembered whose answers are large.
	maxPaths = 1000

	prefixBytes = 5 // before a message of gRPC and of Connect's streams

	textBusy    = "too many answers wait for their callers"
	textLeftOut = "too many answers wait for their callers: the call was made, and its answer is left out"
)

// held counts the bytes that are held for callers, those of the mounts that count by
// themselves among them.
type held struct {
	budget *inflight.Budget // nil for no bound
	errors *connecthttp.ErrorWriter

	mu    sync.RWMutex
	sizes map[string]*inflight.Estimate // of the answers of a path
}

func newHeld(bytes int) *held {
	h := &held{errors: connecthttp.NewErrorWriter(), sizes: make(map[string]*inflight.Estimate)}
	if bytes > 0 {
		h.budget = inflight.New(int64(bytes))
	}
	return h
}

// context returns ctx for the requests of a server whose bytes count here.
func (h *held) context(ctx context.Context) context.Context { return inflight.Within(ctx, h.budget) }

// room reports whether there is any for the next answer of a request's path.
func (h *held) room(r *http.Request) bool {
	size := h.size(r.URL.Path)
	return size == nil || h.budget.Room(r, size.Next())
}

func (h *held) size(path string) *inflight.Estimate {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.sizes[path]
}

// saw notes the largest piece of an answer.
func (h *held) saw(path string, size int64) {
	estimate := h.size(path)
	if estimate == nil && size > 0 {
		h.mu.Lock()
		if len(h.sizes) < maxPaths {
			estimate = new(inflight.Estimate)
			h.sizes[path] = estimate
		}
		h.mu.Unlock()
	}
	if estimate != nil {
		estimate.Saw(size)
	}
}

// busy answers a request whose handler is not called.
func (h *held) busy(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "1")
	_ = h.errors.Write(w, r, errmapconnect.ToError(busy())) // a write that fails is the client's going
}

// busy is the error of a call that was not made.
func busy() *errmap.Error {
	return errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, textBusy).
		WithDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(busyDelay)})
}

// errLeftOut is what a handler is told whose answer has no room. To try again would be to
// make the call twice, so it has no delay.
var errLeftOut = connect.NewError(connect.CodeResourceExhausted, textLeftOut)

// take counts the bytes of one piece of an answer until they are given back, and reports
// false where there is no room for them.
func (x *exchange) take(p []byte) bool {
	h := x.b.held
	if h.budget == nil || x.counts {
		return true
	}
	size := int64(0)
	switch {
	case x.left > 0: // the message, or a part of it, for which there is room
		x.left -= int64(len(p))
		return true
	case len(p) == prefixBytes && isEnveloped(x.ResponseWriter.Header().Get("Content-Type")):
		x.left = int64(binary.BigEndian.Uint32(p[1:]))
		size = inflight.Counted(int(x.left))
	default:
		size = inflight.Counted(len(p))
	}
	size = min(size, h.budget.Share()) // one answer alone may be as large as it likes
	if size > x.largest {
		x.largest = size
		h.saw(x.request.URL.Path, size) // now, since it may not be taken for long
	}
	if !h.budget.Take(x.request, size) {
		x.left = 0
		return false
	}
	x.taken += size
	return true
}

// give takes back what was taken, once all of it is written.
func (x *exchange) give() {
	if x.left <= 0 && x.taken > 0 {
		x.b.held.budget.Give(x.request, x.taken)
		x.taken = 0
	}
}

// over gives back what is counted of an answer that is over, whole or not.
func (x *exchange) over() {
	x.left = 0
	x.give()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.weighed > 0 {
		x.b.held.budget.Give(x.request, x.weighed)
		x.weighed = 0
	}
}

// leaveOut puts an error in the place of an answer that has not begun.
func (x *exchange) leaveOut() {
	header := x.ResponseWriter.Header()
	x.refused, x.dropped = true, header.Clone()
	for _, name := range []string{
		"Content-Type", "Content-Length", "Content-Encoding", "Connect-Content-Encoding", "Grpc-Encoding",
		"Cache-Control", "Etag", "Expires", "Last-Modified", "Trailer",
	} {
		delete(header, name) // those of the answer
	}
	_ = x.b.held.errors.Write(x.ResponseWriter, x.request, errLeftOut)
}

// isEnveloped reports whether a body is messages with a prefix each.
func isEnveloped(contentType string) bool {
	return strings.HasPrefix(contentType, "application/grpc") || strings.HasPrefix(contentType, "application/connect+")
}

// CountsBytes implements [inflight.Counter].
func (x *exchange) CountsBytes() { x.counts = true }
