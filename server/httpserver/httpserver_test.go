package httpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/errmap/errmap/server/httpserver"
)

// brief are times that a test can wait for.
var brief = httpserver.Times{
	Header: 200 * time.Millisecond, Read: 200 * time.Millisecond, Write: 200 * time.Millisecond,
	Stream: 200 * time.Millisecond, Idle: 200 * time.Millisecond, Drain: 200 * time.Millisecond,
}

// soon is more than any of the brief times, and the grace of shutting down.
const soon = 5 * time.Second

// lockedBuffer is a log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// serve runs a handler and returns its address, and what ends it with the error of Run.
func serve(t *testing.T, h http.HandlerFunc, opts ...httpserver.Option) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	quiet := httpserver.WithLog(slog.New(slog.NewTextHandler(new(lockedBuffer), nil)))
	go func() { done <- httpserver.Run(ctx, l, h, append([]httpserver.Option{quiet}, opts...)...) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() { _ = stop() })
	return l.Addr().String(), stop
}

func dial(t *testing.T, address, first string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, first); err != nil {
		t.Fatal(err)
	}
	return c
}

// ends tells what came before the server ended the connection, and fails where it does
// not.
func ends(t *testing.T, c net.Conn) string {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(soon))
	got, err := io.ReadAll(c)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		t.Errorf("the connection is held open, after %q", got)
	}
	return string(got)
}

// closesBody is what net/http would take for a body that was read, if it saw the one
// that the handler has.
func closesBody(w http.ResponseWriter, r *http.Request) {
	readsBody(w, r)
	_ = r.Body.Close()
}

func readsBody(w http.ResponseWriter, r *http.Request) {
	if _, err := io.ReadAll(r.Body); err != nil {
		http.Error(w, "unread", http.StatusRequestTimeout)
	}
}

func TestFinding_A09_ConnectionsEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		send    string
		want    string
	}{
		"nothing is sent":        {readsBody, "", ""},
		"half a header":          {readsBody, "GET / HTTP/1.1\r\nHost: localhost\r\nX-", ""},
		"idle after an answer":   {readsBody, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "200 OK"},
		"half a body, read":      {readsBody, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc", "408 Request Timeout"},
		"half a body, closed":    {closesBody, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc", "Connection: close\r\n\r\nunread"},
		"half a body, not read":  {func(http.ResponseWriter, *http.Request) {}, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc", "200 OK"},
		"a chunk that is coming": {readsBody, "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "408 Request Timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := serve(t, test.handler, httpserver.WithTimes(brief))
			if got := ends(t, dial(t, address, test.send)); !strings.Contains(got, test.want) {
				t.Errorf("answer %q, want %q", got, test.want)
			}
		})
	}
}

// bigAnswer is more than what kernels buffer.
const bigAnswer = 32 << 20

func TestFinding_A09_UnreadAnswersEnd(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(http.ResponseWriter) error{
		"at once": func(w http.ResponseWriter) error {
			_, err := w.Write(make([]byte, bigAnswer))
			return err
		},
		"flushed": func(w http.ResponseWriter) error {
			for range bigAnswer >> 10 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return err
				}
				if err := http.NewResponseController(w).Flush(); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
			t.Run(name+" over "+version, func(t *testing.T) {
				t.Parallel()
				ended := make(chan error, 1)
				address, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { ended <- write(w) }, httpserver.WithTimes(brief))
				if version == "HTTP/1.1" {
					dial(t, address, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
				} else {
					response, err := http2Client(t).Get("http://" + address) // whose body is not read
					if err != nil {
						t.Fatal(err)
					}
					defer response.Body.Close()
				}
				select {
				case err := <-ended:
					if err == nil {
						t.Error("the answer was written")
					}
				case <-time.After(soon):
					t.Error("the handler still writes")
				}
			})
		}
	}
}

func http2Client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Who is slow and makes progress is served, over both versions of HTTP.
func TestRun_slowPeersLive(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			client := http2Client(t)
			if version == "HTTP/1.1" {
				client = &http.Client{Transport: new(http.Transport)}
			}
			address, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if body, err := io.ReadAll(r.Body); err != nil || len(body) != 8<<10 {
					t.Errorf("%d bytes of the body: %v", len(body), err)
				}
				for range 8 {
					time.Sleep(brief.Write / 2)
					if _, err := w.Write(make([]byte, 64<<10)); err != nil {
						t.Errorf("writing: %v", err)
					}
					w.(http.Flusher).Flush()
				}
			}, httpserver.WithTimes(brief))
			read, write := io.Pipe()
			go func() {
				for range 8 {
					time.Sleep(brief.Read / 2)
					_, _ = write.Write(make([]byte, 1<<10))
				}
				_ = write.Close()
			}()
			response, err := client.Post("http://"+address, "text/plain", read)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			slow := bufio.NewReader(response.Body)
			total := 0
			for {
				n, err := slow.Discard(32 << 10)
				total += n
				if err != nil {
					break
				}
				time.Sleep(brief.Write / 8)
			}
			if total != 8*64<<10 {
				t.Errorf("%d bytes of the answer", total)
			}
		})
	}
}

// A stream of requests may be silent for its own time, and longer while it is answered.
func TestRun_streams(t *testing.T) {
	t.Parallel()
	times := brief
	times.Stream = 2 * time.Second
	address, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		_, err := io.ReadAll(r.Body)
		if err != nil {
			_, _ = io.WriteString(w, "silent")
		}
	}, httpserver.WithTimes(times))
	for name, test := range map[string]struct {
		silence time.Duration
		want    string
	}{"less": {2 * brief.Read, ""}, "more": {time.Minute, "silent"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read, write := io.Pipe()
			defer write.Close()
			time.AfterFunc(test.silence, func() { _ = write.Close() })
			response, err := http2Client(t).Post("http://"+address, "application/grpc", read)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if got, _ := io.ReadAll(response.Body); string(got) != test.want {
				t.Errorf("answer %q, want %q", got, test.want)
			}
		})
	}
}

func TestFinding_A18_WhatRunsFinishes(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			client := http2Client(t)
			if version == "HTTP/1.1" {
				client = &http.Client{Transport: new(http.Transport)}
			}
			running, gaveUp, drained := make(chan struct{}), make(chan struct{}), make(chan struct{})
			times := brief
			times.Drain = soon
			address, stop := serve(t, func(w http.ResponseWriter, r *http.Request) {
				close(running)
				<-drained
				body, err := io.ReadAll(r.Body)
				if err == nil && r.Context().Err() == nil {
					_, _ = w.Write(body)
				}
			}, httpserver.WithTimes(times), httpserver.WithGiveUp(func() { close(gaveUp) }), httpserver.WithDrain(func() { close(drained) }))
			read, write := io.Pipe()
			answer := make(chan string, 1)
			go func() {
				response, err := client.Post("http://"+address, "text/plain", read)
				if err != nil {
					answer <- err.Error()
					return
				}
				defer response.Body.Close()
				got, _ := io.ReadAll(response.Body)
				answer <- string(got)
			}()
			go func() {
				_, _ = write.Write([]byte("slow"))
				<-drained
				time.Sleep(brief.Read / 2)
				_, _ = write.Write([]byte(" body"))
				_ = write.Close()
			}()
			<-running
			dial(t, address, "") // that never says a thing
			if err := stop(); err != nil {
				t.Errorf("Run: %v", err)
			}
			if got := <-answer; got != "slow body" {
				t.Errorf("answer %q", got)
			}
			select {
			case <-gaveUp:
				t.Error("what was finished was given up")
			default:
			}
		})
	}
}

func TestFinding_A18_TheRestIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
		for name, handler := range map[string]http.HandlerFunc{
			"a call": func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				http.Error(w, "given up", http.StatusServiceUnavailable)
			},
			"a body that is coming": readsBody,
		} {
			t.Run(name+" over "+version, func(t *testing.T) {
				t.Parallel()
				client := http2Client(t)
				if version == "HTTP/1.1" {
					client = &http.Client{Transport: new(http.Transport)}
				}
				running, gaveUp := make(chan struct{}), false
				times := brief
				times.Read = time.Minute
				address, stop := serve(t, func(w http.ResponseWriter, r *http.Request) {
					close(running)
					handler(w, r)
				}, httpserver.WithTimes(times), httpserver.WithGiveUp(func() { gaveUp = true }))
				read, write := io.Pipe()
				defer write.Close()
				status := make(chan int, 1)
				go func() {
					response, err := client.Post("http://"+address, "text/plain", read)
					if err != nil {
						t.Error(err)
						status <- 0
						return
					}
					_ = response.Body.Close()
					status <- response.StatusCode
				}()
				<-running
				if err := stop(); !errors.Is(err, httpserver.ErrGaveUp) {
					t.Errorf("Run: %v", err)
				}
				if got := <-status; got != http.StatusServiceUnavailable || !gaveUp {
					t.Errorf("status %d, gave up %t", got, gaveUp)
				}
			})
		}
	}
}

// A mount with a bound of its own neither shortens nor lengthens this one's.
func TestRun_mountsWithBounds(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, everything(t).ServeHTTP, httpserver.WithTimes(brief))
	for _, path := range []string{"/", "/v1/shelves/1/books/2:move", "/library.v1.Library/GetBook"} {
		start := time.Now()
		ends(t, dial(t, address, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"))
		if took := time.Since(start); took > soon {
			t.Errorf("%s: ended after %v", path, took)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	s, err := httpserver.New(http.NotFoundHandler(), httpserver.WithTimes(httpserver.Times{Header: -1, Idle: -1, Read: -1, Write: -1}))
	if err != nil || s.ReadHeaderTimeout >= 0 || s.IdleTimeout >= 0 || !s.Protocols.UnencryptedHTTP2() {
		t.Errorf("server %+v", s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := httpserver.Run(t.Context(), l, http.NotFoundHandler()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Run on a closed listener: %v", err)
	}
}
