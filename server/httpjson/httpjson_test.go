package httpjson_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server/httpjson"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/protobuf/encoding/protojson"

	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
)

type library struct {
	libraryv1connect.UnimplementedLibraryHandler
}

func (library) GetBook(ctx context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	switch {
	case strings.HasSuffix(r.GetName(), "/lost"):
		return nil, errmap.New(&libraryv1.BookNotFoundError{Name: r.GetName()}).WithRetryDelay(1500 * time.Millisecond)
	case strings.HasSuffix(r.GetName(), "/dial"):
		return nil, errors.New("dial tcp 10.0.0.7:5432: user=app")
	case strings.HasSuffix(r.GetName(), "/panic"):
		panic("dial tcp 10.0.0.7:5432: user=app")
	}
	if info, ok := connect.CallInfoForServerContext(ctx); ok {
		info.ResponseHeader().Set("X-Shelf", info.RequestHeader().Get("X-Reader"))
		info.ResponseTrailer().Set("X-Cost", "3")
	}
	return &libraryv1.Book{Name: r.GetName(), Pages: 9007199254740993}, nil
}

func (library) CreateBook(_ context.Context, r *libraryv1.CreateBookRequest) (*libraryv1.Book, error) {
	return &libraryv1.Book{Name: echo(r)}, nil
}

func (library) MoveBook(_ context.Context, r *libraryv1.MoveBookRequest) (*libraryv1.Book, error) {
	return &libraryv1.Book{Name: echo(r)}, nil
}

func (library) UpdateBook(_ context.Context, r *libraryv1.UpdateBookRequest) (*libraryv1.Book, error) {
	return &libraryv1.Book{Name: echo(r)}, nil
}

func (library) ListBooks(_ context.Context, r *libraryv1.ListBooksRequest) (*libraryv1.ListBooksResponse, error) {
	if r.GetPageSize() == 0 && r.GetOrder() == 0 && r.GetFilter() == nil {
		return &libraryv1.ListBooksResponse{}, nil
	}
	return &libraryv1.ListBooksResponse{Books: []*libraryv1.Book{{Title: echo(r)}}}, nil
}

func (library) WatchBooks(ctx context.Context, r *libraryv1.ListBooksRequest, stream libraryv1connect.LibraryWatchBooksServerStream) error {
	if r.GetPageSize() < 0 {
		return &libraryv1.BookNotFoundError{Name: r.GetParent()}
	}
	for i := range r.GetPageSize() {
		if err := stream.Send(&libraryv1.Book{Pages: int64(i)}); err != nil {
			return err
		}
	}
	if r.GetFilter().GetAuthor() == "wait" {
		<-ctx.Done()
		return ctx.Err()
	}
	if r.GetOrder() == libraryv1.Order_ORDER_TITLE {
		return &libraryv1.BookNotFoundError{Name: r.GetParent()}
	}
	return nil
}

func (library) Cover(context.Context, *libraryv1.GetBookRequest) (*httpbody.HttpBody, error) {
	return &httpbody.HttpBody{ContentType: "image/png", Data: []byte("\x89PNG")}, nil
}

func (library) Ping(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	return &libraryv1.Book{Name: echo(r)}, nil
}

type textual interface{ String() string }

func echo(m textual) string { return strings.ReplaceAll(m.String(), "  ", " ") }

func start(t *testing.T, opts ...httpjson.Option) string {
	t.Helper()
	rpc := errmapconnect.NewServer()
	libraryv1connect.RegisterLibraryHandler(rpc, library{})
	mux := http.NewServeMux()
	if err := httpjson.Mount(mux, rpc, opts...); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func do(t *testing.T, method, url, body string, header map[string]string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range header {
		r.Header.Set(key, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

// book is the JSON of a book whose name holds what the handler was asked.
func book(request string) string {
	b, _ := protojson.Marshal(&libraryv1.Book{Name: request})
	return strings.ReplaceAll(string(b), `": "`, `":"`)
}

// Each row is bytes in and bytes out, after google/api/http.proto.
func TestHandler_bindings(t *testing.T) {
	t.Parallel()
	url := start(t)
	const lost = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BOOK_NOT_FOUND","domain":"library.example.com","metadata":{"name":"shelves/1/books/lost"}}`
	for _, row := range []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
		out                      string
		content                  string
	}{
		{name: "a variable of several segments", method: "GET", path: "/v1/shelves/1/books/2", status: 200, out: `{"name":"shelves/1/books/2","pages":"9007199254740993"}`},
		{name: "an additional binding", method: "GET", path: "/v1/books/7", status: 200, out: `{"name":"7","pages":"9007199254740993"}`},
		{name: "an escaped segment", method: "GET", path: "/v1/books/a%20b", status: 200, out: `{"name":"a b","pages":"9007199254740993"}`},
		{name: "a field as the body", method: "POST", path: "/v1/shelves/1/books?validate_only=true", body: `{"title":"T"}`, status: 200, out: book(`parent:"shelves/1" book:{title:"T"} validate_only:true`)},
		{name: "the JSON name of a query parameter", method: "POST", path: "/v1/shelves/1/books?validateOnly=true", body: `{}`, status: 200, out: book(`parent:"shelves/1" book:{} validate_only:true`)},
		{name: "a verb and a whole body", method: "POST", path: "/v1/shelves/1/books/2:move?to=ignored", body: `{"to":"shelves/3"}`, status: 200, out: book(`name:"shelves/1/books/2" to:"shelves/3"`)},
		{name: "the path beats the body", method: "POST", path: "/v1/shelves/1/books/2:move", body: `{"name":"other","unknown":1}`, status: 200, out: book(`name:"shelves/1/books/2"`)},
		{name: "no body", method: "POST", path: "/v1/shelves/1/books/2:move", status: 200, out: book(`name:"shelves/1/books/2"`)},
		{name: "a nested variable", method: "PATCH", path: "/v1/shelves/1/books/2?update_mask=title,pages", body: `{"title":"T"}`, status: 200, out: book(`book:{name:"shelves/1/books/2" title:"T"} update_mask:{paths:"title" paths:"pages"}`)},
		{name: "query parameters of every kind", method: "GET", path: "/v1/shelves/1/books?page_size=5&tags=a&tags=b&filter.author=A&after=9007199254740993&order=ORDER_TITLE&unknown=1", status: 200, out: `[{"name":"","title":"parent:\"shelves/1\" page_size:5 tags:\"a\" tags:\"b\" filter:{author:\"A\"} after:{value:9007199254740993} order:ORDER_TITLE","pages":"0"}]`},
		{name: "response_body that is empty", method: "GET", path: "/v1/shelves/1/books", status: 200, out: `[]`},
		{name: "HttpBody", method: "GET", path: "/v1/shelves/1/books/2:cover", status: 200, out: "\x89PNG", content: "image/png"},
		{name: "a custom method", method: "PING", path: "/v1/ping?name=n", status: 200, out: book(`name:"n"`)},

		{name: "a typed error", method: "GET", path: "/v1/shelves/1/books/lost", status: 410, out: `{"error":{"code":410,"message":"No book shelves/1/books/lost","status":"NOT_FOUND","details":[` + lost + `,{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}]}}`},
		{name: "as a2a", method: "GET", path: "/v1/ping", header: map[string]string{"Accept": "application/a2a+json"}, status: 405, out: `{"error":{"code":405,"message":"the route has another method: want PING","status":"FAILED_PRECONDITION"}}`, content: "application/a2a+json"},
		{name: "an unknown route", method: "GET", path: "/v2/nothing", status: 404, out: `{"error":{"code":404,"message":"there is no such route","status":"NOT_FOUND"}}`},
		{name: "as a problem", method: "GET", path: "/v2/nothing", header: map[string]string{"Accept": "application/problem+json"}, status: 404, out: `{"type":"about:blank","title":"Not Found","status":404,"detail":"there is no such route","code":"NOT_FOUND"}`, content: "application/problem+json"},
		{name: "another content type", method: "POST", path: "/v1/shelves/1/books", body: "title: T", header: map[string]string{"Content-Type": "text/yaml"}, status: 415, out: `{"error":{"code":415,"message":"the content type must be application/json","status":"FAILED_PRECONDITION"}}`},
		{name: "another content encoding", method: "POST", path: "/v1/shelves/1/books", body: "{}", header: map[string]string{"Content-Encoding": "br"}, status: 415, out: `{"error":{"code":415,"message":"the content encoding must be gzip or identity","status":"FAILED_PRECONDITION"}}`},
		{name: "broken JSON (field report 51)", method: "POST", path: "/v1/shelves/1/books/2:move", body: `{"qty":`, status: 400, out: `{"error":{"code":400,"message":"the body is not the JSON of library.v1.MoveBookRequest: unexpected EOF","status":"INVALID_ARGUMENT"}}`},
		{name: "a field of another type", method: "POST", path: "/v1/shelves/1/books/2:move", body: "{\n \"to\": 7}", status: 400, out: `{"error":{"code":400,"message":"the body is not the JSON of library.v1.MoveBookRequest: (line 2:8): invalid value for string field to","status":"INVALID_ARGUMENT"}}`},
		{name: "a field of another type in a body field", method: "POST", path: "/v1/shelves/1/books", body: `{"pages":"many"}`, status: 400, out: `{"error":{"code":400,"message":"the body is not the JSON of library.v1.CreateBookRequest: (line 1:10): invalid value for int64 field pages","status":"INVALID_ARGUMENT"}}`},
		{name: "a field of another type on a later line", method: "POST", path: "/v1/shelves/1/books", body: "\n{\"pages\":\"many\"}", status: 400, out: `{"error":{"code":400,"message":"the body is not the JSON of library.v1.CreateBookRequest: (line 2:10): invalid value for int64 field pages","status":"INVALID_ARGUMENT"}}`},
		{name: "broken JSON on a later line", method: "POST", path: "/v1/shelves/1/books", body: "{\n\"pages\":}", status: 400, out: `{"error":{"code":400,"message":"the body is not JSON: (line 2:9): invalid character '}' looking for beginning of value","status":"INVALID_ARGUMENT"}}`},
		{name: "JSON that ends", method: "POST", path: "/v1/shelves/1/books", body: `{"pages":`, status: 400, out: `{"error":{"code":400,"message":"the body is not JSON: (line 1:9): unexpected end of JSON input","status":"INVALID_ARGUMENT"}}`},
		{name: "the first of wrong query parameters", method: "GET", path: "/v1/shelves/1/books?page_size=many&after=x", status: 400, out: `{"error":{"code":400,"message":"the query parameter \"after\" does not fit its field","status":"INVALID_ARGUMENT"}}`},
		{name: "one of several methods", method: "PUT", path: "/v1/shelves/1/books", status: 405, out: `{"error":{"code":405,"message":"the route has another method: want GET or POST","status":"FAILED_PRECONDITION"}}`},
		{name: "two values as a body field", method: "POST", path: "/v1/shelves/1/books", body: `{},"parent":"x"`, status: 400, out: `{"error":{"code":400,"message":"the body is not JSON: (line 1:3): invalid character ',' after top-level value","status":"INVALID_ARGUMENT"}}`},
		{name: "a query parameter of another type", method: "GET", path: "/v1/shelves/1/books?page_size=many", status: 400, out: `{"error":{"code":400,"message":"the query parameter \"page_size\" does not fit its field","status":"INVALID_ARGUMENT"}}`},
		{name: "a malformed escape", method: "GET", path: "/v1/books/%FF%2", status: 400},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if strings.HasSuffix(row.path, "%2") {
				t.Skip("net/http refuses it before any handler sees it")
			}
			if row.body != "" && row.header["Content-Type"] == "" {
				header := map[string]string{"Content-Type": "application/json"}
				for key, value := range row.header {
					header[key] = value
				}
				row.header = header
			}
			resp, got := do(t, row.method, url+row.path, row.body, row.header)
			if resp.StatusCode != row.status {
				t.Errorf("status %d, want %d", resp.StatusCode, row.status)
			}
			if diff := cmp.Diff(row.out, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			content := row.content
			if content == "" {
				content = "application/json"
			}
			if resp.Header.Get("Content-Type") != content {
				t.Errorf("content type %q, want %q", resp.Header.Get("Content-Type"), content)
			}
			if row.name == "a typed error" && resp.Header.Get("Retry-After") != "2" {
				t.Errorf("Retry-After %q", resp.Header.Get("Retry-After"))
			}
			_, allowed, _ := strings.Cut(row.out, "another method: want ")
			allowed, _, _ = strings.Cut(allowed, `"`)
			if want := strings.ReplaceAll(allowed, " or ", ", "); resp.Header.Get("Allow") != want {
				t.Errorf("Allow %q, want %q", resp.Header.Get("Allow"), want)
			}
		})
	}
}

func TestHandler_headers(t *testing.T) {
	t.Parallel()
	resp, _ := do(t, "GET", start(t)+"/v1/books/1", "", map[string]string{"X-Reader": "r7"})
	if resp.Header.Get("X-Shelf") != "r7" || resp.Header.Get("Trailer-X-Cost") != "3" {
		t.Errorf("headers %v", resp.Header)
	}
}

// A stream is one event a message; an error in it is an event named error, whose
// data is the AIP-193 body, and the last.
func TestHandler_streams(t *testing.T) {
	t.Parallel()
	url := start(t)
	const missing = `{"error":{"code":410,"message":"No book shelves/1","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BOOK_NOT_FOUND","domain":"library.example.com","metadata":{"name":"shelves/1"}}]}}`
	for _, row := range []struct {
		name, query, accept string
		status              int
		content, out        string
	}{
		{"clean", "?page_size=2", "", 200, "text/event-stream", "data: {}\n\ndata: {\"pages\":\"1\"}\n\n"},
		{"empty", "", "", 200, "text/event-stream", ""},
		{"error in the middle", "?page_size=1&order=1", "", 200, "text/event-stream", "data: {}\n\nevent: error\ndata: " + missing + "\n\n"},
		{"error before the first message", "?page_size=-1", "text/event-stream", 410, "application/json", missing},
		{"Accept that excludes events", "?page_size=1", "application/json", 400, "application/json", `{"error":{"code":400,"message":"the method answers with text/event-stream, which Accept excludes","status":"INVALID_ARGUMENT"}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			header := map[string]string{}
			if row.accept != "" {
				header["Accept"] = row.accept
			}
			resp, got := do(t, "GET", url+"/v1/shelves/1/books:watch"+row.query, "", header)
			if resp.StatusCode != row.status || resp.Header.Get("Content-Type") != row.content {
				t.Errorf("status %d, content type %q", resp.StatusCode, resp.Header.Get("Content-Type"))
			}
			if diff := cmp.Diff(row.out, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestHandler_keep_alive(t *testing.T) {
	t.Parallel()
	url := start(t, httpjson.WithKeepAlive(5*time.Millisecond))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/shelves/1/books:watch?page_size=1&filter.author=wait", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	want := "data: {}\n\n: keep-alive\n\n: keep-alive\n\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}

// Nothing of an error that is not for the caller leaves.
func TestHandler_hidden_errors(t *testing.T) {
	t.Parallel()
	reports := make(chan errmap.Report, 2)
	rpc := connect.NewServer() // without an interceptor: the mount guards itself
	libraryv1connect.RegisterLibraryHandler(rpc, library{})
	h, err := httpjson.NewHandler(rpc, httpjson.WithGuard(errmap.NewGuard(errmap.WithLog(func(_ context.Context, r errmap.Report) { reports <- r }))))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/shelves/1/books/dial", "/v1/shelves/1/books/panic"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		report := <-reports
		if !strings.Contains(report.Err.Error(), "dial tcp 10.0.0.7") || !strings.Contains(w.Body.String(), report.ID) || report.Procedure != "/library.v1.Library/GetBook" {
			t.Errorf("report %v, answer %s", report, w.Body)
		}
		if w.Code != 500 || strings.Contains(w.Body.String(), "10.0.0.7") || !strings.Contains(w.Body.String(), `"message":"internal error"`) {
			t.Errorf("answer %d %s", w.Code, w.Body)
		}
	}
}

// The largest limit of all is none, and not one of no bytes.
func TestHandler_noBodyLimit(t *testing.T) {
	t.Parallel()
	url := start(t, httpjson.WithMaxRequestBytes(math.MaxInt64))
	_, got := do(t, "POST", url+"/v1/shelves/1/books/2:move", `{"to":"shelves/3"}`, map[string]string{"Content-Type": "application/json"})
	if !strings.Contains(got, "shelves/3") {
		t.Errorf("got %s", got)
	}
}

func TestHandler_body_limits(t *testing.T) {
	t.Parallel()
	url := start(t, httpjson.WithMaxRequestBytes(64))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(`{"to":"shelves/3"}`))
	_ = z.Close()
	var bomb bytes.Buffer
	z = gzip.NewWriter(&bomb)
	_, _ = z.Write(bytes.Repeat([]byte(" "), 100_000))
	_ = z.Close()
	for name, row := range map[string]struct {
		body     string
		encoding string
		status   int
	}{
		"too large":    {strings.Repeat(" ", 65), "", 413},
		"gzip":         {zipped.String(), "gzip", 200},
		"a gzip bomb":  {bomb.String(), "gzip", 413},
		"not gzip":     {"{}", "gzip", 400},
		"cut off gzip": {zipped.String()[:zipped.Len()-6], "gzip", 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := map[string]string{"Content-Type": "application/json"}
			if row.encoding != "" {
				header["Content-Encoding"] = row.encoding
			}
			resp, got := do(t, "POST", url+"/v1/shelves/1/books/2:move", row.body, header)
			if resp.StatusCode != row.status {
				t.Errorf("status %d, want %d: %s", resp.StatusCode, row.status, got)
			}
		})
	}
}

// A pattern that the router refuses is an error, as every other mistake of a
// program's set-up is.
func TestMount_refused(t *testing.T) {
	t.Parallel()
	rpc := errmapconnect.NewServer()
	mux := http.NewServeMux()
	if err := httpjson.Mount(mux, rpc); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		opts []httpjson.Option
		want string
	}{
		{nil, `httpjson: nothing can be registered under the pattern "/": pattern "/"`},
		{[]httpjson.Option{httpjson.WithPattern("/{")}, `httpjson: nothing can be registered under the pattern "/{": parsing "/{"`},
	} {
		if err := httpjson.Mount(mux, rpc, row.opts...); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("got %v, want %s", err, row.want)
		}
	}
}

// A unary method that gives no answer, or two, is a mistake that its caller learns
// nothing of but the id of its log entry.
func TestHandler_answers(t *testing.T) {
	t.Parallel()
	schema := libraryv1.File_library_v1_library_proto.Services().ByName("Library").Methods().ByName("Ping")
	for name, row := range map[string]struct {
		handler connect.ServerFunc
		logs    string
	}{
		"none": {func(context.Context, connect.Spec, connect.ServerStream) error { return nil }, "returned without an answer"},
		"two": {func(_ context.Context, _ connect.Spec, s connect.ServerStream) error {
			return errors.Join(s.Send(&libraryv1.Book{}), s.Send(&libraryv1.Book{}))
		}, "answered twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rpc := connect.NewServer()
			rpc.Register(connect.Method{Spec: connect.Spec{Schema: schema, Procedure: "/library.v1.Library/Ping"}, Handler: row.handler})
			var logged errmap.Report
			h, err := httpjson.NewHandler(rpc, httpjson.WithGuard(errmap.NewGuard(errmap.WithLog(func(_ context.Context, r errmap.Report) { logged = r }))))
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("PING", "/v1/ping", nil))
			if w.Code != 500 || logged.Err == nil || !strings.Contains(logged.Err.Error(), row.logs) || !strings.Contains(w.Body.String(), logged.ID) {
				t.Errorf("%d %s, logged %v", w.Code, w.Body, logged.Err)
			}
		})
	}
}

func TestHandler_depth(t *testing.T) {
	t.Parallel()
	url := start(t)
	deep := func(n int) string {
		return `{"unknown":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `,"to":"[[[["}`
	}
	for n, want := range map[int]int{99: 200, 100: 400} {
		resp, got := do(t, "POST", url+"/v1/shelves/1/books/2:move", deep(n), map[string]string{"Content-Type": "application/json"})
		if resp.StatusCode != want {
			t.Errorf("%d levels: %d %s", n, resp.StatusCode, got)
		}
	}
}
