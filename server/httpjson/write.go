package httpjson

import (
	"net/http"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/internal/negotiate"
)

// fail answers a request with an error; that of a write is the client's going.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, e *errmap.Error) {
	_ = errmaphttp.Write(w, r, e, errmaphttp.WithEncodeOptions(h.encodeOptions()...))
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
