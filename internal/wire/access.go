package wire

import (
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/schema"
)

// InfoOf reads a detail as an ErrorInfo that names an error; false where it is none.
func InfoOf(d *hub.Detail, catalog *schema.Catalog) (Info, bool) {
	return errorInfo(catalog.Codec(), d)
}

// Identity returns the ErrorInfo that identifies an error, of those that trusts lets
// count: the first whose domain the catalogue knows, else the first; false where there
// is none.
func Identity(e *hub.Error, catalog *schema.Catalog, trusts func(Info) bool) (first Info, found bool) {
	for i := range e.Details {
		in, ok := errorInfo(catalog.Codec(), &e.Details[i])
		if !ok || !trusts(in) {
			continue
		}
		if catalog.KnowsDomain(string(in.Domain)) {
			return in, true
		}
		if !found {
			first, found = in, true
		}
	}
	return first, found
}

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

// Message returns the ErrorInfo as a message; empty where there is none.
func (in Info) Message() *errdetails.ErrorInfo {
	m := new(errdetails.ErrorInfo)
	_ = proto.Unmarshal(in.bytes, m) // it was read already
	return m
}
