package soak_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"

	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap/errmapconnect"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
)

// worker is one client, with connections of its own.
type worker struct {
	*load
	rand     *rand.Rand
	http     *http.Client
	h2       *http.Client
	grpc     libraryv1connect.LibraryClient
	connect  libraryv1connect.LibraryClient
	jsonRPC  libraryv1connect.LibraryClient
	nextID   int
	sequence []func() (string, error)
	held     []held
}

func newWorker(l *load, r *rand.Rand) *worker {
	h1 := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the standard library's own
	h1.IdleConnTimeout = idleTime / 2                     // or a call may meet the server's end of its connection
	h2 := h1.Clone()
	h2.Protocols = new(http.Protocols)
	h2.Protocols.SetUnencryptedHTTP2(true)
	w := &worker{load: l, rand: r, http: &http.Client{Transport: h1}, h2: &http.Client{Transport: h2}}
	w.grpc = libraryv1connect.NewLibraryClient(errmapconnect.NewClient(connecthttp.NewTransport(w.h2, l.gateway, connecthttp.WithGRPC())))
	w.connect = libraryv1connect.NewLibraryClient(errmapconnect.NewClient(connecthttp.NewTransport(w.http, l.gateway)))
	w.jsonRPC = libraryv1connect.NewLibraryClient(connect.NewClient(client.New(w.http, l.gateway+"/")))
	w.sequence = []func() (string, error){w.single, w.batch, w.events, w.malformed, w.vanishing, w.clients, w.streams, w.httpJSON, w.agentCalls, w.agentBatch, w.slow, w.hostile}
	return w
}

func (w *worker) close() {
	for _, h := range w.held {
		_ = h.Close()
	}
	w.http.CloseIdleConnections()
	w.h2.CloseIdleConnections()
}

// step does one exchange and tells which.
func (w *worker) step() (string, error) { return w.sequence[w.rand.IntN(len(w.sequence))]() }

var names = []string{"b", "missing", "panic"}

func (w *worker) name() string { return names[w.rand.IntN(len(names))] }

// response is what matters of a JSON-RPC response.
type response struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct{ Code int }
}

// post posts a body to a server and reads the whole answer.
func (w *worker) post(ctx context.Context, url, body string, headers ...string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := w.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

func (w *worker) id() string {
	w.nextID++
	if w.nextID%2 == 0 {
		return fmt.Sprintf(`"id-%d"`, w.nextID)
	}
	return fmt.Sprint(w.nextID)
}

// ids posts calls and checks that each id is answered once.
func (w *worker) ids(url, body string, want []string, headers ...string) error {
	w.sent.Add(int64(len(want)))
	answer, err := w.post(context.Background(), url, body, headers...)
	if err != nil {
		return err
	}
	var all []response
	if len(answer) > 0 && answer[0] == '[' {
		err = json.Unmarshal(answer, &all)
	} else if len(answer) > 0 {
		all = make([]response, 1)
		err = json.Unmarshal(answer, &all[0])
	}
	if err != nil {
		return fmt.Errorf("%w in %q", err, answer)
	}
	var got []string
	for _, r := range all {
		got = append(got, string(r.ID))
		if (r.Error == nil) == (r.Result == nil) {
			return fmt.Errorf("neither or both in %q", answer)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("the ids are %q, want %q", got, want)
	}
	w.answered.Add(int64(len(got)))
	return nil
}

func getBook(id, name string) string {
	if id != "" {
		id = `"id":` + id + ","
	}
	return `{"jsonrpc":"2.0",` + id + `"method":"library.v1.Library/GetBook","params":{"name":"` + name + `"}}`
}

func (w *worker) single() (string, error) {
	id := w.id()
	return "JSON-RPC call", w.ids(w.gateway, getBook(id, w.name()), []string{id})
}

func (w *worker) batch() (string, error) {
	var calls, ids []string
	for range 1 + w.rand.IntN(20) {
		if w.rand.IntN(4) == 0 {
			calls = append(calls, getBook("", w.name()))
			continue
		}
		id := w.id()
		ids, calls = append(ids, id), append(calls, getBook(id, w.name()))
	}
	return "JSON-RPC batch", w.ids(w.gateway, "["+strings.Join(calls, ",")+"]", ids)
}

func (w *worker) watch(parent string, size int) (id, body string) {
	id = w.id()
	return id, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"library.v1.Library/WatchBooks","params":{"parent":%q,"pageSize":%d}}`, id, parent, size)
}

// events reads a stream to its end: each event has the id, and only the last one
// may be an error.
func (w *worker) events() (string, error) {
	const name = "JSON-RPC stream"
	parent, size := names[w.rand.IntN(2)], w.rand.IntN(5)
	id, body := w.watch(parent, size)
	w.sent.Add(1)
	answer, err := w.post(context.Background(), w.gateway, body, "Accept", "text/event-stream")
	if err != nil {
		return name, err
	}
	events, failed := 0, false
	for scanner := bufio.NewScanner(strings.NewReader(string(answer))); scanner.Scan(); {
		data, ok := strings.CutPrefix(scanner.Text(), "data: ")
		if !ok {
			continue
		}
		var r response
		if err := json.Unmarshal([]byte(data), &r); err != nil || string(r.ID) != id || failed {
			return name, fmt.Errorf("event %q of id %s: %w", data, id, err)
		}
		if r.Error != nil {
			failed = true
		} else {
			events++
		}
	}
	if events != size || failed != (parent == "missing") {
		return name, fmt.Errorf("%d events, want %d; failed is %v: %q", events, size, failed, answer)
	}
	w.answered.Add(1)
	return name, nil
}

func (w *worker) malformed() (string, error) {
	bodies := []string{`{`, `[]`, `5`, `{"jsonrpc":"2.0","method":1}`, strings.Repeat("[", 1000), "\x00"}
	answer, err := w.post(context.Background(), []string{w.gateway, w.agent}[w.rand.IntN(2)], bodies[w.rand.IntN(len(bodies))])
	if err == nil && !strings.Contains(string(answer), `"error"`) {
		err = fmt.Errorf("answered with %q", answer)
	}
	return "malformed request", err
}

// vanishing begins a call and is gone after a moment.
func (w *worker) vanishing() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(w.rand.IntN(4000))*time.Microsecond)
	defer cancel()
	_, body := w.watch("b", 1000)
	switch w.rand.IntN(4) {
	case 0:
		body = "[" + strings.Repeat(getBook("1", "b")+",", 50) + getBook("2", "panic") + "]"
	case 1:
		if s, err := w.grpc.WatchBooks(ctx, &libraryv1.ListBooksRequest{PageSize: 1000}); err == nil {
			for err == nil {
				_, err = s.Receive()
			}
			_ = s.Close()
		}
		return "client that vanishes", nil
	case 2:
		_, _ = w.connect.GetBook(ctx, &libraryv1.GetBookRequest{Name: "b"})
		return "client that vanishes", nil
	}
	_, _ = w.post(ctx, w.gateway, body, "Accept", "text/event-stream, application/json")
	return "client that vanishes", nil
}

// clients calls through each generated client.
func (w *worker) clients() (string, error) {
	i := w.rand.IntN(3)
	c := []libraryv1connect.LibraryClient{w.grpc, w.connect, w.jsonRPC}[i]
	name := w.name()
	_, err := c.GetBook(context.Background(), &libraryv1.GetBookRequest{Name: name})
	return []string{"gRPC call", "Connect call", "JSON-RPC call of the client"}[i], expect(err, name)
}

// expect checks the error of a call by the name that it asked for.
func expect(err error, name string) error {
	switch {
	case name == "b" && err == nil,
		name == "missing" && errors.Is(err, &libraryv1.BookNotFoundError{}),
		name == "panic" && connect.CodeOf(err) == connect.CodeInternal:
		return nil
	}
	return fmt.Errorf("%s ended with %w", name, err)
}

// streams reads a stream through each generated client.
func (w *worker) streams() (string, error) {
	i := w.rand.IntN(3)
	c := []libraryv1connect.LibraryClient{w.grpc, w.connect, w.jsonRPC}[i]
	label := []string{"gRPC stream", "Connect stream", "JSON-RPC stream of the client"}[i]
	parent, size := names[w.rand.IntN(2)], w.rand.IntN(5)
	s, err := c.WatchBooks(context.Background(), &libraryv1.ListBooksRequest{Parent: parent, PageSize: int32(size)}) //nolint:gosec // small
	if err != nil {
		return label, err
	}
	defer s.Close()
	n := 0
	for {
		if _, err = s.Receive(); err != nil {
			break
		}
		n++
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if n != size {
		return label, fmt.Errorf("%d messages, want %d: %w", n, size, err)
	}
	return label, expect(err, parent)
}

func (w *worker) httpJSON() (string, error) {
	answer, err := w.http.Get(w.gateway + "/v1/books/" + w.name())
	if err != nil {
		return "HTTP+JSON call", err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return "HTTP+JSON call", err
}

func agentCall(id string, i int) string {
	method := []string{
		`"GetTask","params":{"id":"nope"}`, `"CancelTask","params":{"id":"nope"}`, `"ListTasks"`,
		`"GetExtendedAgentCard"`, `"SendMessage","params":{}`, `"nothing"`,
	}[i%6]
	return `{"jsonrpc":"2.0","id":` + id + `,"method":` + method + `}`
}

func (w *worker) agentCalls() (string, error) {
	id := w.id()
	return "agent call", w.ids(w.agent, agentCall(id, w.rand.IntN(6)), []string{id}, "A2A-Version", "1.0")
}

func (w *worker) agentBatch() (string, error) {
	var calls, ids []string
	for range 1 + w.rand.IntN(10) {
		id := w.id()
		ids, calls = append(ids, id), append(calls, agentCall(id, w.rand.IntN(6)))
	}
	return "agent batch", w.ids(w.agent, "["+strings.Join(calls, ",")+"]", ids, "A2A-Version", "1.0")
}
