package server

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"connectrpc.com/connect/v2"

	"github.com/errmap/errmap/internal/header"
	"github.com/errmap/errmap/internal/negotiate"
)

// trailerPrefix marks a trailer that is sent as a header.
const trailerPrefix = "Trailer-"

// write writes a whole response, and tells whether body may be changed then: net/http
// goes on with what it was given where a stream of HTTP/2 ends while it is sent.
func (h *handler) write(w http.ResponseWriter, r *http.Request, status int, body []byte) (free bool) {
	header := w.Header()
	fixed := [...]string{typeJSON, ""}
	if packed, coding := h.compress(r, body); coding != "" {
		body = packed
		header[headerContentEncoding] = []string{coding}
	}
	fixed[1] = strconv.Itoa(len(body))
	header[headerContentType], header[headerContentLength] = fixed[:1:1], fixed[1:2:2]
	w.WriteHeader(status)
	// A client that left is not told so.
	_, err := w.Write(body)
	return err == nil
}

// compress packs a body that is worth it in the first encoding of ours that the
// client accepts; the name is "" where it stays as it is.
func (h *handler) compress(r *http.Request, body []byte) ([]byte, string) {
	if len(body) < h.compressMinBytes {
		return nil, ""
	}
	accept := r.Header[headerAcceptEncoding]
	for _, compressor := range h.compressors {
		if !negotiate.Encoding(accept, compressor.Name()) {
			continue
		}
		var packed bytes.Buffer
		writer, err := compressor.Compress(&packed)
		if err != nil {
			return nil, ""
		}
		_, failed := writer.Write(body)
		if writer.Close() != nil || failed != nil {
			return nil, ""
		}
		return packed.Bytes(), compressor.Name()
	}
	return nil, ""
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
