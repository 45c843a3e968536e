// Package leaktest_test plants secrets where servers come across them, drives
// every transport from end to end, and searches all that left.
package leaktest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/test/bufconn"
)

// recorder is a listener in memory that keeps what each of its connections
// sent.
type recorder struct {
	*bufconn.Listener
	mu    sync.Mutex
	conns []*recordedConn
}

func newRecorder() *recorder { return &recorder{Listener: bufconn.Listen(1 << 20)} }

// Accept returns a connection whose writes are kept.
func (r *recorder) Accept() (net.Conn, error) {
	c, err := r.Listener.Accept()
	if err != nil {
		return nil, err
	}
	recorded := &recordedConn{Conn: c}
	r.mu.Lock()
	r.conns = append(r.conns, recorded)
	r.mu.Unlock()
	return recorded, nil
}

type recordedConn struct {
	net.Conn
	mu   sync.Mutex
	head []byte // the first bytes of what came in
	sent []byte
}

func (c *recordedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	if most := len(http2.ClientPreface); len(c.head) < most {
		c.head = append(c.head, b[:min(n, most-len(c.head))]...)
	}
	c.mu.Unlock()
	return n, err
}

func (c *recordedConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	c.sent = append(c.sent, b...)
	c.mu.Unlock()
	return c.Conn.Write(b)
}

// text returns all that left, as text to search: of HTTP/2 the header fields as
// names and values, and the data of each stream in one piece.
func (r *recorder) text(t *testing.T) []byte {
	t.Helper()
	r.mu.Lock()
	conns := r.conns
	r.mu.Unlock()
	var all []byte
	for _, c := range conns {
		c.mu.Lock()
		head, sent := bytes.Clone(c.head), bytes.Clone(c.sent)
		c.mu.Unlock()
		all = append(all, sent...)
		if string(head) == http2.ClientPreface {
			fields, err := frames(sent)
			if err != nil {
				t.Fatalf("frames: %v", err)
			}
			all = append(all, fields...)
		}
	}
	if len(all) == 0 {
		t.Fatal("nothing was recorded")
	}
	return all
}

// frames reads the HTTP/2 frames that a server sent.
func frames(sent []byte) ([]byte, error) {
	var out []byte
	data := make(map[uint32][]byte)
	decoder := hpack.NewDecoder(4096, func(f hpack.HeaderField) {
		out = fmt.Appendf(out, "\n%s: %s\n", f.Name, f.Value)
	})
	framer := http2.NewFramer(io.Discard, bytes.NewReader(sent))
	framer.SetMaxReadFrameSize(1 << 24)
	for {
		frame, err := framer.ReadFrame()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			for _, piece := range data {
				out = append(append(out, '\n'), piece...)
			}
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		switch f := frame.(type) {
		case *http2.HeadersFrame:
			if _, err := decoder.Write(f.HeaderBlockFragment()); err != nil {
				return nil, err
			}
		case *http2.ContinuationFrame:
			if _, err := decoder.Write(f.HeaderBlockFragment()); err != nil {
				return nil, err
			}
		case *http2.DataFrame:
			data[f.StreamID] = append(data[f.StreamID], f.Data()...)
		case *http2.GoAwayFrame:
			out = append(out, f.DebugData()...)
		}
	}
}

// serve serves h over HTTP/1 and HTTP/2 until the test ends.
func serve(t *testing.T, h http.Handler) *recorder {
	t.Helper()
	r := newRecorder()
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	s := &http.Server{Handler: h, Protocols: &protocols}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(r) }()
	t.Cleanup(func() { _ = s.Close(); <-done })
	return r
}

// client returns a client that reaches r over HTTP/1 or HTTP/2.
func (r *recorder) client(t *testing.T, major int) *http.Client {
	t.Helper()
	var protocols http.Protocols
	protocols.SetHTTP1(major == 1)
	protocols.SetUnencryptedHTTP2(major == 2)
	transport := &http.Transport{
		Protocols:          &protocols,
		DisableCompression: true,
		DialContext:        func(ctx context.Context, _, _ string) (net.Conn, error) { return r.DialContext(ctx) },
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
