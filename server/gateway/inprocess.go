package gateway

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// InProcess returns a client whose requests go to a handler of this process,
// without a socket: one that speaks Connect, or a *grpc.Server. A request looks to
// the handler like HTTP/2, so all kinds of streaming work.
func InProcess(h http.Handler) *http.Client { return &http.Client{Transport: inProcess{h}} }

type inProcess struct{ handler http.Handler }

// RoundTrip runs the handler and returns when its header is out.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	request := r.Clone(ctx)
	request.Proto, request.ProtoMajor, request.ProtoMinor = "HTTP/2.0", 2, 0
	request.RequestURI = r.URL.RequestURI()
	request.RemoteAddr = "in-process"
	if request.Host == "" {
		request.Host = r.URL.Host
	}
	if request.Body == nil {
		request.Body = http.NoBody
	}
	reader, writer := io.Pipe()
	w := &responseWriter{header: http.Header{}, body: writer, ready: make(chan struct{})}
	w.response = &http.Response{
		Proto: "HTTP/2.0", ProtoMajor: 2, Request: r, ContentLength: -1,
		Trailer: http.Header{}, Body: &responseBody{reader, cancel},
	}
	go func() {
		defer cancel(nil)
		defer func() {
			if value := recover(); value != nil {
				w.abort(fmt.Errorf("gateway: the handler broke the response off: %w", io.ErrUnexpectedEOF))
				return
			}
			w.finish()
		}()
		t.handler.ServeHTTP(w, request)
	}()
	select {
	case <-w.ready:
		return w.response, w.err
	case <-r.Context().Done():
		cancel(r.Context().Err())
		_ = reader.CloseWithError(r.Context().Err())
		return nil, r.Context().Err()
	}
}

type responseBody struct {
	*io.PipeReader
	cancel context.CancelCauseFunc
}

// Close ends the handler's request.
func (b *responseBody) Close() error {
	b.cancel(context.Canceled)
	return b.PipeReader.Close()
}

// responseWriter is the handler's side of a response.
type responseWriter struct {
	mu       sync.Mutex
	header   http.Header
	response *http.Response
	body     *io.PipeWriter
	ready    chan struct{}
	sent     bool
	err      error
}

func (w *responseWriter) Header() http.Header { return w.header }

func (w *responseWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sent || status < 200 {
		return
	}
	w.sent = true
	w.response.StatusCode = status
	w.response.Status = http.StatusText(status)
	w.response.Header = w.header.Clone()
	for _, names := range w.header["Trailer"] {
		for name := range strings.SplitSeq(names, ",") {
			w.response.Trailer[http.CanonicalHeaderKey(strings.TrimSpace(name))] = nil
			w.response.Header.Del(strings.TrimSpace(name))
		}
	}
	w.response.Header.Del("Trailer")
	close(w.ready)
}

func (w *responseWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush sends the header.
func (w *responseWriter) Flush() { w.WriteHeader(http.StatusOK) }

// finish sends the trailers, which come before the end of the body.
func (w *responseWriter) finish() {
	w.WriteHeader(http.StatusOK)
	w.mu.Lock()
	for name := range w.response.Trailer {
		w.response.Trailer[name] = w.header[name]
	}
	for name, values := range w.header {
		if name, undeclared := strings.CutPrefix(name, http.TrailerPrefix); undeclared {
			w.response.Trailer[http.CanonicalHeaderKey(name)] = values
		}
	}
	w.mu.Unlock()
	_ = w.body.Close()
}

func (w *responseWriter) abort(err error) {
	w.mu.Lock()
	if !w.sent {
		w.sent, w.err = true, err
		w.response = nil
		close(w.ready)
	}
	w.mu.Unlock()
	_ = w.body.CloseWithError(err)
}
