package soak_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// held is a connection of a slow or hostile client, and when the server is to have ended
// it at the latest.
type held struct {
	net.Conn
	name string
	by   time.Time
}

// maxHeld is how many of them a worker has at the same time.
const maxHeld = 20

// slow begins a request that never ends, or leaves an answer unread, and looks whether the
// server has ended what was begun before.
func (w *worker) slow() (string, error) {
	if len(w.held) == maxHeld {
		if time.Now().Before(w.held[0].by) {
			return w.single()
		}
		if err := w.ended(w.held[0]); err != nil {
			return "slow client", err
		}
		w.held = w.held[1:]
	}
	requests := map[string]string{
		"half a body":    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
		"half a header":  "POST / HTTP/1.1\r\nHost: local",
		"idle":           request("/", "", `{}`),
		"unread answers": strings.Repeat(request("/", "Content-Encoding: gzip\r\n", packedDiscovery), 3),
		"half a call":    "POST /library.v1.Library/GetBook HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
	}
	for name, text := range requests { // one of them
		base := []string{w.agent, w.gateway}[w.rand.IntN(2)]
		conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
		if err != nil {
			return "slow client", err
		}
		if _, err := io.WriteString(conn, text); err != nil {
			return "slow client", err
		}
		w.held = append(w.held, held{conn, name, time.Now().Add(10 * time.Second)})
		return "slow client: " + name, nil
	}
	return "", nil
}

var (
	packedDiscovery = zipped(repeated(1000, `"method":"rpc.discover"`))
	someDiscovery   = zipped(repeated(100, `"method":"rpc.discover"`))
)

// ended closes a connection, which the server has ended by then. One whose answers nobody
// reads has bytes left.
func (w *worker) ended(h held) error {
	defer h.Close()
	_ = h.SetReadDeadline(time.Now().Add(time.Second))
	_, err := io.Copy(io.Discard, h)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return fmt.Errorf("%s: the server holds the connection", h.name)
	}
	return nil
}

// hostile sends what costs a server much, and checks that it is refused, or answered whole.
func (w *worker) hostile() (string, error) {
	switch w.rand.IntN(6) {
	case 0:
		return "hostile: headers", w.refused(http.StatusRequestHeaderFieldsTooLarge, "/", getBook("1", "b"), manyHeaders)
	case 1:
		return "hostile: a page", w.refused(http.StatusForbidden, "/", getBook("1", "b"), http.Header{"Origin": {"https://evil.example.com"}, "Sec-Fetch-Site": {"cross-site"}})
	case 2:
		return "hostile: a name", w.refused(http.StatusForbidden, "/", getBook("1", "b"), http.Header{"Host": {"evil.example.com"}})
	case 3:
		return "hostile: a long name", w.refused(http.StatusNoContent, "/", longName, http.Header{"Content-Encoding": {"gzip"}})
	case 4:
		return "hostile: a bomb", w.refused(http.StatusRequestEntityTooLarge, "/", bomb, http.Header{"Content-Encoding": {"gzip"}})
	}
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	return "hostile: discovery", w.ids(w.agent, someDiscovery, ids, "Content-Encoding", "gzip")
}

var (
	manyHeaders = func() http.Header {
		h := http.Header{}
		for i := range 200 {
			h.Set(fmt.Sprintf("H%d", i), "")
		}
		return h
	}()
	longName = zipped(`{"jsonrpc":"2.0","method":"` + strings.Repeat("m", 1<<20) + `"}`)
	bomb     = zipped(`{"jsonrpc":"2.0","method":"` + strings.Repeat("m", 8<<20) + `"}`)
)

// refused sends a body with headers, and wants a status. Where many send so at the same
// time, the body may be refused for that.
func (w *worker) refused(status int, path, body string, header http.Header) error {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, w.gateway+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = header.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Host = r.Header.Get("Host")
	answer, err := w.http.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != status && !strings.Contains(string(text), "-31429") {
		err = fmt.Errorf("status %d, want %d: %.200s", answer.StatusCode, status, text)
	}
	return err
}

// descriptors counts the open files of this process, 0 where the system does not tell.
func descriptors() int {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(files)
}
