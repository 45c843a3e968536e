package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/server/gateway"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// unreadableFiles are the ways in which the reflection of one service is of no use.
var unreadableFiles = map[string]func(string) ([]byte, error){
	"not found":       func(string) ([]byte, error) { return nil, refusal(codes.NotFound) },
	"internal":        func(string) ([]byte, error) { return nil, refusal(codes.Internal) },
	"no code at all":  func(string) ([]byte, error) { return nil, refusal(0) },
	"ends the stream": func(string) ([]byte, error) { return nil, status.Error(codes.Unknown, "KeyError: 'bad.v1.Bad'") },
	"no such method":  func(string) ([]byte, error) { return nil, status.Error(codes.Unimplemented, "") },
	"no descriptor":   func(string) ([]byte, error) { return []byte("\x0a\x7fbad"), nil },
	"an empty one":    func(string) ([]byte, error) { return nil, nil },
	"another file": func(string) ([]byte, error) {
		return badFile(func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Name = proto.String("Good") }), nil
	},
	"a message instead": func(string) ([]byte, error) {
		return badFile(func(f *descriptorpb.FileDescriptorProto) {
			f.Service, f.MessageType[0].Name = nil, proto.String("Bad")
		}), nil
	},
	"a missing import": func(string) ([]byte, error) {
		return badFile(func(f *descriptorpb.FileDescriptorProto) { f.Dependency = []string{"bad/v1/missing.proto"} }), nil
	},
	"an unknown type": func(string) ([]byte, error) {
		return badFile(func(f *descriptorpb.FileDescriptorProto) {
			f.Service[0].Method[0].InputType = proto.String(".bad.v1.N")
		}), nil
	},
	"imports itself": func(string) ([]byte, error) {
		return badFile(func(f *descriptorpb.FileDescriptorProto) { f.Dependency = []string{f.GetName()} }), nil
	},
	"a name that others have": func(string) ([]byte, error) {
		return badFile(func(f *descriptorpb.FileDescriptorProto) {
			f.Package = proto.String("library.v1")
			f.MessageType[0].Name = proto.String("Book")
			f.Service[0].Method[0].InputType, f.Service[0].Method[0].OutputType = proto.String(".library.v1.Book"), proto.String(".library.v1.Book")
		}), nil
	},
	"an answer of 5 MB": func(string) ([]byte, error) {
		return badFile(func(f *descriptorpb.FileDescriptorProto) {
			f.MessageType[0].Name = proto.String(strings.Repeat("M", 5<<20))
		}), nil
	},
}

// A service that cannot be read is left out and named; the others are served.
func TestFinding_P11_one_bad_service(t *testing.T) {
	t.Parallel()
	for name, symbol := range unreadableFiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &reflecting{services: []string{"bad.v1.Bad", "library.v1.Library", "grpc.health.v1.Health"}, symbol: symbol}
			schema, err := s.serve(t).Reflect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(schema.Services()) != 1 || schema.Services()[0].FullName() != "library.v1.Library" {
				t.Errorf("services %v", schema.Services())
			}
			if w := schema.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "the service bad.v1.Bad is left out: ") {
				t.Errorf("warnings %q", w)
			}
			if schema.Catalog().Find("library.example.com", "BOOK_NOT_FOUND") == nil {
				t.Error("the catalogue lacks the error of the good service")
			}
		})
	}
}

// Where no service can be read there is none to serve.
func TestUpstream_Reflect_allBad(t *testing.T) {
	t.Parallel()
	for name, symbol := range unreadableFiles {
		s := &reflecting{services: []string{"bad.v1.Bad", "bad.v1.Worse"}, symbol: symbol}
		if name == "a name that others have" {
			continue
		}
		if _, err := s.serve(t).Reflect(t.Context()); err == nil || !strings.Contains(err.Error(), "bad") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchema_Unread(t *testing.T) {
	t.Parallel()
	s := &reflecting{services: []string{"bad.v1.Bad", "library.v1.Library"}, symbol: unreadableFiles["not found"]}
	schema, err := s.serve(t).Reflect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := schema.Unread(); len(got) != 1 || got[0] != "bad.v1.Bad" {
		t.Errorf("got %v", got)
	}
}

// Two services that claim the same error do not stop each other.
func TestFinding_P11_errors_that_contradict(t *testing.T) {
	t.Parallel()
	twin := protodesc.ToFileDescriptorProto(libraryv1.File_library_v1_library_proto)
	twin.Name, twin.Package = proto.String("twin/v1/twin.proto"), proto.String("library.v1")
	raw := []byte(strings.ReplaceAll(string(marshalFile(twin)), ".library.v1.", ".twinned.v1."))
	if err := proto.Unmarshal(raw, twin); err != nil {
		t.Fatal(err)
	}
	twin.Package = proto.String("twinned.v1")
	s := &reflecting{services: []string{"twinned.v1.Library", "library.v1.Library"}, symbol: func(string) ([]byte, error) { return marshalFile(twin), nil }}
	schema, err := s.serve(t).Reflect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(schema.Services()) != 2 {
		t.Errorf("services %v", schema.Services())
	}
	if w := schema.Warnings(); len(w) != 1 || !strings.Contains(w[0], "the errors of twin/v1/twin.proto are left out: ") {
		t.Errorf("warnings %q", w)
	}
}

// An upstream that dies while it is asked is no upstream with bad services.
func TestUpstream_Reflect_diesMeanwhile(t *testing.T) {
	t.Parallel()
	s := &reflecting{services: []string{"bad.v1.Bad", "library.v1.Library"}, symbol: func(string) ([]byte, error) { return nil, status.Error(codes.Unavailable, "shutting down") }}
	if _, err := s.serve(t).Reflect(t.Context()); err == nil {
		t.Error("no error")
	}
}

// An upstream that says nothing, at whatever point, costs the time that it may
// take, and no more; so does one that does not end the stream.
func TestFinding_A12_upstream_says_nothing(t *testing.T) {
	t.Parallel()
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mute.Close() })
	stuck := &reflecting{services: []string{"library.v1.Library", "mute.v1.Mute"}, symbol: func(string) ([]byte, error) {
		time.Sleep(time.Minute)
		return nil, io.EOF
	}}
	halted := make(chan struct{})
	t.Cleanup(func() { close(halted) })
	began := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		w.(http.Flusher).Flush()
		<-halted // whatever the caller's deadline says
	}))
	holding := &reflecting{services: []string{"library.v1.Library"}, holds: true}
	limit := gateway.WithReflectionLimits(gateway.ReflectionLimits{Time: 500 * time.Millisecond})
	address := mute.Addr().String()
	for name, test := range map[string]struct {
		upstream *gateway.Upstream
		good     bool
	}{
		"gRPC, no answer at all":     {gateway.NewUpstream(nil, "http://"+address, gateway.ProtocolGRPC, limit), false},
		"Connect, no answer at all":  {gateway.NewUpstream(nil, "http://"+address, gateway.ProtocolConnect, limit), false},
		"gRPC-Web, no answer at all": {gateway.NewUpstream(nil, "http://"+address, gateway.ProtocolGRPCWeb, limit), false},
		"TLS, no answer at all":      {gateway.NewUpstream(nil, "https://"+address, gateway.ProtocolGRPC, limit), false},
		"no more than a header":      {gateway.NewUpstream(nil, began, gateway.ProtocolGRPC, limit), false},
		"no answer to a symbol":      {stuck.serve(t, limit), true}, // but without that service
		"no end of the stream":       {holding.serve(t), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := make(chan error, 1)
			start := time.Now()
			go func() {
				_, err := test.upstream.Reflect(context.WithoutCancel(t.Context()))
				done <- err
			}()
			select {
			case err := <-done:
				if took := time.Since(start); took > 4*time.Second || (err == nil) != test.good {
					t.Errorf("it took %v: %v", took, err)
				}
				if err != nil && !strings.Contains(err.Error(), "no answer within 500ms") {
					t.Errorf("got %v", err)
				}
			case <-time.After(8 * time.Second):
				t.Error("it hangs")
			}
		})
	}
}

// A service that takes all the time is left out too.
func TestFinding_A12_one_slow_service(t *testing.T) {
	t.Parallel()
	for name, symbol := range map[string]func(string) ([]byte, error){
		"no answer": func(string) ([]byte, error) {
			time.Sleep(time.Minute)
			return nil, io.EOF
		},
		"slow imports": func(name string) ([]byte, error) {
			time.Sleep(50 * time.Millisecond)
			return importing(1, 1<<30, 0)(name)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &reflecting{services: []string{"bad.v1.Bad", "library.v1.Library"}, symbol: symbol, file: symbol}
			schema, err := s.serve(t, gateway.WithReflectionLimits(gateway.ReflectionLimits{Time: 4 * time.Second})).Reflect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(schema.Services()) != 1 || len(schema.Warnings()) != 1 || !strings.Contains(schema.Warnings()[0], "bad.v1.Bad is left out: reflection of bad.v1.Bad: it takes too long: ") {
				t.Errorf("services %v, warnings %q", schema.Services(), schema.Warnings())
			}
		})
	}
}

// A schema without end is not fetched to its end, and the others are served.
func TestFinding_A12_endless_schema(t *testing.T) {
	for name, test := range map[string]struct {
		symbol, file func(string) ([]byte, error)
		warning      string
	}{
		"a chain of imports":     {importing(1, 1<<30, 0), importing(1, 1<<30, 0), "imports nest deeper than 100"},
		"a chain of large files": {importing(1, 1<<30, 1_000_000), importing(1, 1<<30, 1_000_000), "the schema has more than 16777216 bytes"},
		"a tree of imports":      {importing(50, 3, 0), importing(50, 3, 0), "the schema has more than 500 files"},
		"two bytes an element": {func(string) ([]byte, error) {
			return append(badFile(func(*descriptorpb.FileDescriptorProto) {}), strings.Repeat("\x22\x00", 2_000_000)...), nil
		}, nil, "the schema has more than 100000 elements"},
		"a long name for all": {func(string) ([]byte, error) {
			return badFile(func(f *descriptorpb.FileDescriptorProto) {
				f.Package = proto.String(strings.Repeat("p", 1_000_000))
				for i := range 50_000 {
					f.MessageType = append(f.MessageType, &descriptorpb.DescriptorProto{Name: proto.String(fmt.Sprintf("M%d", i))})
				}
			}), nil
		}, nil, "the schema has more than 16777216 bytes of names"},
		"missing imports": {func(string) ([]byte, error) {
			return badFile(func(f *descriptorpb.FileDescriptorProto) {
				for i := range 100_000 {
					f.Dependency = append(f.Dependency, fmt.Sprintf("missing/%d.proto", i))
				}
			}), nil
		}, nil, "more than 500 imports are missing"},
		"messages in messages": {func(string) ([]byte, error) {
			inner := &descriptorpb.DescriptorProto{Name: proto.String("M")}
			for range 2000 {
				inner = &descriptorpb.DescriptorProto{Name: proto.String("M"), NestedType: []*descriptorpb.DescriptorProto{inner}}
			}
			return badFile(func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0] = inner }), nil
		}, nil, "a file of the schema nests deeper than 100"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &reflecting{services: []string{"bad.v1.Bad", "library.v1.Library"}, symbol: test.symbol, file: test.file}
			u := s.serve(t, gateway.WithReflectionLimits(gateway.ReflectionLimits{Files: 500}))
			var schema *gateway.Schema
			var err error
			start := time.Now()
			peak := peakOf(func() { schema, err = u.Reflect(t.Context()) })
			if err != nil {
				t.Fatal(err)
			}
			if len(schema.Services()) != 1 || len(schema.Warnings()) != 1 || !strings.Contains(schema.Warnings()[0], test.warning) {
				t.Errorf("services %v, warnings %q", schema.Services(), schema.Warnings())
			}
			t.Logf("%d requests in %v, %d MiB more at the peak", s.asked.Load(), time.Since(start).Round(time.Millisecond), peak>>20)
			if peak > 150<<20 {
				t.Errorf("%d MiB", peak>>20)
			}
		})
	}
}

func TestSchema_Equal(t *testing.T) {
	t.Parallel()
	s := &reflecting{services: []string{"library.v1.Library"}}
	u := s.serve(t)
	first, err := u.Reflect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := u.Reflect(t.Context())
	if err != nil || !first.Equal(again) {
		t.Errorf("the same schema is another: %v", err)
	}
	s = &reflecting{services: []string{"bad.v1.Bad", "library.v1.Library"}, symbol: func(string) ([]byte, error) { return badFile(func(*descriptorpb.FileDescriptorProto) {}), nil }}
	more, err := s.serve(t).Reflect(t.Context())
	if err != nil || first.Equal(more) || first.Equal(nil) || !(*gateway.Schema)(nil).Equal(nil) {
		t.Errorf("another schema is the same: %v", err)
	}
}

// descriptorFiles returns a file and what it imports, each after its imports.
func descriptorFiles(root protoreflect.FileDescriptor) (files []*descriptorpb.FileDescriptorProto) {
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(fd protoreflect.FileDescriptor) {
		if seen[fd.Path()] {
			return
		}
		seen[fd.Path()] = true
		for i := range fd.Imports().Len() {
			add(fd.Imports().Get(i))
		}
		files = append(files, protodesc.ToFileDescriptorProto(fd))
	}
	add(root)
	return files
}

// Files without imports, with relative names and with other names for the entries of
// maps, as the reflection of grpc-js sends them, are read as those that they were.
func TestUpstream_Reflect_protobufjs(t *testing.T) {
	t.Parallel()
	var all [][]byte
	for _, f := range descriptorFiles(shopv1.File_shop_v1_cart_proto) {
		f.Dependency = nil
		var relative func(scope string, ds []*descriptorpb.DescriptorProto)
		relative = func(scope string, ds []*descriptorpb.DescriptorProto) {
			for _, d := range ds {
				for _, field := range d.GetField() {
					if field.TypeName != nil {
						name := strings.TrimPrefix(*field.TypeName, ".")
						name = strings.TrimPrefix(name, scope+"."+d.GetName()+".")
						name = strings.TrimPrefix(name, scope+".")
						field.TypeName = proto.String(strings.Replace(name, "ByNameEntry", "By_name", 1))
					}
				}
				for _, nested := range d.GetNestedType() {
					d.Options = &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}
					nested.Name = proto.String(strings.Replace(nested.GetName(), "ByNameEntry", "By_name", 1))
				}
				relative(scope+"."+d.GetName(), d.GetNestedType())
			}
		}
		relative(f.GetPackage(), f.GetMessageType())
		f.Name = proto.String(strings.ReplaceAll(f.GetPackage(), ".", "_") + "/" + f.GetName())
		all = append(all, marshalFile(f))
	}
	s := &reflecting{services: []string{"shop.v1.Cart", "shop.v1.Orders"}, all: all}
	schema, err := s.serve(t).Reflect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(schema.Services()) != 2 || len(schema.Unread()) != 0 {
		t.Fatalf("services %v, warnings %q", schema.Services(), schema.Warnings())
	}
	got := schema.Services()[0].Methods().ByName("Echo").Input()
	want := shopv1.File_shop_v1_cart_proto.Messages().ByName("Everything")
	for i := range want.Fields().Len() {
		w := want.Fields().Get(i)
		g := got.Fields().ByNumber(w.Number())
		if g == nil || g.Kind() != w.Kind() || g.IsMap() != w.IsMap() || g.Message() != nil && !w.IsMap() && g.Message().FullName() != w.Message().FullName() {
			t.Errorf("%v is %v", w, g)
		}
	}
}
