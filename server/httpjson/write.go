package httpjson

import (
	"context"
	"net/http"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/internal/negotiate"
)

// fail answers a request with an error; that of a write is the client's going.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, e *errmap.Error) {
	_ = errmaphttp.Write(w, r, e, errmaphttp.WithEncodeOptions(h.encodeOptions()...))
}

// refuse answers a request for a method that is not called.
func (h *handler) refuse(w http.ResponseWriter, r *http.Request, b binding, e *errmap.Error) {
	h.fail(w, r, h.told(r.Context(), b, nil, e))
}

// told tells the observer of a call that failed, and returns what its caller may see.
func (h *handler) told(ctx context.Context, b binding, err error, e *errmap.Error) *errmap.Error {
	h.observer.Observe(ctx, errmap.Event{Procedure: b.spec.Procedure, Wire: errmap.WireHTTP, Err: err, Sent: e})
	return e
}

func (h *handler) encodeOptions() []errmap.EncodeOption {
	return append([]errmap.EncodeOption{errmap.WithCatalog(h.catalog)}, h.encoding...)
}

// messageType is the content type of a message, which has that of an error.
func messageType(r *http.Request) string {
	if negotiate.Prefers(r.Header.Values("Accept"), errmap.ContentTypeA2A, errmap.ContentTypeJSON) {
		return errmap.ContentTypeA2A
	}
	return errmap.ContentTypeJSON
}
