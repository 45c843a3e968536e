package bench

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
)

// roundTrip writes and reads an error on three wires.
func roundTrip(b *testing.B, e *errmap.Error) {
	defer measure(b)()
	for b.Loop() {
		must(errmap.DecodeJSONRPC(errmap.EncodeJSONRPC(e, errmap.ProfileGeneric), errmap.ProfileGeneric))
		must(errmap.DecodeConnect(errmap.EncodeConnect(e)))
		must(errmap.DecodeGRPC(errmap.EncodeGRPC(e, errmap.WithBudget(-1)).Map()))
	}
}

func BenchmarkGrowth_details(b *testing.B) {
	for _, n := range []int{0, 1, 4, 16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := ours.Status()
			s.Details = nil
			for i := range n {
				one := errmap.NewCode(code.Code_NOT_FOUND, "").WithDetail(&errdetails.ErrorInfo{Reason: fmt.Sprint("R", i), Domain: "d.example.com"})
				s.Details = append(s.Details, one.Status().GetDetails()...)
			}
			roundTrip(b, must(errmap.FromStatus(s)))
		})
	}
}

func BenchmarkGrowth_bytes(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		text := strings.Repeat("x", n)
		b.Run(fmt.Sprintf("message of %d", n), func(b *testing.B) { roundTrip(b, ours.WithMessage(text)) })
		b.Run(fmt.Sprintf("metadata of %d", n), func(b *testing.B) {
			roundTrip(b, errmap.NewCode(code.Code_NOT_FOUND, "m").WithDetail(&errdetails.ErrorInfo{Reason: "R", Domain: "d", Metadata: map[string]string{"k": text}}))
		})
	}
}

func BenchmarkGrowth_batch(b *testing.B) {
	rpc := errmapconnect.NewServer()
	libraryv1connect.RegisterLibraryHandler(rpc, typedLibrary{})
	h := must(server.NewHandler(rpc, server.WithLimits(server.Limits{BatchItems: 10_000, ResponseBytes: -1})))
	for _, n := range []int{1, 10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var body bytes.Buffer
			for i := range n {
				fmt.Fprintf(&body, `%s{"jsonrpc":"2.0","id":%d,"method":"library.v1.Library/GetBook","params":{"name":"lent"}}`, map[bool]string{true: "[", false: ","}[i == 0], i)
			}
			body.WriteByte(']')
			d := &discard{header: http.Header{}}
			defer measure(b)()
			for b.Loop() {
				d.reset()
				r := must(http.NewRequest(http.MethodPost, "/", bytes.NewReader(body.Bytes())))
				r.Header.Set("Content-Type", "application/json")
				h.ServeHTTP(d, r)
			}
		})
	}
}

// catalogue makes a file with n errors.
func catalogue(n int) protoreflect.FileDescriptor {
	options := new(descriptorpb.FileOptions)
	proto.SetExtension(options, errmapv1.E_Domain, "many.example.com")
	f := &descriptorpb.FileDescriptorProto{
		Name: proto.String("many.proto"), Package: proto.String("many"), Syntax: proto.String("proto3"),
		Dependency: []string{"errmap/v1/error.proto"}, Options: options,
	}
	for i := range n {
		message := new(descriptorpb.MessageOptions)
		proto.SetExtension(message, errmapv1.E_Error, &errmapv1.ErrorOptions{Code: code.Code_NOT_FOUND})
		f.MessageType = append(f.MessageType, &descriptorpb.DescriptorProto{Name: proto.String(fmt.Sprintf("E%dError", i)), Options: message})
	}
	return must(protodesc.NewFile(f, protoregistry.GlobalFiles))
}

func BenchmarkGrowth_catalogue(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		file := catalogue(n)
		b.Run(fmt.Sprintf("make %d", n), func(b *testing.B) {
			defer measure(b)()
			for b.Loop() {
				must(errmap.NewCatalog(file))
			}
		})
		b.Run(fmt.Sprintf("read with %d", n), func(b *testing.B) {
			c := must(errmap.NewCatalog(file))
			object := errmap.EncodeJSONRPC(errmap.NewCode(code.Code_NOT_FOUND, "m").WithDetail(&errdetails.ErrorInfo{Reason: "E7", Domain: "many.example.com"}), errmap.ProfileGeneric)
			defer measure(b)()
			for b.Loop() {
				must(errmap.DecodeJSONRPC(object, errmap.ProfileGeneric, errmap.WithCatalog(c)))
			}
		})
	}
}

// The gateway's cost is that of the way through it less that of the direct one,
// both within the process.
func BenchmarkGateway(b *testing.B) {
	rpc := errmapconnect.NewServer()
	libraryv1connect.RegisterLibraryHandler(rpc, typedLibrary{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)
	set := new(descriptorpb.FileDescriptorSet)
	fd := libraryv1.File_library_v1_library_proto
	for i := range fd.Imports().Len() {
		set.File = append(set.File, protodesc.ToFileDescriptorProto(fd.Imports().Get(i).FileDescriptor))
	}
	set.File = append(set.File, protodesc.ToFileDescriptorProto(fd))
	upstream := gateway.NewUpstream(gateway.InProcess(mux), "http://library", gateway.ProtocolConnect)
	g := gateway.New(upstream.Transport(), must(gateway.NewSchema(set)))
	through := must(server.NewHandler(g.Server(), server.WithCatalog(g.Catalog())))
	for name, call := range map[string]string{"good": "books/1", "failing": "lent"} {
		b.Run(name+"/direct, Connect", func(b *testing.B) {
			c := libraryv1connect.NewLibraryClient(errmapconnect.NewClient(upstream.Transport()))
			defer measure(b)()
			for b.Loop() {
				_, _ = c.GetBook(context.Background(), &libraryv1.GetBookRequest{Name: call})
			}
		})
		b.Run(name+"/gateway, JSON-RPC", func(b *testing.B) {
			body := []byte(`{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/GetBook","params":{"name":"` + call + `"}}`)
			d := &discard{header: http.Header{}}
			defer measure(b)()
			for b.Loop() {
				d.reset()
				r := must(http.NewRequest(http.MethodPost, "/", bytes.NewReader(body)))
				r.Header.Set("Content-Type", "application/json")
				through.ServeHTTP(d, r)
			}
			if d.status >= 400 || d.size < 50 {
				b.Fatal("no answer of the upstream")
			}
		})
	}
}
