package httpjson_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server/httpjson"

	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
)

// pipes is a listener whose connections are pipes.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

func (p *pipes) client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return p.dial(), nil },
	}}
}

// serveOverPipes runs a real HTTP server until the test ends.
func serveOverPipes(t *testing.T, service libraryv1connect.LibraryHandler, opts ...httpjson.Option) *pipes {
	t.Helper()
	rpc := errmapconnect.NewServer()
	libraryv1connect.RegisterLibraryHandler(rpc, service)
	h, err := httpjson.NewHandler(rpc, opts...)
	if err != nil {
		t.Fatal(err)
	}
	listener := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = s.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-stopped
	})
	return listener
}

// send writes the start of a request and returns what reads the response.
func send(t *testing.T, conn net.Conn, head, body string) *bufio.Reader {
	t.Helper()
	if _, err := io.WriteString(conn, head+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+body); err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(conn)
}

// receive reads a response to its end.
func receive(t *testing.T, r *bufio.Reader) (*http.Response, string) {
	t.Helper()
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}
