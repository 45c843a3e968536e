package errmapotel_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// What each system has of its own, by wire: the attributes of the server's span, without
// addresses, of which those of the metric are a part.
var systems = map[string]string{
	"Connect":                   "error.type=CODE rpc.method=shop.v1.Cart/Get rpc.response.status_code=CODE rpc.system.name=connectrpc",
	"gRPC of Connect":           "error.type=CODE rpc.method=shop.v1.Cart/Get rpc.response.status_code=CODE rpc.system.name=grpc",
	"Connect v1":                "error.type=CODE rpc.method=shop.v1.Cart/Get rpc.response.status_code=CODE rpc.system.name=connectrpc",
	"grpc-go":                   "rpc.method=shop.v1.Cart/Get rpc.response.status_code=CODE rpc.system.name=grpc",
	"JSON-RPC":                  "error.type=NUMBER rpc.method=shop.v1.Cart/Get rpc.response.status_code=NUMBER rpc.system.name=jsonrpc",
	"JSON-RPC with otelconnect": "error.type=CODE rpc.method=shop.v1.Cart/Get rpc.response.status_code=CODE rpc.system.name=jsonrpc",
	"HTTP+JSON":                 "error.type=CODE rpc.method=library.v1.Library/GetBook rpc.response.status_code=CODE rpc.system.name=httpjson",
}

// wireNames are what the counter calls the wires.
var wireNames = map[string]string{
	"Connect": "connect", "gRPC of Connect": "grpc", "Connect v1": "connect", "grpc-go": "grpc",
	"JSON-RPC": "jsonrpc", "JSON-RPC with otelconnect": "jsonrpc", "HTTP+JSON": "http",
}

// One failure is the same errmap.* on each wire, and rpc.* as each system has it.
func TestGolden(t *testing.T) {
	t.Parallel()
	if len(wires) != len(systems) {
		t.Fatal("a wire without expectations")
	}
	for kind, test := range map[string]struct {
		fail         func(context.Context) error
		code, number string
		identity     string // on spans and in the counter
		fault        bool
		requestID    bool
	}{
		"typed": {
			fail: func(context.Context) error { return &shopv1.StockEmptyError{Sku: "A1"} },
			code: "FAILED_PRECONDITION", number: "4010", identity: "errmap.domain=shop.example.com errmap.reason=STOCK_EMPTY",
		},
		"hidden": {
			fail: func(context.Context) error { return errors.New("dial tcp 10.0.0.7") },
			code: "INTERNAL", number: "-32603", fault: true, requestID: true,
		},
	} {
		for name, wire := range wires {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				there, here := newProcess(t), newProcess(t)
				_ = wire(t, there, here, quiet(), test.fail)(t.Context())
				clients := name != "HTTP+JSON"

				want := map[string]string{"server": "local", "client": "peer"}
				for side, p := range map[string]*process{"server": there, "client": here} {
					if side == "client" && !clients {
						continue
					}
					span := p.span(t, "errmap.")
					if test.requestID {
						span = without(t, span, "errmap.request_id=")
					}
					status := "status Unset"
					if test.fault || side == "client" {
						status = "status Error"
					}
					wantSpan := fields("errmap.code="+test.code, before(test.identity), "errmap.origin="+want[side], after(test.identity), status)
					if diff := cmp.Diff(wantSpan, span); diff != "" {
						t.Errorf("span of the %s: -want +got\n%s", side, diff)
					}
					counter := strings.Join(fields("errmap.code="+test.code, before(test.identity), after(test.identity), "errmap.side="+side, "errmap.wire="+wireNames[name]), " ")
					if diff := cmp.Diff([]string{counter + ": 1"}, p.counts(t, "errmap.errors")); diff != "" {
						t.Errorf("counter of the %s: -want +got\n%s", side, diff)
					}
					if n := len(p.counts(t, "rpc."+side+".call.duration")); n != 1 {
						t.Errorf("%d series of rpc.%s.call.duration, want one", n, side)
					}
				}
				system := strings.NewReplacer("CODE", test.code, "NUMBER", test.number).Replace(systems[name])
				got := there.span(t, "rpc.", "error.")
				if s := strings.Join(got[:len(got)-1], " "); s != system && !(test.fault && name == "grpc-go" && s == "error.type=INTERNAL "+system) {
					t.Errorf("rpc.* = %s\nwant     %s", s, system)
				}
			})
		}
	}
}

func before(identity string) string { domain, _, _ := strings.Cut(identity, " "); return domain }
func after(identity string) string  { _, reason, _ := strings.Cut(identity, " "); return reason }

// fields returns those that are not empty.
func fields(all ...string) []string {
	var some []string
	for _, s := range all {
		if s != "" {
			some = append(some, s)
		}
	}
	return some
}

// without returns the lines but for the one that begins with a prefix.
func without(t *testing.T, all []string, prefix string) []string {
	t.Helper()
	var rest []string
	for _, line := range all {
		if !strings.HasPrefix(line, prefix) {
			rest = append(rest, line)
		}
	}
	if len(rest) != len(all)-1 {
		t.Errorf("%d lines begin with %s in %v", len(all)-len(rest), prefix, all)
	}
	return rest
}
