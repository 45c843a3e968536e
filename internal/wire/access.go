package wire

import (
	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/schema"
)

// KnownPart returns the bytes of what a detail says as its type; false where nothing.
func KnownPart(d *hub.Detail, catalog *schema.Catalog) ([]byte, bool) {
	return knownPart(catalog.Codec(), d)
}

// Text returns a detail as JSON, for people: its ProtoJSON, or what stands in its
// place.
func Text(d *hub.Detail, catalog *schema.Catalog) []byte {
	w := writing{codec: catalog.Codec(), shape: shapeElements, details: []hub.Detail{*d}}
	out, _ := w.detailJSON(nil, 0)
	return out
}

// Number returns the number that an error has under a profile.
func Number(e *hub.Error, p *Profile, o *Encoding) int64 {
	w := rpcWriter{writing: begin(e, o, shapeElements), profile: p}
	w.choose(standingOf(w.details, p, o.Catalog))
	return w.number
}

// String returns the headers as lines, "grpc-status: 5" first.
func (h GRPC) String() string {
	out := ""
	h.Each(func(name, value string) { out += name + ": " + value + "\n" })
	return out
}

// Each calls f for each header that is sent.
func (h GRPC) Each(f func(name, value string)) {
	if h.Status != "" {
		f(HeaderGRPCStatus, h.Status)
	}
	if h.Message != "" {
		f(HeaderGRPCMessage, h.Message)
	}
	if h.DetailsBin != "" {
		f(HeaderGRPCDetails, h.DetailsBin)
	}
}
