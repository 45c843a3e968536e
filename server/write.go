package server

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"connectrpc.com/connect/v2"

	"github.com/errmap/errmap/internal/header"
	"github.com/errmap/errmap/internal/negotiate"
)

// trailerPrefix marks a trailer that is sent as a header.
const trailerPrefix = "Trailer-"

// write writes a whole response of one or two parts, and tells whether they may be
// changed then: net/http goes on with what it was given where a stream of HTTP/2 ends
// while it is sent.
func (h *handler) write(w http.ResponseWriter, r *http.Request, x *exchange, status int, body, more []byte) (free bool) {
	size := len(body) + len(more)
	if h.packer(r, size) != nil {
		return h.send(w, r, x, status, size, func(w io.Writer) error {
			_, err := w.Write(body)
			if err == nil {
				_, err = w.Write(more)
			}
			return err
		})
	}
	h.head(w, status, size)
	defer h.writes.Finish(w)
	_, err := h.writes.Write(&x.writing, w, body)
	if err == nil && len(more) > 0 {
		_, err = h.writes.Write(&x.writing, w, more)
	}
	return err == nil
}

// send writes a response of that many bytes, which emit writes, as the client wants it
// compressed. A client that left is not told so. What is large is not made whole for
// compressing, and so has no length.
func (h *handler) send(w http.ResponseWriter, r *http.Request, x *exchange, status, size int, emit func(io.Writer) error) (free bool) {
	out := bounded{h, w, x}
	defer h.writes.Finish(w)
	compressor := h.packer(r, size)
	if compressor == nil {
		h.head(w, status, size)
		return emit(out) == nil
	}
	var packed bytes.Buffer
	into := io.Writer(&packed)
	if size > maxPooledBytes {
		w.Header()[headerContentType] = []string{typeJSON}
		w.Header()[headerContentEncoding] = []string{compressor.Name()}
		w.WriteHeader(status)
		into = out
	}
	packer, err := compressor.Compress(into)
	if err == nil {
		err = errors.Join(emit(packer), packer.Close())
	}
	switch {
	case size > maxPooledBytes:
	case err != nil:
		h.head(w, status, size)
		err = emit(out)
	default:
		w.Header()[headerContentEncoding] = []string{compressor.Name()}
		h.head(w, status, packed.Len())
		_, err = out.Write(packed.Bytes())
	}
	return err == nil
}

// head sends the headers of a response of that many bytes.
func (h *handler) head(w http.ResponseWriter, status, size int) {
	header, fixed := w.Header(), [...]string{typeJSON, strconv.Itoa(size)}
	header[headerContentType], header[headerContentLength] = fixed[:1:1], fixed[1:2:2]
	w.WriteHeader(status)
}

// bounded writes what the client has a bounded time to accept.
type bounded struct {
	h *handler
	w http.ResponseWriter
	x *exchange
}

// Write implements [io.Writer].
func (b bounded) Write(p []byte) (int, error) { return b.h.writes.Write(&b.x.writing, b.w, p) }

// packer returns the first of our encodings that the client accepts for an answer of
// that size, nil where it is to stay as it is.
func (h *handler) packer(r *http.Request, size int) connect.Compressor {
	if size < h.compressMinBytes {
		return nil
	}
	accept := r.Header[headerAcceptEncoding]
	for _, compressor := range h.compressors {
		if negotiate.Encoding(accept, compressor.Name()) {
			return compressor
		}
	}
	return nil
}

func (h *handler) compressor(coding string) connect.Compressor {
	if coding == "" {
		return nil
	}
	for _, compressor := range h.compressors {
		if strings.EqualFold(compressor.Name(), coding) {
			return compressor
		}
	}
	return nil
}

func (h *handler) compressorNames() string {
	names := make([]string, 0, len(h.compressors)+1)
	for _, compressor := range h.compressors {
		names = append(names, compressor.Name())
	}
	return strings.Join(append(names, connect.CompressionNameIdentity), ", ")
}

func isIdentity(coding string) bool {
	return coding == "" || strings.EqualFold(coding, connect.CompressionNameIdentity)
}

func encodingName(coding string) string {
	if isIdentity(coding) {
		return connect.CompressionNameIdentity
	}
	return strings.ToLower(coding)
}

// addHeaders adds what a method set, each key with prefix before it.
func addHeaders(into http.Header, from *connect.Header, prefix string) {
	if from.Len() == 0 {
		return
	}
	for key, values := range from.All() {
		if !header.OfTransport(key) {
			into[prefix+key] = append(into[prefix+key], values...)
		}
	}
}
