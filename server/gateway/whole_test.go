package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
)

// What connect gives up or leaves out of an upstream's error comes through.
func TestGateway_errorsForwardedWhole(t *testing.T) {
	t.Parallel()
	schema, err := gateway.NewSchema(descriptorSet(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		protocol gateway.Protocol
		answer   http.HandlerFunc
		want     string // how the error begins
	}{
		"gRPC, details that are no base64": {gateway.ProtocolGRPC, trailers("5", "m", "!!"), `{"code":-31404,"message":"m"}`},
		"gRPC, a private code":             {gateway.ProtocolGRPC, trailers("42", "m", ""), `{"code":-32603,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.Status","code":2},{"@type":"type.googleapis.com/errmap.v1.Carried","received":[{"wire":"WIRE_GRPC","number":"42"}],`},
		"Connect, a detail that is no base64": {gateway.ProtocolConnect, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"code":"not_found","message":"m","details":[{"type":"google.rpc.ErrorInfo","value":"!!"}]}`)
		}, `{"code":-31404,"message":"m"}`},
		"Connect, a private code": {gateway.ProtocolConnect, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"code":"no_cart","message":"m"}`)
		}, `{"code":-32603,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.Status","code":2},{"@type":"type.googleapis.com/errmap.v1.Carried","received":[{"wire":"WIRE_CONNECT","codeText":"no_cart","httpStatus":409}],`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gateway.New(gateway.NewUpstream(nil, newServer(t, test.answer), test.protocol).Transport(), schema)
			mux := http.NewServeMux()
			if err := server.Mount(mux, g.Server(), server.WithCatalog(g.Catalog())); err != nil {
				t.Fatal(err)
			}
			_, got, err := send(t, newServer(t, mux), "application/json", strings.NewReader(goodCall))
			if err != nil || !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"error":`+test.want) {
				t.Errorf("got %s %v, want %s", got, err, test.want)
			}
		})
	}
}

// trailers answers with a status of gRPC.
func trailers(code, message, details string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set(http.TrailerPrefix+"Grpc-Status", code)
		w.Header().Set(http.TrailerPrefix+"Grpc-Message", message)
		if details != "" {
			w.Header().Set(http.TrailerPrefix+"Grpc-Status-Details-Bin", details)
		}
		w.(http.Flusher).Flush()
	}
}
