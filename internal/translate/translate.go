// Package translate reads and writes errors in forms that are chosen by name. It
// is what the convert command does with one error, and what the vectors run.
package translate

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/errmap/errmap/errmap"
)

// Form is the name of a form in which an error is text.
type Form string

const (
	Connect Form = "connect" // the JSON error of the Connect protocol
	GRPC    Form = "grpc"    // header lines: grpc-status and its companions
	Status  Form = "status"  // google.rpc.Status as ProtoJSON
	HTTP    Form = "http"    // the JSON body of AIP-193
	Problem Form = "problem" // RFC 9457 problem details
	JSONRPC Form = "jsonrpc" // the error object of JSON-RPC 2.0
)

// IsJSON tells whether the form is JSON, as all but GRPC are.
func (f Form) IsJSON() bool { return f != GRPC }

// Forms returns all forms.
func Forms() []Form { return []Form{Connect, GRPC, Status, HTTP, Problem, JSONRPC} }

// ParseForm returns the form of that name. Its error lists the names.
func ParseForm(name string) (Form, error) {
	if slices.Contains(Forms(), Form(name)) {
		return Form(name), nil
	}
	return "", fmt.Errorf("unknown form %q: want one of %s", name, joined(Forms()))
}

// Request is one translation to do.
type Request struct {
	From, To               Form
	FromProfile, ToProfile errmap.Profile
	// HTTPStatus is the status that Input came with, 0 where that is not known.
	HTTPStatus int
	Input      []byte
}

// Result is what became of a Request.
type Result struct {
	// Output is the error in its new form, without a line feed at the end.
	Output []byte
	// HTTPStatus is the status of an HTTP answer with Output, 0 for a form that
	// is in none.
	HTTPStatus int
	// Notes say what was dropped or repaired on the way in or out.
	Notes []string
}

// Run translates one error. It fails where the input is no error, or not of its
// form and no HTTP status tells what it was.
func Run(r Request, opts ...errmap.Option) (Result, error) {
	decode := make([]errmap.DecodeOption, len(opts))
	encode := make([]errmap.EncodeOption, len(opts))
	for i, opt := range opts {
		decode[i], encode[i] = opt, opt
	}
	if r.HTTPStatus != 0 {
		decode = append(decode, errmap.WithHTTPStatus(r.HTTPStatus))
	}
	e, err := Decode(r.From, r.FromProfile, r.Input, decode...)
	if err != nil {
		return Result{}, err
	}
	result := Encode(e, r.To, r.ToProfile, encode...)
	result.Notes = append(e.Notes(), result.Notes...)
	return result, nil
}

// Decode reads an error of a form. The profile counts for JSONRPC alone.
func Decode(f Form, p errmap.Profile, input []byte, opts ...errmap.DecodeOption) (*errmap.Error, error) {
	switch f {
	case Connect:
		return errmap.DecodeConnect(input, opts...)
	case GRPC:
		return errmap.DecodeGRPC(headerLines(input), opts...)
	case Status:
		return errmap.DecodeStatusJSON(input, opts...)
	case HTTP:
		return errmap.DecodeHTTP(input, opts...)
	case Problem:
		return errmap.DecodeProblem(input, opts...)
	case JSONRPC:
		return errmap.DecodeJSONRPC(input, p, opts...)
	}
	_, err := ParseForm(string(f))
	return nil, err
}

// Encode writes an error in a form. The profile counts for JSONRPC alone.
func Encode(e *errmap.Error, f Form, p errmap.Profile, opts ...errmap.EncodeOption) Result {
	var r Result
	opts = append(slices.Clip(opts), errmap.WithNotes(func(note string) { r.Notes = append(r.Notes, note) }))
	switch f {
	case Connect:
		r.HTTPStatus, r.Output = errmap.HTTPStatus(e.Code()), errmap.EncodeConnect(e, opts...)
	case GRPC:
		r.HTTPStatus = http.StatusOK
		r.Output = []byte(strings.TrimSuffix(errmap.EncodeGRPC(e, opts...).String(), "\n"))
	case Status:
		r.Output = errmap.EncodeStatusJSON(e, opts...)
	case HTTP:
		r.HTTPStatus, r.Output = errmap.EncodeHTTP(e, opts...)
	case Problem:
		r.HTTPStatus, r.Output = errmap.EncodeProblem(e, opts...)
	case JSONRPC:
		var number int64
		r.Output, number = errmap.AppendJSONRPC(nil, e, p, opts...)
		r.HTTPStatus = p.HTTPStatus(number)
	}
	return r
}

// headerLines reads "name: value" lines. A line without a colon is no header.
func headerLines(text []byte) map[string][]string {
	headers := map[string][]string{}
	for line := range bytes.Lines(text) {
		name, value, found := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
		if !found {
			continue
		}
		name = strings.ToLower(strings.TrimSpace(name))
		headers[name] = append(headers[name], strings.Trim(value, " \t"))
	}
	return headers
}

// Message returns the text of an error of Run for people, without the library's
// prefix.
func Message(err error) string {
	if errors.Is(err, errmap.ErrOK) {
		return "the code is OK, which is no error"
	}
	return strings.TrimPrefix(err.Error(), "errmap: ")
}

func joined(forms []Form) string {
	names := make([]string, len(forms))
	for i, f := range forms {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}
