package gateway_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
)

// unreachable is a way to a server that leads nowhere.
type unreachable struct{}

func (unreachable) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("dial tcp 10.0.0.1:8080: connect: no route to host")
}

// What the callers are not told of an upstream that is gone is in the log, one
// line a second at most.
func TestWithLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		schema, err := gateway.NewSchema(shopSet())
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		u := gateway.NewUpstream(&http.Client{Transport: unreachable{}}, "http://shop", gateway.ProtocolGRPC)
		g := gateway.New(u.Transport(), schema, gateway.WithLog(logger))
		h, err := server.NewHandler(g.Server(), server.WithCatalog(g.Catalog()))
		if err != nil {
			t.Fatal(err)
		}
		call := func() {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get"}`))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got, want := w.Body.String(), `{"jsonrpc":"2.0","id":1,"error":{"code":-31503,"message":"the upstream cannot be reached"}}`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		for range 5 {
			call()
			time.Sleep(300 * time.Millisecond)
		}
		const line = `level=WARN msg="the upstream cannot be reached" procedure=/shop.v1.Cart/Get error="UNAVAILABLE: dial tcp 10.0.0.1:8080: connect: no route to host"`
		if diff := cmp.Diff(line+"\n"+line+" failures_not_logged=3\n", log.String()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

// shopSet is the descriptor set of the shop, with what it imports.
func shopSet() *descriptorpb.FileDescriptorSet {
	set := new(descriptorpb.FileDescriptorSet)
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if seen[file.Path()] {
			return
		}
		seen[file.Path()] = true
		for i := range file.Imports().Len() {
			add(file.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
	}
	add(shopv1.File_shop_v1_cart_proto)
	return set
}
