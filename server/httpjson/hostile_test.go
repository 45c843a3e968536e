package httpjson_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// letters is text without end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'm'
	}
	return len(p), nil
}

// Hostile bodies end in the documented error within the limits, and the next call
// works.
func TestHandler_hostileBodies(t *testing.T) {
	t.Parallel()
	client := serveOverPipes(t, library{}).client()
	defer client.CloseIdleConnections()
	call := func(path string, body io.Reader) (int, string, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://pipe"+path, body)
		if err != nil {
			return 0, "", err
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			return 0, "", err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return response.StatusCode, string(text), err
	}
	const (
		whole = "/v1/shelves/1/books/2:move" // the body is the message
		field = "/v1/shelves/1/books"        // the body is one field of it
	)
	// What is wrong follows, and is bounded.
	refused := func(text string) string { return `{"error":{"code":400,"message":"` + text + `: ` }
	const (
		noMove  = "the body is not the JSON of library.v1.MoveBookRequest"
		noBook  = "the body is not the JSON of library.v1.CreateBookRequest"
		noJSON  = "the body is not JSON"
		tooDeep = `{"error":{"code":400,"message":"the body nests more than 100 arrays and objects","status":"INVALID_ARGUMENT"}}`
		tooMany = `{"error":{"code":413,"message":"the body has more than 400000 values","status":"FAILED_PRECONDITION"}}`
	)
	endless := func(open string) io.Reader {
		return io.MultiReader(strings.NewReader(open), io.LimitReader(letters{}, 100<<20), strings.NewReader(`"}`))
	}
	for _, test := range []struct {
		name, path string
		body       io.Reader
		status     int
		want       string
	}{
		{"100 MB", whole, endless(`{"to":"`), 413, `{"error":{"code":413,"message":"the body is too large","status":"FAILED_PRECONDITION"}}`},
		{"100 MB in a field", field, endless(`{"title":"`), 413, `{"error":{"code":413,"message":"the body is too large","status":"FAILED_PRECONDITION"}}`},
		{"four million brackets", whole, strings.NewReader(strings.Repeat("[", 4_000_000)), 413, tooMany},
		{"four million brackets in a field", field, strings.NewReader(strings.Repeat("[", 4_000_000)), 413, tooMany},
		{"a million elements", whole, strings.NewReader("[" + strings.Repeat("1,", 999_999) + "1]"), 413, tooMany},
		{"many brackets", whole, strings.NewReader(strings.Repeat("[", 390_000)), 400, tooDeep},
		{"many brackets in a field", field, strings.NewReader(strings.Repeat("[", 390_000)), 400, refused(noJSON)},
		{"many objects in an unknown member", whole, strings.NewReader(strings.Repeat(`{"x":`, 390_000)), 400, tooDeep},
		{"deep and whole", whole, strings.NewReader(`{"x":` + strings.Repeat("[", 390_000) + strings.Repeat("]", 390_000) + "}"), 400, tooDeep},
		{"deep and whole in a field", field, strings.NewReader(`{"x":` + strings.Repeat("[", 390_000) + strings.Repeat("]", 390_000) + "}"), 400, refused(noJSON)},
		{"many elements", whole, strings.NewReader("[" + strings.Repeat("1,", 390_000) + "1]"), 400, refused(noMove)},
		{"many elements of another type", field, strings.NewReader(`{"title":[` + strings.Repeat("1,", 390_000) + "1]}"), 400, refused(noBook)},
		{"a long number", field, strings.NewReader(`{"pages":` + strings.Repeat("1", 4_000_000) + `}`), 400, refused(noBook)},
		{"a large exponent", field, strings.NewReader(`{"pages":1e999999999}`), 400, refused(noBook)},
		{"a member twice", whole, strings.NewReader(`{"to":"a","to":"b"}`), 400, refused(noMove)},
		{"a member twice in a field", field, strings.NewReader(`{"title":"a","title":"b"}`), 400, refused(noBook)},
		{"a lone surrogate", whole, strings.NewReader(`{"to":"\ud800"}`), 400, refused(noMove)},
		{"a lone surrogate as a name", field, strings.NewReader(`{"\udfff":1}`), 400, refused(noBook)},
		{"no UTF-8", whole, strings.NewReader("{\"to\":\"\xff\"}"), 400, refused(noMove)},
		{"no UTF-8 in a field", field, strings.NewReader("{\"title\":\"\xff\"}"), 400, refused(noBook)},
		{"two values", whole, strings.NewReader(`{}{}`), 400, refused(noMove)},
		// A21: a quote behind an escape does not end a string, and one behind two does.
		{"brackets behind an escape", whole, strings.NewReader(`{"to":"\"` + strings.Repeat("[", 200) + `"}`), 200, ""},
		{"brackets behind two escapes", whole, strings.NewReader(`{"to":"\\","x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`), 400, tooDeep},
		{"a null byte", whole, strings.NewReader("\x00"), 400, refused(noMove)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		status, body, err := call(test.path, test.body)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		// A client that still sends when the answer is there may see the connection
		// close before it reads.
		if err != nil && test.status == http.StatusRequestEntityTooLarge {
			t.Logf("%s: %v", test.name, err)
		} else if err != nil || status != test.status || !strings.HasPrefix(body, test.want) || len(body) > 512 {
			t.Errorf("%s: got %d %.300s %v, want %d %s", test.name, status, body, err, test.status, test.want)
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 30*time.Second || mb > 80 {
			t.Errorf("%s: took %v and %d MB", test.name, took, mb)
		}
		if status, body, err := call(whole, strings.NewReader(`{"to":"x"}`)); err != nil || status != http.StatusOK || !strings.Contains(body, `to:\"x\"`) {
			t.Errorf("after %s: got %d %s %v, want that the next call works", test.name, status, body, err)
		}
	}
}

// A body that is not as long as it says is no call, and the next one works.
func TestHandler_wrongLengths(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string]string{
		"a length that is too large": "Content-Length: 500\r\n",
		"a chunk that ends early":    "Transfer-Encoding: chunked\r\n",
		"a length that is none":      "Content-Length: -1\r\n",
		"both":                       "Content-Length: 10\r\nTransfer-Encoding: chunked\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				listener := serveOverPipes(t, library{})
				conn := listener.dial()
				send(t, conn, "POST /v1/shelves/1/books/2:move", headers+"\r\n"+"1f4\r\n{}")
				time.Sleep(time.Second)
				_ = conn.Close()
				conn = listener.dial()
				defer conn.Close()
				resp, got := receive(t, send(t, conn, "GET /v1/books/1", "\r\n"))
				if resp.StatusCode != http.StatusOK || got != `{"name":"1","pages":"9007199254740993"}` {
					t.Errorf("the next call: got %d %s", resp.StatusCode, got)
				}
			})
		})
	}
}
