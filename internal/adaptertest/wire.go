// Package adaptertest holds what the tests of the adapters of RPC libraries
// share: servers in memory whose bytes are recorded, and the checks that hold for
// each library alike.
package adaptertest

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/errmap/errmap/errmap/errmaphttp"
	"google.golang.org/grpc/test/bufconn"
)

// Wire records all that a server writes.
type Wire struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Bytes returns what the server has written so far.
func (w *Wire) Bytes() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.buf.Bytes())
}

// A Listener is a listener in memory.
type Listener struct {
	*bufconn.Listener
	wire *Wire
}

// Listen returns a listener in memory and what is written through it.
func Listen() (*Listener, *Wire) {
	w := new(Wire)
	return &Listener{bufconn.Listen(1 << 20), w}, w
}

// Accept returns a connection whose writes are recorded.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return recordedConn{c, l.wire}, nil
}

type recordedConn struct {
	net.Conn
	w *Wire
}

func (c recordedConn) Write(b []byte) (int, error) {
	c.w.mu.Lock()
	c.w.buf.Write(b)
	c.w.mu.Unlock()
	return c.Conn.Write(b)
}

// Serve serves a handler over HTTP/1 and HTTP/2 in memory until the test ends, and
// returns a client that reaches it over HTTP/2, whatever the host of the URL.
func Serve(t testing.TB, handler http.Handler) (*http.Client, *Wire) {
	t.Helper()
	listener, w := Listen()
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: handler, Protocols: &protocols}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return Client(t, listener), w
}

// Client returns a client that dials a listener over HTTP/2.
func Client(t testing.TB, listener *Listener) *http.Client {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{
		Protocols:          &protocols,
		DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return listener.DialContext(ctx)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Resetting returns a RoundTripper that resets the stream of a call whose context
// ends, as the transport of errmaphttp does, but leaves responses as they are.
func Resetting(base http.RoundTripper) http.RoundTripper { return resetting{base} }

type resetting struct{ base http.RoundTripper }

func (r resetting) RoundTrip(req *http.Request) (*http.Response, error) {
	under := &keeping{base: r.base}
	resp, err := errmaphttp.NewTransport(under, errmaphttp.Connect).RoundTrip(req)
	if under.resp != nil {
		return under.resp, nil
	}
	if under.err != nil {
		return nil, under.err
	}
	return resp, err
}

// keeping keeps what errmaphttp would make errors of.
type keeping struct {
	base http.RoundTripper
	resp *http.Response
	err  error
}

func (k *keeping) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := k.base.RoundTrip(req)
	if err != nil {
		k.err = err
		return nil, err
	}
	if resp.StatusCode >= 400 {
		k.resp = resp
		return &http.Response{StatusCode: resp.StatusCode}, nil
	}
	return resp, nil
}
