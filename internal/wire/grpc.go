package wire

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
)

// The names of the headers that hold an error in gRPC and gRPC-Web.
const (
	HeaderGRPCStatus  = "grpc-status"
	HeaderGRPCMessage = "grpc-message"
	HeaderGRPCDetails = "grpc-status-details-bin"
)

// GRPC are the values of the headers, as they stand on the wire. An empty value is a
// header that is not sent.
type GRPC struct{ Status, Message, DetailsBin string }

// WriteGRPC returns the headers of an error, within the budget, and what did not fit,
// of which o.Note had each.
func WriteGRPC(e *hub.Error, o *Encoding) (h GRPC, lost hub.Notes) {
	e, lost = fit(e, o, hub.WireGRPC)
	o.noted(lost)
	number, details, unknown := plainStatus(e, o, hub.WireGRPC)
	h = GRPC{Status: strconv.Itoa(int(number)), Message: PercentEncode(e.Message)}
	if len(details) == 0 && len(unknown) == 0 {
		return h, lost
	}
	size := len(e.Message) + len(unknown) + 24
	for i := range details {
		size += len(details[i].TypeURL) + len(details[i].Value) + 24
	}
	var few [512]byte
	var text [len(few) * 4 / 3]byte
	status := few[:0]
	if size > len(few) {
		status = make([]byte, 0, size)
	}
	status = appendStatus(status, number, e.Message, details, unknown)
	h.DetailsBin = string(base64.RawStdEncoding.AppendEncode(text[:0], status))
	return h, lost
}

// ReadGRPC reads an error from headers or trailers, whose names may be of any case.
func ReadGRPC(e *hub.Error, headers map[string][]string, o *Decoding) error {
	r := newReading(e, hub.WireGRPC, o)
	status := headerValues(headers, HeaderGRPCStatus)
	messages := headerValues(headers, HeaderGRPCMessage)
	joined := headerValues(headers, HeaderGRPCDetails)
	details := splitBinary(joined)
	if len(status) == 0 {
		var said GRPC
		if len(messages) > 0 {
			said.Message = messages[0]
		}
		if len(details) > 0 {
			said.DetailsBin = details[0]
		}
		r.body = []byte(said.String())
		return r.foreign("no grpc-status")
	}
	number, text, isNumber := grpcStatus(status)
	if e.Number = number; number == 0 {
		return ErrOK
	}
	if !isNumber {
		e.Notes.Add("grpc-status %q is no number: UNKNOWN", hub.Clip(text, 64))
		e.SetReceived(hub.Received{Wire: hub.WireGRPC, CodeText: text})
	}
	r.noteOthers(HeaderGRPCStatus, status, text)
	if len(messages) > 0 {
		e.Message = jsontree.Clean(PercentDecode(messages[0]))
		r.noteOthers(HeaderGRPCMessage, messages, messages[0])
	}
	if len(details) > len(joined) {
		e.Notes.Add("%s holds %d values, joined by commas: the first counts", HeaderGRPCDetails, len(details))
	}
	r.detailsBin(details)
	r.restore(shapeBinary, jsontree.Value{})
	r.finish()
	return nil
}

// grpcStatus reads the values of grpc-status and returns that which counts: any that
// is not zero wins. One that is no number is UNKNOWN where no other says more.
func grpcStatus(values []string) (number int32, text string, isNumber bool) {
	isNumber = true
	for _, value := range values {
		n, err := strconv.ParseUint(value, 10, 31)
		switch {
		case err != nil && number == 0:
			number, text, isNumber = int32(code.Code_UNKNOWN), jsontree.Clean(value), false
		case err == nil && n != 0:
			return int32(n), value, true
		}
	}
	return number, text, isNumber
}

// splitBinary splits the values of a binary header at commas, by which proxies join
// several.
func splitBinary(values []string) []string {
	if !slices.ContainsFunc(values, func(s string) bool { return strings.IndexByte(s, ',') >= 0 }) {
		return values
	}
	var out []string
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			out = append(out, strings.TrimSpace(part))
		}
	}
	return out
}

// detailsBin adds what grpc-status-details-bin says to what the other two headers
// said, which decide.
func (r *reading) detailsBin(values []string) {
	if len(values) == 0 {
		return
	}
	r.noteOthers(HeaderGRPCDetails, values, values[0])
	if len(values[0]) > r.o.Limits.Body {
		r.Notes.Add("%s dropped: %v", HeaderGRPCDetails, errTooLarge)
		return
	}
	value, err := decodeBase64(values[0])
	if err != nil {
		r.Notes.Add("%s dropped: it is not base64", HeaderGRPCDetails)
		return
	}
	s, err := parseStatus(value, r.o.Limits.Details, &r.Notes)
	if err != nil {
		r.Notes.Add("%s dropped: %v", HeaderGRPCDetails, err)
		return
	}
	switch {
	case s.code != r.Number:
		r.Notes.Add("%s says code %d: the header's %d stands", HeaderGRPCDetails, s.code, r.Number)
		if !s.strict {
			r.Notes.Add("%s: details dropped, since its code is another and it is malformed", HeaderGRPCDetails)
			s.details, s.unknown = nil, nil
		}
		if r.Message == "" {
			r.Message = s.message
		} else if s.message != "" && s.message != r.Message {
			r.Notes.Add("%s says message %q: that of grpc-message stands", HeaderGRPCDetails, hub.Clip(s.message, 128))
		}
	case s.message != "":
		if r.Message != "" && r.Message != s.message {
			r.Notes.Add("grpc-message %q is not the message of %s, which stands", hub.Clip(r.Message, 128), HeaderGRPCDetails)
		}
		r.Message = s.message
	}
	r.Details = append(r.Details, s.details...)
	if len(s.unknown) > 0 {
		said := r.On(hub.WireGRPC)
		said.UnknownFields = s.unknown
		r.SetReceived(said)
	}
}

func headerValues(headers map[string][]string, name string) []string {
	if values, ok := headers[name]; ok && onlyKey(headers, name) {
		return values
	}
	keys := make([]string, 0, 2)
	for key := range headers {
		if strings.EqualFold(key, name) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	var found []string
	for _, key := range keys {
		found = append(found, headers[key]...)
	}
	return found
}

// onlyKey tells whether no other key differs from name in case alone.
func onlyKey(headers map[string][]string, name string) bool {
	keys := 0
	for key := range headers {
		if len(key) == len(name) && strings.EqualFold(key, name) {
			keys++
		}
	}
	return keys == 1
}
