// Package faulttest_test puts a proxy that breaks answers between every client
// and a server that is well.
package faulttest_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fault is what the proxy does to answers.
type fault string

const (
	none      fault = "none"
	cut       fault = "cut"         // the connection breaks before any answer
	truncate  fault = "truncate"    // it ends after a part of the answer
	delay     fault = "delay"       // nothing comes until the caller gives up
	duplicate fault = "duplicate"   // all bytes come twice
	garble    fault = "garble"      // no byte is what it was, and then the connection breaks
	html      fault = "HTML"        // a page at 200
	gateway   fault = "502"         // a page at 502
	limited   fault = "429"         // a page at 429, with Retry-After
	mislabel  fault = "mislabelled" // said to be gzip, and is not
	half      fault = "half"        // half of the body comes, as if it were all
)

// faults are all of them.
var faults = []fault{cut, truncate, delay, duplicate, garble, html, gateway, limited, mislabel, half}

const page = "<html><h1>sorry</h1>upstream 10.0.0.7</html>"

// proxy stands before a handler.
type proxy struct {
	net.Listener
	next  http.Handler
	fault atomic.Value
	part  atomic.Int64 // how much of an answer comes before it is truncated
	mu    sync.Mutex
	conns []net.Conn
}

// newProxy serves next behind a proxy until the test ends.
func newProxy(t *testing.T, next http.Handler) *proxy {
	t.Helper()
	// Not bufconn: its read deadlines may fire late, at which net/http takes the
	// client of a connection for gone.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, next: next}
	p.fault.Store(none)
	p.part.Store(part)
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	s := &http.Server{Handler: p, Protocols: &protocols}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(p) }()
	t.Cleanup(func() { _ = s.Close(); <-done })
	return p
}

func (p *proxy) now() fault { return p.fault.Load().(fault) } //nolint:forcetypeassert // nothing else is stored

// ServeHTTP breaks what is broken at the level of HTTP.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(status int) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, page)
	}
	switch p.now() {
	case html:
		answer(http.StatusOK)
	case gateway:
		answer(http.StatusBadGateway)
	case limited:
		w.Header().Set("Retry-After", "7")
		answer(http.StatusTooManyRequests)
	case mislabel:
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Grpc-Encoding", "gzip")
		_, _ = io.WriteString(w, "this is not gzip, whatever the header says")
	case delay:
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case half:
		whole := httptest.NewRecorder()
		p.next.ServeHTTP(whole, r)
		for name, values := range whole.Header() {
			if name != "Content-Length" && !strings.HasPrefix(name, "Trailer") {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(whole.Code)
		_, _ = w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
	default:
		p.next.ServeHTTP(w, r)
	}
}

// Accept returns a connection that breaks what is broken at the level of bytes.
func (p *proxy) Accept() (net.Conn, error) {
	c, err := p.Listener.Accept()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.conns = append(p.conns, c)
	p.mu.Unlock()
	return &conn{Conn: c, proxy: p}, nil
}

// mend ends the fault, and the connections that it may have left out of step.
func (p *proxy) mend() {
	p.fault.Store(none)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

type conn struct {
	net.Conn
	proxy *proxy
	mu    sync.Mutex
	sent  int // since the fault began
}

// part is more than the settings of HTTP/2, less than any answer.
const part = 60

func (c *conn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.proxy.now() {
	case cut:
		_ = c.Close()
		return 0, io.ErrClosedPipe
	case truncate:
		left := int(c.proxy.part.Load()) - c.sent
		c.sent += len(b)
		if len(b) <= left {
			return c.Conn.Write(b)
		}
		_, _ = c.Conn.Write(b[:max(left, 0)])
		_ = c.Close()
		return 0, io.ErrClosedPipe
	case duplicate:
		if n, err := c.Conn.Write(b); err != nil {
			return n, err
		}
	case garble:
		garbled := make([]byte, len(b))
		for i := range b {
			garbled[i] = b[i] ^ 0xA5
		}
		// HTTP/1 would wait for the end of a line for as long as the caller does.
		_, _ = c.Conn.Write(garbled)
		_ = c.Close()
		return 0, io.ErrClosedPipe
	}
	return c.Conn.Write(b)
}

// dial returns how clients reach the proxy.
func (p *proxy) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", p.Addr().String())
}

// transport returns a transport to the proxy, over HTTP/1 or HTTP/2.
func (p *proxy) transport(t *testing.T, major int) *http.Transport {
	t.Helper()
	var protocols http.Protocols
	protocols.SetHTTP1(major == 1)
	protocols.SetUnencryptedHTTP2(major == 2)
	transport := &http.Transport{Protocols: &protocols, DialContext: p.dial}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// TestMain fails if a goroutine of ours outlives the tests.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // net/http tells of answers that come twice
	code := m.Run()
	var left []string
	for range 100 {
		if left = leftovers(); len(left) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if len(left) > 0 && code == 0 {
		fmt.Fprintln(os.Stderr, "left behind:\n"+strings.Join(left, "\n\n"))
		code = 1
	}
	os.Exit(code)
}

func leftovers() []string {
	buffer := make([]byte, 4<<20)
	buffer = buffer[:runtime.Stack(buffer, true)]
	var left []string
	for _, stack := range strings.Split(string(buffer), "\n\n")[1:] { // without this one
		for _, ours := range []string{"github.com/errmap/errmap", "modelcontextprotocol/go-sdk", "google.golang.org/grpc", "net/http."} {
			if strings.Contains(stack, ours) {
				left = append(left, stack)
				break
			}
		}
	}
	return left
}
