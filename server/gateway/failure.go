package gateway

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/adapter"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// What a caller is told of the way to the upstream. The cause is in the log.
const (
	unreachable = "the upstream cannot be reached"
	brokenOff   = "the call to the upstream broke off"
	tooLate     = "the upstream did not answer in time"
	unreadable  = "the upstream's answer cannot be read"
	halfDuplex  = "the upstream speaks HTTP/1.1, and a stream in both directions needs HTTP/2"
)

// upstreamError makes an error of a call for the caller: whole where the upstream
// sent it, a fixed text where the way to it failed.
func (g *Gateway) upstreamError(ctx context.Context, spec connect.Spec, err error) error {
	e := errmapconnect.FromError(err, errmap.WithCatalog(g.schema.catalog))
	if e.Remote() {
		return errmap.Forward(e)
	}
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), err) // whose deadline it was is for the mount's guard to say
	}
	if needsFullDuplex(spec, e, err) {
		return g.failed(ctx, spec, code.Code_UNIMPLEMENTED, halfDuplex, err)
	}
	if adapter.Unfinished(err) { // a proxy between may end in order what died behind it
		return g.failed(ctx, spec, code.Code_UNAVAILABLE, brokenOff, err)
	}
	switch e.Code() {
	case code.Code_CANCELLED, code.Code_UNKNOWN, code.Code_UNAVAILABLE:
		// A connection that breaks under a call reads as any of these.
		text := unreachable
		if e.Message() == adapter.BrokeOff {
			text = brokenOff
		}
		return g.failed(ctx, spec, code.Code_UNAVAILABLE, text, err)
	}
	return g.failed(ctx, spec, e.Code(), unreadable, err)
}

// failed logs what the caller is not told.
func (g *Gateway) failed(ctx context.Context, spec connect.Spec, c code.Code, text string, cause error) error {
	g.log.failed(ctx, spec.Procedure, text, cause)
	return errmap.NewCode(c, text).WithCause(cause)
}

// needsFullDuplex tells whether a stream in both directions met HTTP/1.1. Servers
// of Connect answer it with 505.
func needsFullDuplex(spec connect.Spec, e *errmap.Error, err error) bool {
	return spec.StreamType == connect.StreamTypeBidi &&
		(e.HTTPStatus() == http.StatusHTTPVersionNotSupported || strings.Contains(err.Error(), "bidi streams require at least HTTP/2"))
}
