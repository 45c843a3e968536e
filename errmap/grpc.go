package errmap

import (
	"encoding/base64"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/schema"
)

// The names of the headers that hold an error in gRPC and gRPC-Web.
const (
	HeaderGRPCStatus  = "grpc-status"
	HeaderGRPCMessage = "grpc-message"
	HeaderGRPCDetails = "grpc-status-details-bin"
)

// GRPCHeaders are the values of the headers, or trailers, that hold an error in
// gRPC and gRPC-Web, as they stand on the wire. An empty value is a header that
// is not sent.
type GRPCHeaders struct {
	Status     string // grpc-status: the number
	Message    string // grpc-message: percent-encoded
	DetailsBin string // grpc-status-details-bin: unpadded base64 of google.rpc.Status
}

// Map returns the headers that are sent, by their lower-case names.
func (h GRPCHeaders) Map() map[string][]string {
	m := make(map[string][]string, 3)
	h.each(func(name, value string) { m[name] = []string{value} })
	return m
}

// String returns the headers as lines, "grpc-status: 5" first.
func (h GRPCHeaders) String() string {
	var b strings.Builder
	h.each(func(name, value string) { b.WriteString(name + ": " + value + "\n") })
	return b.String()
}

func (h GRPCHeaders) each(f func(name, value string)) {
	if h.Status != "" {
		f(HeaderGRPCStatus, h.Status)
	}
	if h.Message != "" {
		f(HeaderGRPCMessage, h.Message)
	}
	if h.DetailsBin != "" {
		f(HeaderGRPCDetails, h.DetailsBin)
	}
}

// size is what counts against the budget: names and values.
func (h GRPCHeaders) size() int {
	n := 0
	h.each(func(name, value string) { n += len(name) + len(value) })
	return n
}

// EncodeGRPC returns the headers of e; none for nil. They stay within the budget
// of WithBudget: docs/wire.md section 5 says what goes first where they would
// not, and WithNotes what went.
func EncodeGRPC(e *Error, opts ...EncodeOption) GRPCHeaders {
	if e == nil {
		return GRPCHeaders{}
	}
	o := newEncodeOptions(opts)
	e = readable(e, o.catalog)
	h := encodeGRPC(e, o)
	if o.budget < 0 || h.size() <= o.budget {
		return h
	}
	return fitGRPC(e, o)
}

// DecodeGRPC reads an error from headers or trailers, whose names may be of any
// case. Without a grpc-status the error is what WithHTTPStatus says; a status of
// 0 is no error: ErrOK.
func DecodeGRPC(headers map[string][]string, opts ...DecodeOption) (*Error, error) {
	o := newDecodeOptions(opts)
	status := headerValues(headers, HeaderGRPCStatus)
	messages := headerValues(headers, HeaderGRPCMessage)
	details := headerValues(headers, HeaderGRPCDetails)
	if len(status) == 0 {
		said := GRPCHeaders{Message: first(messages), DetailsBin: first(details)}
		return foreign(WireGRPC, []byte(said.String()), o, CodeFromConnectHTTP, "no grpc-status")
	}
	e := &Error{decoded: true}
	number, text, isNumber := grpcStatus(status)
	if e.number = number; e.number == 0 {
		return nil, ErrOK
	}
	if !isNumber {
		e.notes.add("grpc-status %q is no number: UNKNOWN", clip(text, 64))
		e.setReceived(Received{Wire: WireGRPC, CodeText: text})
	}
	noteOthers(e, HeaderGRPCStatus, status, text)
	if len(messages) > 0 {
		e.message = schema.Repair(percentDecode(messages[0]))
		noteOthers(e, HeaderGRPCMessage, messages, messages[0])
	}
	readDetailsBin(e, details, o)
	restore(o.catalog, e, shapeBinary)
	o.finish(e)
	return e, nil
}

// grpcStatus reads the values of grpc-status and returns that which counts: any
// that is not zero wins. One that is no number is UNKNOWN where no other says more.
func grpcStatus(values []string) (number int32, text string, isNumber bool) {
	isNumber = true
	for _, value := range values {
		n, err := strconv.ParseUint(value, 10, 31)
		switch {
		case err != nil && number == 0:
			number, text, isNumber = int32(code.Code_UNKNOWN), schema.Repair(value), false
		case err == nil && n != 0:
			return int32(n), value, true
		}
	}
	return number, text, isNumber
}

// noteOthers tells of the values of a header that says several things.
func noteOthers(e *Error, name string, values []string, counts string) {
	for _, value := range values {
		if schema.Repair(value) != schema.Repair(counts) {
			e.notes.add("%s: %q stands beside the value that counts, and is dropped", name, clip(value, 128))
		}
	}
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// readDetailsBin adds what grpc-status-details-bin says to what the other two
// headers said, which decide.
func readDetailsBin(e *Error, values []string, o *decodeOptions) {
	if len(values) == 0 {
		return
	}
	noteOthers(e, HeaderGRPCDetails, values, values[0])
	if len(values[0]) > o.limits.Body {
		e.notes.add("%s dropped: %v", HeaderGRPCDetails, errTooLarge)
		return
	}
	value, err := decodeBase64(values[0])
	if err != nil {
		e.notes.add("%s dropped: it is not base64", HeaderGRPCDetails)
		return
	}
	s, strict, err := parseStatus(value, o.limits.Details, &e.notes)
	if err != nil {
		e.notes.add("%s dropped: %v", HeaderGRPCDetails, err)
		return
	}
	if s.GetCode() != e.number {
		e.notes.add("%s says code %d: the header's %d stands", HeaderGRPCDetails, s.GetCode(), e.number)
		if !strict {
			e.notes.add("%s: details dropped, since its code is another and it is malformed", HeaderGRPCDetails)
			s.Details = nil
			s.ProtoReflect().SetUnknown(nil)
		}
		if e.message == "" {
			e.message = s.GetMessage()
		} else if s.GetMessage() != "" && s.GetMessage() != e.message {
			e.notes.add("%s says message %q: that of grpc-message stands", HeaderGRPCDetails, clip(s.GetMessage(), 128))
		}
	} else if s.GetMessage() != "" {
		if e.message != "" && e.message != s.GetMessage() {
			e.notes.add("grpc-message %q is not the message of %s, which stands", clip(e.message, 128), HeaderGRPCDetails)
		}
		e.message = s.GetMessage()
	}
	for _, any := range s.GetDetails() {
		e.details = append(e.details, RawDetail{typeURL: any.GetTypeUrl(), value: any.GetValue()})
	}
	if unknown := s.ProtoReflect().GetUnknown(); len(unknown) > 0 {
		r := e.receivedOn(WireGRPC)
		r.UnknownFields = unknown
		e.setReceived(r)
	}
}

// encodeGRPC returns the headers whatever their size.
func encodeGRPC(e *Error, o *encodeOptions) GRPCHeaders {
	if h, ok := plainGRPC(e); ok {
		return h
	}
	return settleGRPC(e, o)
}

func settleGRPC(e *Error, o *encodeOptions) GRPCHeaders {
	s := encodeStatus(e, o, WireGRPC)
	h := GRPCHeaders{Status: strconv.Itoa(int(s.GetCode())), Message: percentEncode(s.GetMessage())}
	if len(s.GetDetails()) > 0 || len(s.ProtoReflect().GetUnknown()) > 0 {
		if b, err := (proto.MarshalOptions{Deterministic: true}).Marshal(s); err == nil {
			h.DetailsBin = base64.RawStdEncoding.EncodeToString(b)
		}
	}
	return h
}

func headerValues(headers map[string][]string, name string) []string {
	keys := 0
	for key := range headers {
		if strings.EqualFold(key, name) {
			keys++
		}
	}
	if values, ok := headers[name]; ok && keys == 1 {
		return append([]string(nil), values...)
	}
	var found []string
	for _, key := range sortedKeys(headers) {
		if strings.EqualFold(key, name) {
			found = append(found, headers[key]...)
		}
	}
	return found
}

const upperHex = "0123456789ABCDEF"

// percentEncode encodes a grpc-message: bytes outside 0x20 to 0x7E, the percent
// sign, and a space at either end, which HTTP would trim.
func percentEncode(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = !mustEscape(s, i)
	}
	if plain {
		return s
	}
	out := make([]byte, 0, len(s)+16)
	for i := range len(s) {
		if c := s[i]; mustEscape(s, i) {
			out = append(out, '%', upperHex[c>>4], upperHex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

func mustEscape(s string, i int) bool {
	c := s[i]
	return c < ' ' || c > '~' || c == '%' || c == ' ' && (i == 0 || i == len(s)-1)
}

// percentDecode decodes a grpc-message; an invalid escape is text.
func percentDecode(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if b, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(b))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}
