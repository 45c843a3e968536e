package bench

import (
	"encoding/base64"
	"net/http"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
)

// form is one of the wires that an error is written to and read from.
type form struct {
	name   string
	encode func(*errmap.Error) []byte
	decode func([]byte) (*errmap.Error, error)
}

// forms are those whose bytes are JSON.
var forms = []form{
	{"JSON-RPC", func(e *errmap.Error) []byte { return errmap.EncodeJSONRPC(e, errmap.ProfileGeneric) },
		func(p []byte) (*errmap.Error, error) { return errmap.DecodeJSONRPC(p, errmap.ProfileGeneric) }},
	{"HTTP", func(e *errmap.Error) []byte { _, body := errmap.EncodeHTTP(e); return body },
		func(p []byte) (*errmap.Error, error) { return errmap.DecodeHTTP(p) }},
	{"problem", func(e *errmap.Error) []byte { _, body := errmap.EncodeProblem(e); return body },
		func(p []byte) (*errmap.Error, error) { return errmap.DecodeProblem(p) }},
	{"Status", func(e *errmap.Error) []byte { return errmap.EncodeStatusJSON(e) },
		func(p []byte) (*errmap.Error, error) { return errmap.DecodeStatusJSON(p) }},
	{"Connect", func(e *errmap.Error) []byte { return errmap.EncodeConnect(e) },
		func(p []byte) (*errmap.Error, error) { return errmap.DecodeConnect(p) }},
}

// writing is a form's encoder beside protojson, which writes the same Status. Both
// sides have theirs before the loop begins.
func (f form) writing(e *errmap.Error, s *statuspb.Status) []side {
	must(protojson.Marshal(s))
	return []side{
		{"errmap", func() { f.encode(e) }},
		{"protojson Status", func() { must(protojson.Marshal(s)) }},
	}
}

// reading is a form's decoder beside protojson, which reads the same Status.
func (f form) reading(e *errmap.Error, s *statuspb.Status) []side {
	body, text := f.encode(e), must(protojson.Marshal(s))
	must(f.decode(body))
	return []side{
		{"errmap", func() { must(f.decode(body)) }},
		{"protojson Status", func() {
			if err := protojson.Unmarshal(text, new(statuspb.Status)); err != nil {
				panic(err)
			}
		}},
	}
}

// writeConnect answers with the error as a handler does: header, status, body.
func writeConnect(d *discard, e *errmap.Error) {
	d.reset()
	d.Header().Set("Content-Type", errmap.ContentTypeJSON)
	body := errmap.EncodeConnect(e)
	d.WriteHeader(http.StatusNotFound)
	_, _ = d.Write(body)
}

// connectWriter returns a function that answers with Connect's ErrorWriter.
func connectWriter() func(*connect.Error) {
	w := connecthttp.NewErrorWriter()
	r := must(http.NewRequest(http.MethodPost, "/s/m", http.NoBody))
	r.Header.Set("Content-Type", "application/json")
	d := &discard{header: http.Header{}}
	return func(e *connect.Error) {
		d.reset()
		if err := w.Write(d, r, e); err != nil {
			panic(err)
		}
	}
}

// connectWriting is one answer of Connect by both, each with its error made before
// the loop begins.
func connectWriting(e *errmap.Error, theirs *connect.Error) []side {
	d, write := &discard{header: http.Header{}}, connectWriter()
	return []side{
		{"errmap", func() { writeConnect(d, e) }},
		{"connect v2 ErrorWriter", func() { write(theirs) }},
	}
}

// connectError is a Status as an error of Connect.
func connectError(s *statuspb.Status) *connect.Error {
	e := connect.NewError(connect.Code(s.GetCode()), s.GetMessage())
	for _, d := range s.GetDetails() {
		e = e.WithDetail(detail(must(d.UnmarshalNew())))
	}
	return e
}

// grpcHeaders is what grpc-go does to a Status for its trailers.
func grpcHeaders(s *statuspb.Status) string {
	return base64.RawStdEncoding.EncodeToString(must(proto.Marshal(s)))
}
