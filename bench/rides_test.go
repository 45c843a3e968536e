package bench

import (
	"encoding/base64"
	"strings"
	"testing"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
)

// whole is what gRPC's trailer says of an error: its details and, in a Carried, all
// that rides along, which protojson knows. A detail of a type that is not linked
// becomes a book with the same bytes: protojson has no text for the other.
func whole(e *errmap.Error) *statuspb.Status {
	s := new(statuspb.Status)
	raw := must(base64.RawStdEncoding.DecodeString(strings.TrimRight(errmap.EncodeGRPC(e).DetailsBin, "=")))
	if err := proto.Unmarshal(raw, s); err != nil {
		panic(err)
	}
	for _, d := range s.GetDetails() {
		if _, err := d.UnmarshalNew(); err != nil {
			d.TypeUrl = "type.googleapis.com/library.v1.Book"
		}
	}
	return s
}

// An error that was received with something that not every wire has a place for.
func BenchmarkRides(b *testing.B) {
	const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t-1","attempt":"2"}}`
	book := must(proto.Marshal(&libraryv1.Book{Name: "shelves/1/books/7", Title: "The Go Programming Language", Pages: 380}))
	for _, ride := range []struct {
		name string
		err  *errmap.Error
	}{
		{"private number", must(errmap.DecodeJSONRPC([]byte(`{"code":-31404,"message":"Task not found","data":[`+info+`]}`), errmap.ProfileGeneric))},
		{"HTTP status", must(errmap.DecodeHTTP([]byte(`{"error":{"code":410,"message":"Task not found","status":"NOT_FOUND","details":[`+info+`]}}`), errmap.WithHTTPStatus(410)))},
		{"member", must(errmap.DecodeConnect([]byte(`{"code":"not_found","message":"Task not found","trace":"4bf92f3577b34da6"}`)))},
		{"free data", must(errmap.DecodeJSONRPC([]byte(`{"code":-32001,"message":"Task not found","data":{"taskId":"t-1","attempt":2,"tags":["a","b"]}}`), errmap.ProfileGeneric))},
		{"unlinked type", must(errmap.FromStatus(&statuspb.Status{Code: 5, Message: "Task not found", Details: []*anypb.Any{{TypeUrl: "type.googleapis.com/nobody.v1.Book", Value: book}}}))},
	} {
		s := whole(ride.err)
		if ride.name != "unlinked type" && !strings.Contains(s.String(), "errmap.v1.Carried") {
			b.Fatal("nothing rides")
		}
		for _, f := range forms {
			b.Run(ride.name+", "+f.name+" encode", func(b *testing.B) {
				if f.name == "Connect" {
					sides(b, connectWriting(ride.err, connectError(s))...)
				} else {
					sides(b, f.writing(ride.err, s)...)
				}
			})
			b.Run(ride.name+", "+f.name+" decode", func(b *testing.B) { sides(b, f.reading(ride.err, s)...) })
		}
		b.Run(ride.name+", gRPC encode", func(b *testing.B) {
			sides(b, side{"errmap", func() { errmap.EncodeGRPC(ride.err) }}, side{"errmap, nothing rides", func() { errmap.EncodeGRPC(ours) }})
		})
	}
}
