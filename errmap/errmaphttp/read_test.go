package errmaphttp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	"github.com/errmap/errmap/internal/adaptertest"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// answer makes a response of a status, header lines and a body.
func answer(status int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Add(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// told is what a test looks at in an error.
type told struct {
	Code    code.Code
	Message string
	Local   bool
}

func read(t *testing.T, resp *http.Response, p errmaphttp.Protocol, opts ...errmaphttp.ReadOption) (*errmap.Error, told) {
	t.Helper()
	e, ok := errors.AsType[*errmap.Error](errmaphttp.ReadError(resp, p, opts...))
	if !ok {
		t.Fatal("no error")
	}
	if e.Local() == e.Remote() {
		t.Errorf("local %v, remote %v", e.Local(), e.Remote())
	}
	return e, told{e.Code(), e.Message(), e.Local()}
}

func TestReadError(t *testing.T) {
	t.Parallel()
	const json, html = "application/json", "text/html; charset=utf-8"
	for name, test := range map[string]struct {
		resp     *http.Response
		protocol errmaphttp.Protocol
		want     told
	}{
		"AIP-193":                {answer(404, `{"error":{"code":404,"status":"NOT_FOUND","message":"gone"}}`, "Content-Type", json), errmaphttp.HTTPJSON, told{code.Code_NOT_FOUND, "gone", false}},
		"AIP-193 on Connect":     {answer(400, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"bad qty"}}`, "Content-Type", json), errmaphttp.Connect, told{code.Code_INVALID_ARGUMENT, "bad qty", false}},
		"in an array":            {answer(403, `[{"error":{"code":403,"status":"PERMISSION_DENIED","message":"no"}}]`, "Content-Type", json), errmaphttp.HTTPJSON, told{code.Code_PERMISSION_DENIED, "no", false}},
		"without its wrapper":    {answer(404, `{"code":404,"status":"NOT_FOUND","message":"gone"}`, "Content-Type", json), errmaphttp.HTTPJSON, told{code.Code_NOT_FOUND, "gone", false}},
		"numeric string":         {answer(409, `{"error":{"code":"409","message":"m"}}`, "Content-Type", json), errmaphttp.HTTPJSON, told{code.Code_ABORTED, "m", false}},
		"text as the error":      {answer(500, `{"error":"boom"}`, "Content-Type", json), errmaphttp.HTTPJSON, told{code.Code_INTERNAL, "boom", false}},
		"Connect":                {answer(404, `{"code":"not_found","message":"gone"}`, "Content-Type", json), errmaphttp.Connect, told{code.Code_NOT_FOUND, "gone", false}},
		"Connect on HTTP+JSON":   {answer(404, `{"code":"not_found","message":"gone"}`, "Content-Type", json), errmaphttp.HTTPJSON, told{code.Code_NOT_FOUND, "gone", false}},
		"unknown code":           {answer(404, `{"code":"no_cart","message":"gone"}`, "Content-Type", json), errmaphttp.Connect, told{code.Code_UNIMPLEMENTED, "gone", false}},
		"a private code":         {answer(500, `{"code":"code_42","message":"gone"}`, "Content-Type", json), errmaphttp.HTTPJSON, told{code.Code_UNKNOWN, "gone", false}},
		"problem":                {answer(404, `{"type":"about:blank","title":"Not Found","detail":"gone"}`, "Content-Type", problem), errmaphttp.HTTPJSON, told{code.Code_NOT_FOUND, "gone", false}},
		"problem on Connect":     {answer(404, `{"code":"ABORTED","detail":"gone"}`, "Content-Type", problem), errmaphttp.Connect, told{code.Code_ABORTED, "gone", false}},
		"no content type":        {answer(404, ` {"error":{"status":"NOT_FOUND","message":"gone"}}`), errmaphttp.HTTPJSON, told{code.Code_NOT_FOUND, "gone", false}},
		"empty on Connect":       {answer(499, ``), errmaphttp.Connect, told{code.Code_UNKNOWN, "HTTP status 499", true}},
		"empty on HTTP+JSON":     {answer(499, ``), errmaphttp.HTTPJSON, told{code.Code_CANCELLED, "HTTP status 499", true}},
		"HTML":                   {answer(502, `<html><h1>bad gateway</h1>upstream 10.0.0.7</html>`, "Content-Type", html), errmaphttp.HTTPJSON, told{code.Code_UNAVAILABLE, "HTTP status 502 Bad Gateway", true}},
		"HTML on Connect":        {answer(502, `<html><h1>bad gateway</h1>upstream 10.0.0.7</html>`, "Content-Type", html), errmaphttp.Connect, told{code.Code_UNAVAILABLE, "HTTP status 502 Bad Gateway", true}},
		"HTML said to be JSON":   {answer(503, `<html>`, "Content-Type", json), errmaphttp.HTTPJSON, told{code.Code_UNAVAILABLE, "HTTP status 503 Service Unavailable", true}},
		"JSON that is no object": {answer(403, `"no"`, "Content-Type", json), errmaphttp.HTTPJSON, told{code.Code_PERMISSION_DENIED, "HTTP status 403 Forbidden", true}},
		"an array of none":       {answer(403, `[]`, "Content-Type", json), errmaphttp.Connect, told{code.Code_PERMISSION_DENIED, "HTTP status 403 Forbidden", true}},
		"broken JSON":            {answer(403, `{"error":{"code":403`, "Content-Type", json), errmaphttp.HTTPJSON, told{code.Code_UNAVAILABLE, "the call broke off", true}},
		"not modified":           {answer(304, ``), errmaphttp.HTTPJSON, told{code.Code_UNKNOWN, "HTTP status 304 Not Modified", true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, got := read(t, test.resp, test.protocol)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			cause, ok := errors.AsType[*errmaphttp.ResponseError](e)
			if !ok || cause.StatusCode != test.resp.StatusCode {
				t.Errorf("cause %v", cause)
			}
			if name == "a private code" && e.Number() != 42 {
				t.Errorf("number %d", e.Number())
			}
		})
	}
}

func TestReadError_success(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 201, 204, 299} {
		resp := answer(status, "left")
		if err := errmaphttp.ReadError(resp, errmaphttp.HTTPJSON); err != nil {
			t.Errorf("HTTP %d: %v", status, err)
		}
		if b, _ := io.ReadAll(resp.Body); string(b) != "left" {
			t.Error("the body was read")
		}
	}
}

func TestField_037_page_of_a_proxy(t *testing.T) {
	t.Parallel()
	page := `<html><h1>bad gateway</h1>upstream 10.0.0.7</html>`
	e, got := read(t, answer(502, page, "Content-Type", "text/html"), errmaphttp.Connect)
	if strings.Contains(got.Message, "10.0.0.7") || got.Code != code.Code_UNAVAILABLE {
		t.Errorf("got %+v", got)
	}
	if len(e.Notes()) == 0 || !strings.Contains(strings.Join(e.Notes(), "\n"), "<html>") {
		t.Errorf("the first bytes are in no note: %q", e.Notes())
	}
	if _, body := errmap.EncodeHTTP(e); strings.Contains(string(body), "10.0.0.7") {
		t.Errorf("the page goes on: %s", body)
	}
}

func TestField_038_codes_of_bare_HTTP_statuses(t *testing.T) {
	t.Parallel()
	connect := map[int]code.Code{
		400: code.Code_INTERNAL, 401: code.Code_UNAUTHENTICATED, 403: code.Code_PERMISSION_DENIED, 404: code.Code_UNIMPLEMENTED,
		429: code.Code_UNAVAILABLE, 502: code.Code_UNAVAILABLE, 503: code.Code_UNAVAILABLE, 504: code.Code_UNAVAILABLE,
	}
	for _, status := range []int{400, 401, 403, 404, 408, 409, 412, 413, 415, 429, 431, 499, 500, 502, 503, 504, 505} {
		want, ok := connect[status]
		if !ok {
			want = code.Code_UNKNOWN
		}
		if e, _ := read(t, answer(status, ""), errmaphttp.Connect); e.Code() != want || e.HTTPStatus() != status {
			t.Errorf("HTTP %d: %v with status %d, want %v", status, e.Code(), e.HTTPStatus(), want)
		}
	}
}

func TestField_042_status_and_delay_survive(t *testing.T) {
	t.Parallel()
	for protocol, want := range map[errmaphttp.Protocol]code.Code{
		errmaphttp.Connect: code.Code_UNAVAILABLE, errmaphttp.HTTPJSON: code.Code_RESOURCE_EXHAUSTED,
	} {
		e, got := read(t, answer(429, "slow down", "Retry-After", "7", "Content-Type", "text/plain"), protocol)
		if got.Code != want || e.HTTPStatus() != 429 || !got.Local {
			t.Errorf("got %+v with HTTP status %d", got, e.HTTPStatus())
		}
		if delay, ok := e.RetryDelay(); !ok || delay != 7*time.Second {
			t.Errorf("delay %v, %v", delay, ok)
		}
	}
}

func TestField_043_AIP_body_on_a_Connect_call(t *testing.T) {
	t.Parallel()
	body := `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"bad qty"}}`
	e, got := read(t, answer(400, body, "Content-Type", "application/json"), errmaphttp.Connect)
	if diff := cmp.Diff(told{code.Code_INVALID_ARGUMENT, "bad qty", false}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	cause, _ := errors.AsType[*errmaphttp.ResponseError](e)
	if string(cause.Body) != body {
		t.Errorf("body %q", cause.Body)
	}
}

func TestField_044_JSON_of_an_intermediary(t *testing.T) {
	t.Parallel()
	for _, protocol := range []errmaphttp.Protocol{errmaphttp.Connect, errmaphttp.HTTPJSON} {
		_, got := read(t, answer(403, `{"message":"Forbidden"}`, "Content-Type", "application/json"), protocol)
		if diff := cmp.Diff(told{code.Code_PERMISSION_DENIED, "Forbidden", true}, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestField_048_compressed_nothing(t *testing.T) {
	t.Parallel()
	gone := `{"error":{"code":404,"status":"NOT_FOUND","message":"gone"}}`
	for name, test := range map[string]struct {
		body string
		want told
	}{
		"empty":        {"", told{code.Code_UNAVAILABLE, "HTTP status 503 Service Unavailable", true}},
		"compressed":   {zipped(t, gone), told{code.Code_NOT_FOUND, "gone", false}},
		"mislabelled":  {gone, told{code.Code_NOT_FOUND, "gone", false}},
		"cut off":      {zipped(t, gone)[:20], told{code.Code_UNAVAILABLE, "the call broke off", true}},
		"no real gzip": {"\x1f\x8b", told{code.Code_UNAVAILABLE, "the call broke off", true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, protocol := range []errmaphttp.Protocol{errmaphttp.Connect, errmaphttp.HTTPJSON} {
				_, got := read(t, answer(503, test.body, "Content-Encoding", "gzip", "Content-Type", "application/json"), protocol)
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			}
		})
	}
}

func TestField_048_compressed_nothing_through_net_http(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	client, _ := adaptertest.Serve(t, handler)
	client.Transport.(*http.Transport).DisableCompression = false
	resp, err := client.Get("http://shop/")
	if err != nil {
		t.Fatal(err)
	}
	if _, got := read(t, resp, errmaphttp.Connect); got.Code != code.Code_UNAVAILABLE {
		t.Errorf("got %+v", got)
	}
}

func TestField_050_both_forms_of_Retry_After(t *testing.T) {
	t.Parallel()
	soon := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, soon: time.Hour, "Wed, 21 Oct 2015 07:28:00 GMT": 0,
	} {
		e, _ := read(t, answer(429, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m"}}`, "Retry-After", value), errmaphttp.HTTPJSON)
		if delay, ok := e.RetryDelay(); !ok || delay > want || want-delay > 10*time.Second {
			t.Errorf("%s: delay %v, %v, want %v", value, delay, ok, want)
		}
	}
	detailed := `{"error":{"code":429,"message":"m","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"}]}}`
	e, _ := read(t, answer(429, detailed, "Retry-After", "7"), errmaphttp.HTTPJSON)
	if delay, _ := e.RetryDelay(); delay != 1500*time.Millisecond {
		t.Errorf("RetryInfo does not win: %v", delay)
	}
}

func TestField_054_success_that_looks_like_an_error(t *testing.T) {
	t.Parallel()
	resp := answer(200, `{"code":"not_found","message":"x"}`, "Content-Type", "application/json")
	for _, protocol := range []errmaphttp.Protocol{errmaphttp.Connect, errmaphttp.HTTPJSON} {
		if err := errmaphttp.ReadError(resp, protocol); err != nil {
			t.Errorf("got %v", err)
		}
	}
}

func TestReadError_body_breaks_off(t *testing.T) {
	t.Parallel()
	resp := answer(503, "")
	resp.Body = io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))
	e, got := read(t, resp, errmaphttp.HTTPJSON)
	if got.Code != code.Code_UNAVAILABLE || !got.Local || !errors.Is(e, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", e)
	}
	if e, _ := read(t, &http.Response{StatusCode: 503}, errmaphttp.HTTPJSON); e.Code() != code.Code_UNAVAILABLE {
		t.Errorf("without a body: %v", e)
	}
}

func TestField_109_404_of_a_router(t *testing.T) {
	t.Parallel()
	for body, kind := range map[string]string{
		"404 page not found": "text/html",
		`{"error":{"code":404,"status":"NOT_FOUND","message":"no such route"}}`: "application/json",
	} {
		e, got := read(t, answer(404, body, "Content-Type", kind), errmaphttp.HTTPJSON)
		if got.Code != code.Code_NOT_FOUND || e.Reason() != "" {
			t.Errorf("got %v", e)
		}
	}
}

func TestField_065_problem_of_an_A2A_peer(t *testing.T) {
	t.Parallel()
	body := `{"type":"https://a2a-protocol.org/errors/version-not-supported","title":"Version not supported","status":400,"detail":"0.1 unsupported"}`
	e, got := read(t, answer(400, body, "Content-Type", problem), errmaphttp.HTTPJSON, errmaphttp.WithDecodeOptions(errmap.WithCatalog(a2aCatalog(t))))
	if got.Message != "0.1 unsupported" || e.Reason() != "VERSION_NOT_SUPPORTED" {
		t.Errorf("got %v", e)
	}
}

func TestTransport_failures(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for name, test := range map[string]struct {
		ctx  context.Context
		err  error
		want code.Code
		is   error
	}{
		"refused":  {t.Context(), refused, code.Code_UNAVAILABLE, refused},
		"canceled": {canceled, context.Canceled, code.Code_CANCELLED, context.Canceled},
		"expired":  {expired, context.DeadlineExceeded, code.Code_DEADLINE_EXCEEDED, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := roundTrip(func(*http.Request) (*http.Response, error) { return nil, test.err })
			client := &http.Client{Transport: errmaphttp.NewTransport(base, errmaphttp.HTTPJSON)}
			r, err := http.NewRequestWithContext(test.ctx, http.MethodGet, "http://shop/", nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Do(r)
			e, ok := errors.AsType[*errmap.Error](err)
			if !ok || e.Code() != test.want || !e.Local() || !errors.Is(err, test.is) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTransport_redirects(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/old", http.RedirectHandler("/new", http.StatusFound))
	mux.HandleFunc("/new", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") })
	client, _ := adaptertest.Serve(t, mux)
	client.Transport = errmaphttp.NewTransport(client.Transport, errmaphttp.HTTPJSON)
	resp, err := client.Get("http://shop/old")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, _ := io.ReadAll(resp.Body); string(b) != "here" {
		t.Errorf("got %q", b)
	}
	client.CloseIdleConnections()
}

func TestTransport_defaultBase(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(errmaphttp.Handle(func(http.ResponseWriter, *http.Request) error { return adaptertest.StockEmpty() }))
	defer server.Close()
	_, err := (&http.Client{Transport: errmaphttp.NewTransport(nil, errmaphttp.HTTPJSON)}).Get(server.URL)
	adaptertest.CheckStockEmpty(t, err)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func a2aCatalog(t *testing.T) *errmap.Catalog {
	t.Helper()
	_ = a2av1.File_errmap_a2a_v1_errors_proto // links the errors
	return errmap.Linked()
}
