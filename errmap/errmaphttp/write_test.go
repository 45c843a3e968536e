package errmaphttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/timestamppb"
)

const (
	aip     = errmap.ContentTypeJSON
	a2a     = errmap.ContentTypeA2A
	problem = errmap.ContentTypeProblem
)

func TestWriteError_accept(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		accept []string
		want   string
		opts   []errmaphttp.WriteOption
	}{
		{nil, aip, nil},
		{[]string{""}, aip, nil},
		{[]string{"*/*"}, aip, nil},
		{[]string{"text/html, application/xhtml+xml, */*;q=0.8"}, aip, nil},
		{[]string{"text/html"}, aip, nil},
		{[]string{"application/json"}, aip, nil},
		{[]string{"Application/JSON; charset=utf-8"}, aip, nil},
		{[]string{"application/problem+json"}, problem, nil},
		{[]string{"application/a2a+json"}, a2a, nil},
		{[]string{"application/json, application/problem+json"}, aip, nil},
		{[]string{"application/problem+json, application/json"}, problem, nil},
		{[]string{"application/json", "application/problem+json;q=0.9"}, aip, nil},
		{[]string{"application/json;q=0.4", "application/problem+json;q=0.5"}, problem, nil},
		{[]string{"application/problem+json;q=0.5, */*"}, aip, nil},
		{[]string{"*/*, application/problem+json"}, problem, nil},
		{[]string{"application/json;q=0, application/problem+json"}, problem, nil},
		{[]string{"application/json;q=0, */*"}, problem, nil},
		{[]string{"application/problem+json;q=0, application/*"}, aip, nil},
		{[]string{`text/x;p="a, application/problem+json"`}, aip, nil},
		{[]string{`application/problem+json;q=nan`}, problem, nil},
		{[]string{"application/problem+json;q=7, application/a2a+json;q=1"}, problem, nil},
		{[]string{"application/a2a+json;q=0.5, application/json;q=0.4"}, a2a, nil},
		{[]string{";;, ,application/a2a+json"}, a2a, nil},
		{[]string{"application/json;q=0.1, */*"}, problem, nil},
		{[]string{"application/json;q=0, application/problem+json;q=0"}, aip, nil},
		{nil, problem, []errmaphttp.WriteOption{errmaphttp.WithProblems()}},
		{[]string{"*/*"}, problem, []errmaphttp.WriteOption{errmaphttp.WithProblems()}},
		{[]string{"application/json"}, aip, []errmaphttp.WriteOption{errmaphttp.WithProblems()}},
	} {
		t.Run(strings.Join(test.accept, "|"), func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header["Accept"] = test.accept
			w := httptest.NewRecorder()
			if err := errmaphttp.WriteError(w, r, errmap.NewCode(code.Code_NOT_FOUND, "gone"), test.opts...); err != nil {
				t.Fatal(err)
			}
			if got := w.Header().Get("Content-Type"); got != test.want {
				t.Errorf("Content-Type %q, want %q", got, test.want)
			}
			if w.Header().Get("Vary") != "Accept" || w.Code != http.StatusNotFound {
				t.Errorf("HTTP %d %v", w.Code, w.Header())
			}
		})
	}
}

func TestWriteError_bytes(t *testing.T) {
	t.Parallel()
	paid := &shopv1.PaymentRequiredError{Amount: 7, Due: &timestamppb.Timestamp{Seconds: 1}}
	for accept, want := range map[string]string{
		aip:     `{"error":{"code":402,"message":"7 is to be paid by 1970-01-01T00:00:01Z","status":"FAILED_PRECONDITION","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"PAYMENT_REQUIRED","domain":"shop.example.com","metadata":{"amount":"7","due":"1970-01-01T00:00:01Z"}}]}}`,
		problem: `{"type":"https://shop.example.com/problems/payment","title":"The cart is not paid for","status":402,"detail":"7 is to be paid by 1970-01-01T00:00:01Z","code":"FAILED_PRECONDITION","reason":"PAYMENT_REQUIRED","domain":"shop.example.com","metadata":{"amount":"7","due":"1970-01-01T00:00:01Z"},"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"PAYMENT_REQUIRED","domain":"shop.example.com","metadata":{"amount":"7","due":"1970-01-01T00:00:01Z"}}]}`,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Length", "9999")
		w.Header().Set("Etag", "7")
		if err := errmaphttp.WriteError(w, r, fmt.Errorf("checkout: %w", paid)); err != nil {
			t.Fatal(err)
		}
		if w.Code != http.StatusPaymentRequired || w.Body.String() != want {
			t.Errorf("HTTP %d\n got %s\nwant %s", w.Code, w.Body, want)
		}
		if h := w.Header(); h.Get("Content-Length") != fmt.Sprint(len(want)) || h.Get("Content-Encoding") != "" || h.Get("Etag") != "" {
			t.Errorf("header %v", h)
		}
	}
}

func TestField_050_retry_delay_in_both_places(t *testing.T) {
	t.Parallel()
	for delay, want := range map[time.Duration]string{
		1500 * time.Millisecond: "2", time.Second: "1", 0: "0", -time.Second: "0", time.Nanosecond: "1",
	} {
		w := httptest.NewRecorder()
		e := errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, "slow down").WithRetryDelay(delay)
		if err := errmaphttp.WriteError(w, httptest.NewRequest(http.MethodGet, "/", nil), e); err != nil {
			t.Fatal(err)
		}
		if got := w.Header().Get("Retry-After"); got != want || !strings.Contains(w.Body.String(), "google.rpc.RetryInfo") {
			t.Errorf("%v: Retry-After %q, want %q; body %s", delay, got, want, w.Body)
		}
	}
}

func TestWriteError_head(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	if err := errmaphttp.WriteError(w, httptest.NewRequest(http.MethodHead, "/", nil), errmap.NewCode(code.Code_NOT_FOUND, "gone")); err != nil {
		t.Fatal(err)
	}
	if w.Body.Len() != 0 || w.Header().Get("Content-Length") == "0" || w.Code != http.StatusNotFound {
		t.Errorf("HTTP %d, body %q, header %v", w.Code, w.Body, w.Header())
	}
}

func TestWriteError_nil(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	if err := errmaphttp.WriteError(w, httptest.NewRequest(http.MethodGet, "/", nil), nil); err != nil || w.Body.Len() != 0 {
		t.Errorf("wrote %q, %v", w.Body, err)
	}
}

func TestWrite_asks_not_whose(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	e := errmap.NewCode(code.Code_NOT_FOUND, "gone").WithRemote()
	if err := errmaphttp.Write(w, httptest.NewRequest(http.MethodGet, "/", nil), e); err != nil || w.Code != http.StatusNotFound {
		t.Errorf("HTTP %d, %v", w.Code, err)
	}
}

func TestHandle_hidesErrors(t *testing.T) {
	t.Parallel()
	cases := adaptertest.Hidden()
	answer := &http.Response{StatusCode: 403, Header: http.Header{"Content-Type": {aip}, "X-Host": {adaptertest.Secret}},
		Body: io.NopCloser(strings.NewReader(`{"error":{"code":403,"status":"PERMISSION_DENIED","message":"` + adaptertest.Secret + `"}}`))}
	maps.Copy(cases, map[string]func(context.Context) error{
		"upstream": adaptertest.Return(errmaphttp.ReadError(answer, errmaphttp.HTTPJSON)),
	})
	for name, fail := range cases {
		for accept := range map[string]bool{aip: true, problem: true} {
			t.Run(name+"/"+accept, func(t *testing.T) {
				t.Parallel()
				logged := new(adaptertest.Journal)
				handler := errmaphttp.Handle(func(_ http.ResponseWriter, r *http.Request) error { return fail(r.Context()) }, errmaphttp.WithGuard(logged.Guard()))
				if strings.HasPrefix(name, "panic") { // as a handler of another kind would
					handler = errmaphttp.Recover(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _ = fail(r.Context()) }), errmaphttp.WithGuard(logged.Guard()))
				}
				client, w := adaptertest.Serve(t, handler)
				client.Transport = errmaphttp.NewTransport(client.Transport, errmaphttp.HTTPJSON)
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://shop/", nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Accept", accept)
				_, err = client.Do(r)
				adaptertest.CheckHidden(t, name, err, w, logged)
			})
		}
	}
}

func TestHandle_typedErrors(t *testing.T) {
	t.Parallel()
	for accept := range map[string]bool{aip: true, a2a: true, problem: true} {
		handler := errmaphttp.Handle(func(http.ResponseWriter, *http.Request) error {
			return fmt.Errorf("save: %w", adaptertest.StockEmpty())
		})
		client, _ := adaptertest.Serve(t, handler)
		client.Transport = errmaphttp.NewTransport(client.Transport, errmaphttp.HTTPJSON)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://shop/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		_, err = client.Do(r)
		adaptertest.CheckStockEmpty(t, err)
		answer, ok := errors.AsType[*errmaphttp.ResponseError](err)
		if !ok || answer.StatusCode != 400 || answer.Header.Get("Content-Type") != accept || answer.Header.Get("Retry-After") != "2" {
			t.Errorf("%s: answer %+v", accept, answer)
		}
	}
}

func TestHandle_begunResponse(t *testing.T) {
	t.Parallel()
	begin := map[string]func(http.ResponseWriter){
		"write":      func(w http.ResponseWriter) { _, _ = io.WriteString(w, "half") },
		"header":     func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) },
		"flush":      func(w http.ResponseWriter) { w.(http.Flusher).Flush() },
		"controller": func(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() },
		"read from":  func(w http.ResponseWriter) { _, _ = io.Copy(w, strings.NewReader("half")) },
	}
	for name, begin := range begin {
		for _, end := range []string{"returns", "panics"} {
			t.Run(name+" and "+end, func(t *testing.T) {
				t.Parallel()
				logged := new(adaptertest.Journal)
				client, w := adaptertest.Serve(t, errmaphttp.Handle(func(w http.ResponseWriter, r *http.Request) error {
					begin(w)
					if err := errmaphttp.WriteError(w, r, errors.New(adaptertest.Secret), errmaphttp.WithGuard(logged.Guard())); !errors.Is(err, errmaphttp.ErrBegun) {
						t.Errorf("WriteError returned %v", err)
					}
					if end == "panics" {
						panic(adaptertest.Secret)
					}
					return errors.New(adaptertest.Secret)
				}, errmaphttp.WithGuard(logged.Guard())))
				resp, err := client.Get("http://shop/")
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					_ = resp.Body.Close()
				}
				if err == nil {
					t.Error("the client took the part for the whole")
				}
				if logged.Len() != 2 {
					t.Errorf("%d log entries, want 2", logged.Len())
				}
				adaptertest.CheckUntold(t, w)
			})
		}
	}
}

func TestHandle_informationalResponse(t *testing.T) {
	t.Parallel()
	client, _ := adaptertest.Serve(t, errmaphttp.Handle(func(w http.ResponseWriter, r *http.Request) error {
		w.WriteHeader(http.StatusEarlyHints)
		return errmap.NewCode(code.Code_NOT_FOUND, "gone")
	}))
	resp, err := client.Get("http://shop/")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("HTTP %d", resp.StatusCode)
	}
}

func TestRecover_abortHandler(t *testing.T) {
	t.Parallel()
	logged := new(adaptertest.Journal)
	handler := errmaphttp.Recover(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), errmaphttp.WithGuard(logged.Guard()))
	client, _ := adaptertest.Serve(t, handler)
	if _, err := client.Get("http://shop/"); err == nil || logged.Len() != 0 {
		t.Errorf("got %v and %d log entries, want an aborted response", err, logged.Len())
	}
}

func TestHandle_contextOfTheRequest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	w := httptest.NewRecorder()
	errmaphttp.Handle(func(_ http.ResponseWriter, r *http.Request) error { return r.Context().Err() }).
		ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx))
	if w.Code != http.StatusGatewayTimeout {
		t.Errorf("HTTP %d", w.Code)
	}
}

func TestHandle_debugInfo(t *testing.T) {
	t.Parallel()
	e := errmap.NewCode(code.Code_ABORTED, "x").WithDetail(&errdetails.DebugInfo{Detail: adaptertest.Secret})
	for _, test := range []struct {
		guard *errmap.Guard
		want  bool
	}{{nil, false}, {errmap.NewGuard(errmap.WithDebugInfo()), true}} {
		w := httptest.NewRecorder()
		errmaphttp.Handle(func(http.ResponseWriter, *http.Request) error { return e }, errmaphttp.WithGuard(test.guard)).
			ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if got := strings.Contains(w.Body.String(), adaptertest.Secret); got != test.want {
			t.Errorf("DebugInfo in the body: %v", got)
		}
	}
}

// The log names the pattern of a handler that has one: its paths hold what
// callers wrote.
func TestHandle_namesThePattern(t *testing.T) {
	t.Parallel()
	var got []string
	guard := errmap.NewGuard(errmap.WithLog(func(_ context.Context, r errmap.Report) { got = append(got, r.Procedure) }))
	h := errmaphttp.Handle(func(http.ResponseWriter, *http.Request) error { return errors.New("boom") }, errmaphttp.WithGuard(guard))
	mux := http.NewServeMux()
	mux.Handle("GET /carts/{id}", h)
	for _, h := range []http.Handler{mux, h} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/carts/7", nil))
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/"+strings.Repeat("a", 4096), nil))
	want := []string{"GET /carts/{id}", "GET /carts/7", "GET /" + strings.Repeat("a", 255)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
