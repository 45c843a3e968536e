package errmapgrpc_test

import (
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"testing"

	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

// A response of gRPC that ends without a status is a failure of this side's
// finding: nothing that the peer said.
func TestField_034_no_grpc_status(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Protocols: new(http.Protocols), Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		message, _ := proto.Marshal(&shopv1.GetResponse{Sku: "A1"})
		frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
		_, _ = w.Write(append(frame, message...))
	})}
	s.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })

	check := func(t *testing.T, err error) {
		t.Helper()
		e, ok := errors.AsType[*errmap.Error](err)
		if !ok || !e.Local() || e.Remote() || e.Reason() != "" {
			t.Fatalf("got %v, want an error that is Local", err)
		}
		if name := e.Code().String(); name != "INTERNAL" && name != "UNKNOWN" {
			t.Errorf("code %s, want INTERNAL or UNKNOWN", name)
		}
	}
	t.Run("grpc-go", func(t *testing.T) {
		t.Parallel()
		conn, err := grpc.NewClient(l.Addr().String(), append(errmapgrpc.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, err = shopv1.NewCartClient(conn).Get(t.Context(), &shopv1.GetRequest{})
		check(t, err)
	})
	t.Run("connect", func(t *testing.T) {
		t.Parallel()
		h2 := http.DefaultTransport.(*http.Transport).Clone()
		h2.Protocols = new(http.Protocols)
		h2.Protocols.SetUnencryptedHTTP2(true)
		t.Cleanup(h2.CloseIdleConnections)
		transport := connecthttp.NewTransport(&http.Client{Transport: h2}, "http://"+l.Addr().String(), connecthttp.WithGRPC())
		_, err := shopv1connect.NewCartClient(errmapconnect.NewClient(transport)).Get(t.Context(), &shopv1.GetRequest{})
		check(t, err)
	})
}
