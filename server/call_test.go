package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
)

// failing is a service whose Get and Watch return an error.
func failing(err error) *cart {
	return &cart{
		get: func(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error) { return nil, err },
		watch: func(context.Context, *shopv1.GetRequest, shopv1connect.CartWatchServerStream) error {
			return err
		},
	}
}

// headerCart sets headers and trailers, some of which are not a method's to set.
func headerCart() *cart {
	return &cart{get: func(ctx context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		info, _ := connect.CallInfoForServerContext(ctx)
		info.ResponseHeader().Set("X-Sku", request.GetSku())
		info.ResponseHeader().Set("Content-Type", "text/html")
		info.ResponseHeader().Set("Content-Length", "1")
		info.ResponseTrailer().Set("X-Sku", "t"+request.GetSku())
		if request.GetQty() < 0 {
			return nil, stock(request.GetSku())
		}
		return &shopv1.GetResponse{Sku: request.GetSku()}, nil
	}}
}

func TestHandler_errorsOfHandlers(t *testing.T) {
	t.Parallel()
	const empty = `{"code":4010,"message":"No A1 left","data":[` +
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}},` +
		`{"@type":"type.googleapis.com/google.rpc.Status","code":9}]}`
	tests := map[string]struct {
		err  error
		want string
	}{
		"of errmap":           {stock("A1"), empty},
		"wrapped":             {fmt.Errorf("save to 10.0.0.7: %w", stock("A1")), empty},
		"joined":              {errors.Join(errDriver, stock("A1")), empty},
		"a plain code":        {errmap.NewCode(code.Code_NOT_FOUND, "gone"), `{"code":-31404,"message":"gone"}`},
		"of Connect":          {connect.NewError(connect.CodeNotFound, "gone"), `{"code":-31404,"message":"gone"}`},
		"of Connect, wrapped": {fmt.Errorf("save to 10.0.0.7: %w", connect.NewError(connect.CodeNotFound, "gone")), `{"code":-31404,"message":"gone"}`},
		"of Connect with details": {
			connect.NewError(connect.CodeFailedPrecondition, "gone").WithDetail(&connect.ErrorDetail{Type: "acme.v9.Mystery", Value: []byte{8, 150, 1}}),
			`{"code":-31400,"message":"gone","data":[{"@type":"type.googleapis.com/acme.v9.Mystery","@value":"CJYB"}]}`,
		},
		"of Connect with a private code": {connect.NewError(connect.Code(42), "odd"), `{"code":-32603,"message":"odd","data":[` +
			`{"@type":"type.googleapis.com/google.rpc.Status","code":2},` +
			`{"@type":"type.googleapis.com/errmap.v1.Carried","received":[{"wire":"WIRE_GRPC","number":"42"}],"check":"ob4G8A=="}]}`},
		"forwarded": {errmap.Forward(errmap.NewCode(code.Code_NOT_FOUND, "gone").WithRemote()), `{"code":-31404,"message":"gone"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reports := new(reports)
			got := post(t, newHandler(t, failing(test.err), reports.options()...), get("1", "A1"))
			if diff := cmp.Diff(`{"jsonrpc":"2.0","id":1,"error":`+test.want+`}`, got.body); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if texts := reports.texts(); texts != nil {
				t.Errorf("kept from the caller: %q", texts)
			}
		})
	}
}

// hiddenAnswer is what a caller sees of an error that does not speak.
func hiddenAnswer(requestID string) string {
	return `{"code":-32603,"message":"internal error","data":[{"@type":"type.googleapis.com/google.rpc.RequestInfo","requestId":"` + requestID + `"}]}`
}

func TestField_078_driver_text_stays_here(t *testing.T) {
	t.Parallel()
	upstream := connect.NewError(connect.CodeNotFound, errDriver.Error()).WithRemote()
	tests := map[string]error{
		"a plain error":           errDriver,
		"an upstream error":       upstream,
		"a wrapped upstream one":  fmt.Errorf("call to 10.0.0.7: %w", upstream),
		"a received errmap error": errmap.NewCode(code.Code_NOT_FOUND, errDriver.Error()).WithRemote(),
	}
	for name, err := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reports := new(reports)
			handler := newHandler(t, failing(err), reports.options()...)
			for form, got := range map[string]answer{
				"alone":    post(t, handler, get("1", "A1")),
				"a batch":  post(t, handler, "["+get("1", "A1")+"]"),
				"a stream": post(t, handler, strings.Replace(get("1", "A1"), "Get", "Watch", 1), "Accept", "text/event-stream"),
			} {
				if strings.Contains(got.body, "10.0.0.7") || strings.Contains(fmt.Sprint(got.header), "10.0.0.7") {
					t.Errorf("%s: the caller sees the text: %s %v", form, got.body, got.header)
				}
				found := false
				for _, report := range reports.hidden {
					found = found || strings.Contains(got.body, hiddenAnswer(report.ID))
				}
				if !found {
					t.Errorf("%s: got %s, want INTERNAL with an id that the log has", form, got.body)
				}
			}
			for _, text := range reports.texts() {
				if !strings.Contains(text, "10.0.0.7") {
					t.Errorf("the log has %q, want the text whole", text)
				}
			}
		})
	}
}

func TestField_080_panics_are_contained(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{
		"a text":          "secret=42",
		"an error":        errors.New("secret=42"),
		"an errmap error": errmap.NewCode(code.Code_NOT_FOUND, "secret=42"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &cart{
				get: func(_ context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
					if request.GetSku() == "A1" {
						panic(value)
					}
					return &shopv1.GetResponse{Sku: request.GetSku()}, nil
				},
				watch: func(context.Context, *shopv1.GetRequest, shopv1connect.CartWatchServerStream) error { panic(value) },
			}
			reports := new(reports)
			handler := newHandler(t, service, reports.options()...)
			watch := strings.Replace(get("1", "A1"), "Get", "Watch", 1)
			bodies := []string{
				post(t, handler, get("1", "A1")).body,
				post(t, handler, "["+get("1", "B2")+","+get("2", "A1")+","+get("3", "C3")+"]").body,
				post(t, handler, watch, "Accept", "text/event-stream").body,
			}
			if len(reports.hidden) != 3 {
				t.Fatalf("%d reports, want 3", len(reports.hidden))
			}
			failure := func(i int, id string) string {
				return `{"jsonrpc":"2.0","id":` + id + `,"error":` + hiddenAnswer(reports.hidden[i].ID) + `}`
			}
			want := []string{
				failure(0, "1"),
				"[" + got("1", "B2") + "," + failure(1, "2") + "," + got("3", "C3") + "]",
				"data: " + failure(2, "1") + "\n\n",
			}
			if diff := cmp.Diff(want, bodies); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, report := range reports.hidden {
				if !strings.Contains(report.Err.Error(), "secret=42") || !strings.Contains(string(report.Stack), "call_test.go") {
					t.Errorf("the log has %v and a stack of %d bytes, want the value and where it came from", report.Err, len(report.Stack))
				}
			}
		})
	}
}

func TestHandler_resultsThatHaveNoJSON(t *testing.T) {
	t.Parallel()
	service := &cart{get: func(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		return &shopv1.GetResponse{Sku: "secret \xff"}, nil
	}}
	reports := new(reports)
	got := post(t, newHandler(t, service, reports.options()...), get("1", "A1"))
	if len(reports.hidden) != 1 {
		t.Fatalf("%d reports, want 1", len(reports.hidden))
	}
	if procedure := reports.hidden[0].Procedure; !strings.HasPrefix(procedure, "/shop.v1.Cart/") {
		t.Errorf("the log says that %q was called", procedure)
	}
	if want := `{"jsonrpc":"2.0","id":1,"error":` + hiddenAnswer(reports.hidden[0].ID) + `}`; got.body != want {
		t.Errorf("got %s, want %s", got.body, want)
	}
}

func TestHandler_nilResult(t *testing.T) {
	t.Parallel()
	service := &cart{get: func(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error) { return nil, nil }}
	if got, want := post(t, newHandler(t, service), get("1", "A1")).body, `{"jsonrpc":"2.0","id":1,"result":{}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A method may read its request after its answer, and more than once.
func TestHandler_receivesLate(t *testing.T) {
	t.Parallel()
	rpc := connect.NewServer()
	spec := connect.Spec{Procedure: "/shop.v1.Cart/Get", Schema: shopv1.File_shop_v1_cart_proto.Services().Get(0).Methods().ByName("Get")}
	rpc.Register(connect.Method{Spec: spec, Handler: func(_ context.Context, _ connect.Spec, stream connect.ServerStream) error {
		if err := stream.Send(&shopv1.GetResponse{Sku: "answer", Qty: 7}); err != nil {
			return err
		}
		request := new(shopv1.GetRequest)
		if err := stream.Receive(request); err != nil || request.GetSku() != "asked" {
			t.Errorf("received %v, %v", request, err)
		}
		if err := stream.Receive(request); !errors.Is(err, io.EOF) {
			t.Errorf("received again: %v", err)
		}
		return nil
	}})
	handler, err := server.NewHandler(rpc)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		got := post(t, handler, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"asked"}}`)
		if want := `{"jsonrpc":"2.0","id":1,"result":{"sku":"answer","qty":"7"}}`; got.body != want {
			t.Fatalf("got %s, want %s", got.body, want)
		}
	}
}

// An answer may have as many bytes as the limit, and no more.
func TestHandler_answersOfTheLimit(t *testing.T) {
	t.Parallel()
	const whole = `{"jsonrpc":"2.0","id":7,"result":{"sku":"A1","qty":"3"}}`
	for limit, number := range map[int]string{len(whole): "result", len(whole) - 1: `"error":{"code":-31429`} {
		handler := newHandler(t, new(cart), server.WithLimits(server.Limits{ResponseBytes: limit}))
		if got := post(t, handler, getA1).body; !strings.Contains(got, number) {
			t.Errorf("a limit of %d: got %s", limit, got)
		}
	}
}

// What a middleware does to the headers of an answer stays with that header.
func TestHandler_headersAreApart(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, new(cart))
	for range 2 {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(getA1))
		request.Header.Set("Content-Type", "application/json")
		handler.ServeHTTP(recorder, request)
		header := recorder.Header()
		if header.Get("Content-Type") != "application/json" || header.Get("Content-Length") != length(recorder.Body.String()) {
			t.Errorf("got %v", header)
		}
		header["Content-Type"] = append(header["Content-Type"], "text/html")
		if header.Get("Content-Length") != length(recorder.Body.String()) {
			t.Errorf("the length became %v", header)
		}
		header["Content-Type"][0], header["Content-Length"][0] = "changed", "changed"
	}
}

func TestHandler_methodsThatMisbehave(t *testing.T) {
	t.Parallel()
	spec := connect.Spec{Procedure: "/shop.v1.Odd/Call"}
	late := make(chan error, 1)
	tests := map[string]connect.ServerFunc{
		"no message at all": func(context.Context, connect.Spec, connect.ServerStream) error { return nil },
		"two messages": func(_ context.Context, _ connect.Spec, stream connect.ServerStream) error {
			return errors.Join(stream.Send(new(shopv1.GetResponse)), stream.Send(new(shopv1.GetResponse)))
		},
		"a message of another kind": func(_ context.Context, _ connect.Spec, stream connect.ServerStream) error {
			return stream.Send("text")
		},
		"a request of another kind": func(_ context.Context, _ connect.Spec, stream connect.ServerStream) error {
			return stream.Receive(new(string))
		},
	}
	for name, method := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rpc := connect.NewServer()
			rpc.Register(connect.Method{Spec: spec, Handler: method})
			reports := new(reports)
			handler, err := server.NewHandler(rpc, reports.options()...)
			if err != nil {
				t.Fatal(err)
			}
			got := post(t, handler, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Odd/Call"}`)
			if len(reports.hidden) != 1 {
				t.Fatalf("%d reports, want 1; got %s", len(reports.hidden), got.body)
			}
			if want := `{"jsonrpc":"2.0","id":1,"error":` + hiddenAnswer(reports.hidden[0].ID) + `}`; got.body != want {
				t.Errorf("got %s, want %s", got.body, want)
			}
		})
	}
	t.Run("a stream kept for later", func(t *testing.T) {
		t.Parallel()
		rpc := connect.NewServer()
		goOn := make(chan struct{})
		rpc.Register(connect.Method{Spec: spec, Handler: func(_ context.Context, _ connect.Spec, stream connect.ServerStream) error {
			go func() {
				<-goOn
				late <- errors.Join(stream.Send(new(shopv1.GetResponse)), stream.Receive(new(shopv1.GetRequest)), stream.SendHeaders())
			}()
			return stream.Send(new(shopv1.GetResponse))
		}})
		handler, err := server.NewHandler(rpc)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := post(t, handler, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Odd/Call"}`).body, `{"jsonrpc":"2.0","id":1,"result":{}}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		close(goOn)
		if err := <-late; err == nil || strings.Count(err.Error(), "the call is over") != 3 {
			t.Errorf("got %v, want that the call is over, three times", err)
		}
	})
}

func TestHandler_headers(t *testing.T) {
	t.Parallel()
	for name, params := range map[string]string{"a result": `{"sku":"a"}`, "an error": `{"sku":"a","qty":-1}`} {
		got := post(t, newHandler(t, headerCart()), `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":`+params+`}`)
		want := map[string]string{
			"X-Sku": "a", "Trailer-X-Sku": "ta", "Content-Type": "application/json", "Content-Length": fmt.Sprint(len(got.body)),
		}
		for key, value := range want {
			if values := got.header.Values(key); len(values) != 1 || values[0] != value {
				t.Errorf("%s: %s is %q, want %q", name, key, values, value)
			}
		}
	}
}

func TestHandler_callInfo(t *testing.T) {
	t.Parallel()
	type seen struct {
		Procedure, Peer, Protocol, Codec, Request, Response, Header, ID, Method, Path string
		Size                                                                          int
	}
	var got seen
	service := &cart{get: func(ctx context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		call, _ := connect.CallInfoForServerContext(ctx)
		info, ok := server.InfoForContext(ctx)
		if !ok {
			t.Error("no info of the call")
		}
		got = seen{
			call.Spec.Procedure, call.PeerAddr, call.Protocol, call.Codec, call.RequestEncoding, call.ResponseEncoding,
			call.RequestHeader().Get("X-Tenant"), info.ID(), info.Method(), info.HTTPRequest().URL.Path, call.ReceiveStats.Size,
		}
		return &shopv1.GetResponse{}, nil
	}}
	post(t, newHandler(t, service), compressed(t, get("1e0", "A1")), "Content-Encoding", "gzip", "x-tenant", "t")
	want := seen{"/shop.v1.Cart/Get", "192.0.2.1:1234", "jsonrpc", "json", "gzip", "identity", "t", "1e0", "shop.v1.Cart/Get", "/", len(`{"sku":"A1"}`)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, ok := server.InfoForContext(t.Context()); ok {
		t.Error("there is info where there is no call")
	}
	var none *server.Info
	if none.ID() != "" || none.Method() != "" || none.HTTPRequest() != nil {
		t.Error("a nil Info says something")
	}
}

func TestHandler_deadlines(t *testing.T) {
	t.Parallel()
	const exceeded = `{"jsonrpc":"2.0","id":1,"error":{"code":-31504,"message":"deadline exceeded"}}`
	tests := map[string]struct {
		headers []string
		took    time.Duration
	}{
		"Connect":  {[]string{"Connect-Timeout-Ms", "100"}, 100 * time.Millisecond},
		"gRPC":     {[]string{"Grpc-Timeout", "2S"}, 2 * time.Second},
		"the less": {[]string{"Grpc-Timeout", "2S", "Connect-Timeout-Ms", "3000"}, 2 * time.Second},
		"nothing":  {[]string{"Connect-Timeout-Ms", "0"}, 0},
		"forever":  {[]string{"Grpc-Timeout", "99999999H", "Connect-Timeout-Ms", "9999999999"}, time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := &cart{get: func(ctx context.Context, _ *shopv1.GetRequest) (*shopv1.GetResponse, error) {
					select {
					case <-ctx.Done():
						return nil, fmt.Errorf("query: %w", ctx.Err())
					case <-time.After(time.Hour):
						return &shopv1.GetResponse{}, nil
					}
				}}
				start := time.Now()
				got := post(t, newHandler(t, service), get("1", "A1"), test.headers...)
				if took := time.Since(start); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				if want := exceeded; test.took < time.Hour && got.body != want {
					t.Errorf("got %s, want %s", got.body, want)
				}
			})
		})
	}
}

func TestField_041_a_nested_timeout_is_not_that_of_the_request(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &cart{get: func(ctx context.Context, _ *shopv1.GetRequest) (*shopv1.GetResponse, error) {
			nested, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			<-nested.Done()
			return nil, fmt.Errorf("call to 10.0.0.7: %w", nested.Err())
		}}
		reports := new(reports)
		got := post(t, newHandler(t, service, reports.options()...), get("1", "A1"), "Connect-Timeout-Ms", "10000")
		if len(reports.hidden) != 1 {
			t.Fatalf("%d reports, want 1", len(reports.hidden))
		}
		if want := `{"jsonrpc":"2.0","id":1,"error":` + hiddenAnswer(reports.hidden[0].ID) + `}`; got.body != want {
			t.Errorf("got %s, want %s", got.body, want)
		}
	})
}

func TestField_103_cancellation_through_the_bridge(t *testing.T) {
	t.Parallel()
	waiting := func(ctx context.Context, _ *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	t.Run("the client leaves", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			for _, body := range []string{get("1", "A1"), "[" + get("1", "A1") + "," + get("2", "A1") + "]"} {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				got := send(t, newHandler(t, &cart{get: waiting}), httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(body)))
				if got.body != "" {
					t.Errorf("got %s, want nothing written", got.body)
				}
			}
		})
	})
	t.Run("the server shuts down", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			down := make(chan struct{})
			time.AfterFunc(time.Second, func() { close(down); cancel() })
			handler := newHandler(t, &cart{get: waiting}, server.WithGuard(errmap.NewGuard(errmap.WithShutdown(down))))
			got := send(t, handler, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(get("1", "A1"))))
			if want := `{"jsonrpc":"2.0","id":1,"error":{"code":-31503,"message":"the server is shutting down"}}`; got.body != want {
				t.Errorf("got %s, want %s", got.body, want)
			}
		})
	})
	t.Run("the backend says canceled", func(t *testing.T) {
		t.Parallel()
		got := post(t, newHandler(t, failing(connect.NewError(connect.CodeCanceled, "the backend gave up"))), get("1", "A1"))
		if want := `{"jsonrpc":"2.0","id":1,"error":{"code":-31499,"message":"the backend gave up"}}`; got.body != want {
			t.Errorf("got %s, want %s", got.body, want)
		}
	})
}

func TestHandler_tooManyCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		service := &cart{get: func(_ context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
			if request.GetSku() == "hold" {
				<-hold
			}
			return &shopv1.GetResponse{Sku: request.GetSku()}, nil
		}}
		handler := newHandler(t, service, server.WithLimits(server.Limits{Calls: 1}))
		held := make(chan string)
		go func() { held <- post(t, handler, get("1", "hold")).body }()
		synctest.Wait()
		const refused = `{"jsonrpc":"2.0","id":2,"error":{"code":-31503,"message":"too many calls at the same time"}}`
		if body := post(t, handler, get("2", "A1")).body; body != refused {
			t.Errorf("got %s, want %s", body, refused)
		}
		close(hold)
		if body := <-held; body != got("1", "hold") {
			t.Errorf("got %s, want %s", body, got("1", "hold"))
		}
		if body := post(t, handler, get("2", "A1")).body; body != got("2", "A1") {
			t.Errorf("got %s, want that the next call works", body)
		}
	})
}

func TestHandler_largeErrors(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, failing(stock(strings.Repeat("x", 300))), server.WithLimits(server.Limits{ResponseBytes: 400}))
	got := post(t, handler, get("1", "A1"))
	want := `{"jsonrpc":"2.0","id":1,"error":{"code":-31400,"message":"No ` + strings.Repeat("x", 125) + `…"}}`
	if got.body != want {
		t.Errorf("got %s, want %s", got.body, want)
	}
}

func TestField_095_notifications_are_never_answered(t *testing.T) {
	t.Parallel()
	service := &cart{get: func(_ context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		switch request.GetSku() {
		case "fail":
			return nil, stock("A1")
		case "panic":
			panic("secret=42")
		}
		return &shopv1.GetResponse{}, nil
	}}
	tests := []struct{ body, logged string }{
		{`{"jsonrpc":"2.0","method":"shop.v1.Cart/Get"}`, ""},
		{`{"jsonrpc":"2.0","method":"nope"}`, "nope: UNIMPLEMENTED: Method not found: nope"},
		{`{"jsonrpc":"2.0","method":"shop.v1.Cart/Get","params":{"qty":"many"}}`, `shop.v1.Cart/Get: INVALID_ARGUMENT: Invalid params: not a shop.v1.GetRequest: (line 1:8): invalid value for int32 field qty`},
		{`{"jsonrpc":"2.0","method":"shop.v1.Cart/Get","params":{"sku":"fail"}}`, "shop.v1.Cart/Get: FAILED_PRECONDITION shop.example.com/STOCK_EMPTY: No A1 left"},
		{`{"jsonrpc":"2.0","method":"shop.v1.Cart/Get","params":{"sku":"panic"}}`, "shop.v1.Cart/Get: INTERNAL: internal error"},
		{`{"jsonrpc":"2.0","method":"shop.v1.Cart/Watch"}`, "shop.v1.Cart/Watch: UNIMPLEMENTED: Method not found: shop.v1.Cart/Watch answers with a stream, which a notification cannot have"},
	}
	for _, test := range tests {
		for _, body := range []string{test.body, "[" + test.body + "]"} {
			reports := new(reports)
			got := post(t, newHandler(t, service, reports.options()...), body)
			if got.status != http.StatusNoContent || got.body != "" {
				t.Errorf("%s: got %d %s, want 204 and nothing", body, got.status, got.body)
			}
			if logged := strings.Join(reports.dropped, "; "); logged != test.logged {
				t.Errorf("%s: logged %q, want %q", body, logged, test.logged)
			}
		}
	}
	got := post(t, newHandler(t, service), `{"jsonrpc":"2.0","method":1}`)
	if want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the method is not a string"}}`; got.body != want {
		t.Errorf("what is no request at all: got %s, want %s", got.body, want)
	}
}

func TestField_119_existing_and_missing_look_alike(t *testing.T) {
	t.Parallel()
	service := &cart{get: func(_ context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		if request.GetSku() == "exists" {
			return nil, fmt.Errorf("not the owner: %w", errmap.NewCode(code.Code_NOT_FOUND, "no such article"))
		}
		return nil, fmt.Errorf("sql: no rows: %w", errmap.NewCode(code.Code_NOT_FOUND, "no such article"))
	}}
	handler := newHandler(t, service)
	existing, missing := post(t, handler, get("1", "exists")), post(t, handler, get("1", "missing"))
	if diff := cmp.Diff(existing.body, missing.body); diff != "" {
		t.Errorf("the answers differ:\n%s", diff)
	}
}
