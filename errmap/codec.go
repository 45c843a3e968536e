package errmap

import (
	"errors"
	"log/slog"
	"strings"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/wire"
)

// The content types of errors on HTTP+JSON.
const (
	ContentTypeJSON    = "application/json"
	ContentTypeA2A     = "application/a2a+json"
	ContentTypeProblem = "application/problem+json"
)

// The names of the headers that hold an error in gRPC and gRPC-Web.
const (
	HeaderGRPCStatus  = "grpc-status"
	HeaderGRPCMessage = "grpc-message"
	HeaderGRPCDetails = "grpc-status-details-bin"
)

// ErrOK is what a decoder reports of a status whose code is OK: no error.
var ErrOK = wire.ErrOK

// A FormError is what a decoder reports of a body that is not of the expected
// kind, where no HTTP status says what it was.
type FormError struct {
	// Wire is the form that was expected.
	Wire Wire
	// Reason tells what is wrong.
	Reason string
}

// Error returns the form and what is wrong.
func (e *FormError) Error() string {
	return (&wire.FormError{Wire: hub.Wire(e.Wire), Reason: e.Reason}).Error()
}

// read makes an error of what a decoder reads into it.
func (o *decodeOptions) read(from func(*hub.Error) error) (*Error, error) {
	e := newError()
	e.catalog, e.decoded, e.trusted = o.catalog, true, o.trusted
	if err := from(&e.hub); err != nil {
		if form, ok := errors.AsType[*wire.FormError](err); ok {
			return nil, &FormError{Wire: Wire(form.Wire), Reason: form.Reason}
		}
		return nil, err
	}
	return e, nil
}

// Status returns e as a google.rpc.Status, nil for nil. Details that are JSON
// ride along in an errmap.v1.Carried.
func (e *Error) Status(opts ...EncodeOption) *statuspb.Status {
	if e == nil {
		return nil
	}
	return wire.Status(&e.hub, newEncodeOptions(opts).encoding())
}

// StatusOn returns the google.rpc.Status of which an RPC library makes what the
// encoder of a wire would have written: WireConnect, which has no private codes;
// WireGRPC, for whose headers there is a budget; WireStatus for a library that hands
// the Status on as it is. It has no unknown fields, for which libraries have no
// place: they ride along. Adapters use it. It is nil for nil.
func (e *Error) StatusOn(w Wire, opts ...EncodeOption) *statuspb.Status {
	if e == nil {
		return nil
	}
	o := newEncodeOptions(opts)
	s, lost := wire.StatusOn(&e.hub, o.encoding(), hub.Wire(w))
	o.overBudget(lost)
	return s
}

// FromStatus reads a google.rpc.Status. Its details are not decoded. Nil and a
// Status whose code is 0 are no error: FromStatus returns ErrOK.
func FromStatus(s *statuspb.Status, opts ...DecodeOption) (*Error, error) {
	o := newDecodeOptions(opts)
	return o.read(func(e *hub.Error) error { return wire.ReadStatus(e, s, &o.Decoding) })
}

// FromHTTPStatus returns the error that the HTTP status of a response stands for on
// a wire whose body says nothing, as docs/wire.md section 3 has it; nil for a status
// below 100 or above 999, which no response has.
func FromHTTPStatus(w Wire, status int) *Error {
	if !wire.IsHTTPStatus(status) {
		return nil
	}
	e := new(Error)
	wire.FromHTTPStatus(&e.hub, hub.Wire(w), status)
	return e
}

// EncodeStatusJSON returns e as the ProtoJSON of a google.rpc.Status, with
// what docs/wire.md section 8 has for details without ProtoJSON; nil for nil.
func EncodeStatusJSON(e *Error, opts ...EncodeOption) []byte {
	if e == nil {
		return nil
	}
	return wire.AppendStatusJSON(nil, &e.hub, newEncodeOptions(opts).encoding())
}

// DecodeStatusJSON reads the ProtoJSON of a google.rpc.Status. It returns ErrOK
// where the code is 0 or missing.
func DecodeStatusJSON(body []byte, opts ...DecodeOption) (*Error, error) {
	o := newDecodeOptions(opts)
	return o.read(func(e *hub.Error) error { return wire.ReadStatusJSON(e, body, &o.Decoding) })
}

// EncodeConnect returns e as the JSON error of the Connect protocol, which is
// the body of a failed unary call and stands in the end-of-stream message of a
// stream; nil for nil. The HTTP status that goes with it is HTTPStatus of the
// code, whatever the error's own is elsewhere.
func EncodeConnect(e *Error, opts ...EncodeOption) []byte {
	if e == nil {
		return nil
	}
	return wire.AppendConnect(nil, &e.hub, newEncodeOptions(opts).encoding())
}

// DecodeConnect reads the JSON error of the Connect protocol. A code that is
// none falls back to what WithHTTPStatus says, and to UNKNOWN WithinStream.
func DecodeConnect(body []byte, opts ...DecodeOption) (*Error, error) {
	o := newDecodeOptions(opts)
	return o.read(func(e *hub.Error) error { return wire.ReadConnect(e, body, &o.Decoding) })
}

// EncodeHTTP returns the HTTP status and the JSON body of e on HTTP+JSON as
// AIP-193 has it; 0 and nil for nil. The content type is application/json, or
// application/a2a+json for a client that asks for it.
func EncodeHTTP(e *Error, opts ...EncodeOption) (status int, body []byte) {
	if e == nil {
		return 0, nil
	}
	return wire.AppendHTTP(nil, &e.hub, newEncodeOptions(opts).encoding())
}

// DecodeHTTP reads the JSON body of an error on HTTP+JSON in the form of AIP-193
// and in those that stand for it: inside an array, without its wrapper, with a
// canonical number or the text of one as its code, or a string as the error.
func DecodeHTTP(body []byte, opts ...DecodeOption) (*Error, error) {
	o := newDecodeOptions(opts)
	return o.read(func(e *hub.Error) error { return wire.ReadHTTP(e, body, &o.Decoding) })
}

// EncodeProblem returns the HTTP status and the body of e as RFC 9457 problem
// details; 0 and nil for nil. Its content type is ContentTypeProblem.
func EncodeProblem(e *Error, opts ...EncodeOption) (status int, body []byte) {
	if e == nil {
		return 0, nil
	}
	return wire.AppendProblem(nil, &e.hub, newEncodeOptions(opts).encoding())
}

// DecodeProblem reads RFC 9457 problem details. The real HTTP status, where
// WithHTTPStatus gives it, wins over the one in the body.
func DecodeProblem(body []byte, opts ...DecodeOption) (*Error, error) {
	o := newDecodeOptions(opts)
	return o.read(func(e *hub.Error) error { return wire.ReadProblem(e, body, &o.Decoding) })
}

// EncodeJSONRPC returns e as the error object of JSON-RPC 2.0 section 5.1 under
// a profile; nil for nil.
func EncodeJSONRPC(e *Error, p Profile, opts ...EncodeOption) []byte {
	out, _ := AppendJSONRPC(nil, e, p, opts...)
	return out
}

// AppendJSONRPC appends the error object to dst and returns its number too, for
// Profile.HTTPStatus; a nil error appends nothing.
func AppendJSONRPC(dst []byte, e *Error, p Profile, opts ...EncodeOption) (out []byte, number int64) {
	if e == nil {
		return dst, 0
	}
	return wire.AppendJSONRPC(dst, &e.hub, p.wire(), newEncodeOptions(opts).encoding())
}

// JSONRPCCode returns the number that e has under a profile, which is the code of
// the error object that EncodeJSONRPC writes; 0 for nil.
func (e *Error) JSONRPCCode(p Profile, opts ...EncodeOption) int64 {
	if e == nil {
		return 0
	}
	return wire.Number(&e.hub, p.wire(), newEncodeOptions(opts).encoding())
}

// DecodeJSONRPC reads the error object of JSON-RPC 2.0 under a profile, or the
// response that holds one.
func DecodeJSONRPC(object []byte, p Profile, opts ...DecodeOption) (*Error, error) {
	o := newDecodeOptions(opts)
	return o.read(func(e *hub.Error) error { return wire.ReadJSONRPC(e, object, p.wire(), &o.Decoding) })
}

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
	wire.GRPC(h).Each(func(name, value string) { m[name] = []string{value} })
	return m
}

// String returns the headers as lines, "grpc-status: 5" first.
func (h GRPCHeaders) String() string {
	var b strings.Builder
	wire.GRPC(h).Each(func(name, value string) { b.WriteString(name + ": " + value + "\n") })
	return b.String()
}

// EncodeGRPC returns the headers of e; none for nil. They stay within the budget
// of WithBudget: docs/wire.md section 5 says what goes first where they would
// not, and WithNotes what went.
func EncodeGRPC(e *Error, opts ...EncodeOption) GRPCHeaders {
	if e == nil {
		return GRPCHeaders{}
	}
	o := newEncodeOptions(opts)
	h, lost := wire.WriteGRPC(&e.hub, o.encoding())
	o.overBudget(lost)
	return GRPCHeaders(h)
}

// overBudget tells of what did not fit into gRPC's headers.
func (o *encodeOptions) overBudget(lost hub.Notes) {
	if len(lost) > 0 && o.Note == nil {
		slog.Warn("parts of an error did not fit into gRPC headers", "budget", o.Budget, "notes", []string(lost))
	}
}

// DecodeGRPC reads an error from headers or trailers, whose names may be of any
// case. Without a grpc-status the error is what WithHTTPStatus says; a status of
// 0 is no error: ErrOK.
func DecodeGRPC(headers map[string][]string, opts ...DecodeOption) (*Error, error) {
	o := newDecodeOptions(opts)
	return o.read(func(e *hub.Error) error { return wire.ReadGRPC(e, headers, &o.Decoding) })
}
