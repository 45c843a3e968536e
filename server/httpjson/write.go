package httpjson

import (
	"net/http"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
)

// fail answers a request with an error; that of a write is the client's going.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, e *errmap.Error) {
	_ = errmaphttp.Write(w, r, e, errmaphttp.WithEncodeOptions(h.encodeOptions()...))
}

func (h *handler) encodeOptions() []errmap.EncodeOption {
	return append([]errmap.EncodeOption{errmap.WithCatalog(h.catalog)}, h.encoding...)
}
