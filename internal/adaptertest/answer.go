package adaptertest

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/encoding/protowire"
)

// The vectors of the field reports: in unpadded base64.
const (
	StatusST9   = "CAkSCG5vIHN0b2NrGlYKKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5FcnJvckluZm8SKgoLU1RPQ0tfRU1QVFkSEHNob3AuZXhhbXBsZS5jb20aCQoDc2t1EgJBMRotCiN0eXBlLmdvb2dsZWFwaXMuY29tL2FjbWUudjkuTXlzdGVyeRIGCJYBEgF4"
	StatusST5   = "CAUSBGdvbmUaVgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxIqCgtTVE9DS19FTVBUWRIQc2hvcC5leGFtcGxlLmNvbRoJCgNza3USAkEx"
	StatusSTP   = "CAkSCG5vIHN0b2NrGlQKJnR5cGVzLmV4YW1wbGUuY29tL2dvb2dsZS5ycGMuRXJyb3JJbmZvEioKC1NUT0NLX0VNUFRZEhBzaG9wLmV4YW1wbGUuY29tGgkKA3NrdRICQTE"
	StatusSTM   = "CAkSAW0aLgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxICCv8"
	StatusSTMIN = "CAUSBGdvbmU="
)

// An Answer is a raw HTTP response.
type Answer struct {
	Status  int
	Header  map[string]string
	Body    string
	Trailer map[string]string
}

// ServeHTTP sends the answer.
func (a Answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	for name, value := range a.Trailer {
		w.Header().Set(http.TrailerPrefix+name, value)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	_, _ = io.WriteString(w, a.Body)
	if a.Trailer != nil {
		w.(http.Flusher).Flush()
	}
}

// Web returns an answer of gRPC as one of gRPC-Web.
func (a Answer) Web() Answer {
	header := map[string]string{}
	for name, value := range a.Header {
		header[name] = strings.Replace(value, "application/grpc", "application/grpc-web+proto", 1)
	}
	a.Header = header
	if a.Trailer == nil {
		return a
	}
	var block strings.Builder
	for name, value := range a.Trailer {
		block.WriteString(name + ": " + value + "\r\n")
	}
	n := block.Len()
	a.Body += string([]byte{0x80, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + block.String()
	a.Trailer = nil
	return a
}

// Told is what a client learned of an error.
type Told struct {
	Code    code.Code
	Number  int32 // where it is not the code's
	Message string
	Local   bool
	Types   []string // of the details, without the usual prefix
	Reason  string
	HTTP    int // the HTTP status, where it is not the code's
	Delay   time.Duration
}

// Tell returns what a client learned.
func Tell(t testing.TB, err error) Told {
	t.Helper()
	e, ok := errors.AsType[*errmap.Error](err)
	if !ok {
		t.Fatalf("got %v, which holds no *errmap.Error", err)
	}
	if e.Local() == e.Remote() {
		t.Errorf("Local %v, Remote %v", e.Local(), e.Remote())
	}
	told := Told{Code: e.Code(), Message: e.Message(), Local: e.Local(), Reason: e.Reason()}
	if e.Number() != int32(e.Code()) {
		told.Number = e.Number()
	}
	if e.HTTPStatus() != errmap.HTTPStatus(e.Code()) {
		told.HTTP = e.HTTPStatus()
	}
	for _, d := range e.Details() {
		told.Types = append(told.Types, strings.TrimPrefix(d.TypeURL(), "type.googleapis.com/"))
	}
	told.Delay, _ = e.RetryDelay()
	return told
}

// A Case is an answer and what a client should learn from it.
type Case struct {
	Answer Answer
	Want   Told
}

const (
	typeInfo    = "google.rpc.ErrorInfo"
	typeMystery = "acme.v9.Mystery"
)

// GRPC returns answers to a call over gRPC, after docs/wire.md section 5.
func GRPC() map[string]Case {
	header := map[string]string{"Content-Type": "application/grpc"}
	trailers := func(status, message, details string) Answer {
		t := map[string]string{"grpc-status": status}
		if message != "" {
			t["grpc-message"] = message
		}
		if details != "" {
			t["grpc-status-details-bin"] = details
		}
		return Answer{Header: header, Trailer: t}
	}
	notUTF8 := protowire.AppendTag(nil, 1, protowire.VarintType)
	notUTF8 = protowire.AppendVarint(notUTF8, 5)
	notUTF8 = protowire.AppendTag(notUTF8, 2, protowire.BytesType)
	notUTF8 = protowire.AppendString(notUTF8, "caf\xe9")
	st5, err := base64.RawStdEncoding.DecodeString(StatusST5)
	if err != nil {
		panic(err)
	}
	notUTF8 = append(notUTF8, st5[8:]...) // the detail of ST5
	return map[string]Case{
		"details":              {trailers("9", "no stock", StatusST9), Told{Code: 9, Message: "no stock", Types: []string{typeInfo, typeMystery}, Reason: "STOCK_EMPTY"}},
		"trailers only":        {Answer{Header: map[string]string{"Content-Type": "application/grpc", "grpc-status": "9", "grpc-message": "no stock", "grpc-status-details-bin": StatusST9}}, Told{Code: 9, Message: "no stock", Types: []string{typeInfo, typeMystery}, Reason: "STOCK_EMPTY"}},
		"percent encoding":     {trailers("9", "no%20stock%20caf%C3%A9", ""), Told{Code: 9, Message: "no stock café"}},
		"a percent sign":       {trailers("9", "100%", ""), Told{Code: 9, Message: "100%"}},
		"padded details":       {trailers("5", "gone", StatusSTMIN), Told{Code: 5, Message: "gone"}},
		"no number":            {trailers("abc", "m", ""), Told{Code: 2, Message: "m"}},
		"leading zeros":        {trailers("007", "m", ""), Told{Code: 7, Message: "m"}},
		"a private code":       {trailers("42", "m", ""), Told{Code: 2, Number: 42, Message: "m"}},
		"an HTTP status":       {trailers("404", "m", ""), Told{Code: 2, Number: 404, Message: "m"}},
		"codes disagree":       {trailers("5", "gone", StatusST9), Told{Code: 5, Message: "gone", Types: []string{typeInfo, typeMystery}, Reason: "STOCK_EMPTY"}},
		"no base64":            {trailers("9", "m", "!!!"), Told{Code: 9, Message: "m"}},
		"no status":            {trailers("9", "m", "Cv8"), Told{Code: 9, Message: "m"}},
		"a broken detail":      {trailers("9", "m", StatusSTM), Told{Code: 9, Message: "m", Types: []string{typeInfo}}},
		"another prefix":       {trailers("9", "no stock", StatusSTP), Told{Code: 9, Message: "no stock", Types: []string{"types.example.com/google.rpc.ErrorInfo"}, Reason: "STOCK_EMPTY"}},
		"text that is no text": {trailers("5", "caf%E9", base64.RawStdEncoding.EncodeToString(notUTF8)), Told{Code: 5, Message: "caf\uFFFD", Types: []string{typeInfo}, Reason: "STOCK_EMPTY"}},
		"no trailers":          {Answer{Header: header, Body: "\x00\x00\x00\x00\x00"}, Told{Code: 13, Local: true}},
		"a page":               {Answer{Status: 502, Header: map[string]string{"Content-Type": "text/html"}, Body: "<html><h1>bad gateway</h1>upstream 10.0.0.7</html>"}, Told{Code: 14, Message: "HTTP status 502 Bad Gateway", Local: true, HTTP: 502}},
		"a limit":              {Answer{Status: 429, Header: map[string]string{"Content-Type": "text/plain", "Retry-After": "7"}, Body: "slow down"}, Told{Code: 14, Message: "HTTP status 429 Too Many Requests", Local: true, HTTP: 429, Types: []string{"google.rpc.RetryInfo"}, Delay: 7 * time.Second}},
	}
}

// Connect returns answers to a unary call over the Connect protocol, after
// docs/wire.md section 4.
func Connect() map[string]Case {
	body := func(status int, text string) Answer {
		return Answer{Status: status, Header: map[string]string{"Content-Type": "application/json"}, Body: text}
	}
	const info = `{"type":"google.rpc.ErrorInfo","value":"CgtTVE9DS19FTVBUWRIQc2hvcC5leGFtcGxlLmNvbRoJCgNza3USAkEx"}`
	return map[string]Case{
		"details":            {body(404, `{"code":"not_found","message":"gone","details":[`+info+`,{"type":"acme.v9.Mystery","value":"CJYBEgF4"}]}`), Told{Code: 5, Message: "gone", Types: []string{typeInfo, typeMystery}, Reason: "STOCK_EMPTY"}},
		"debug is text":      {body(503, `{"code":"unavailable","details":[{"type":"google.protobuf.Duration","value":"CAE","debug":"1s"}]}`), Told{Code: 14, Types: []string{"google.protobuf.Duration"}}},
		"debug is null":      {body(503, `{"code":"unavailable","details":[{"type":"google.protobuf.Duration","value":"CAE","debug":null}]}`), Told{Code: 14, Types: []string{"google.protobuf.Duration"}}},
		"debug is a list":    {body(503, `{"code":"unavailable","details":[{"type":"google.protobuf.Duration","value":"CAE=","debug":[1]}]}`), Told{Code: 14, Types: []string{"google.protobuf.Duration"}}},
		"a broken detail":    {body(400, `{"code":"failed_precondition","message":"m","details":[{"type":"google.rpc.ErrorInfo","value":"Cv8"}]}`), Told{Code: 9, Message: "m", Types: []string{typeInfo}}},
		"no base64":          {body(400, `{"code":"failed_precondition","message":"m","details":[{"type":"google.rpc.ErrorInfo","value":"!!"},`+info+`]}`), Told{Code: 9, Message: "m", Types: []string{typeInfo}, Reason: "STOCK_EMPTY"}},
		"another code":       {body(404, `{"code":"no_cart","message":"gone"}`), Told{Code: 12, Message: "gone", HTTP: 404}},
		"a private code":     {body(500, `{"code":"code_42","message":"gone"}`), Told{Code: 2, Number: 42, Message: "gone"}},
		"AIP-193":            {body(400, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"bad qty"}}`), Told{Code: 3, Message: "bad qty"}},
		"of a gateway":       {body(403, `{"message":"Forbidden"}`), Told{Code: 7, Message: "Forbidden", Local: true}},
		"empty":              {Answer{Status: 499}, Told{Code: 2, Message: "HTTP status 499", Local: true, HTTP: 499}},
		"a page":             {Answer{Status: 502, Header: map[string]string{"Content-Type": "text/html"}, Body: "<html>10.0.0.7</html>"}, Told{Code: 14, Message: "HTTP status 502 Bad Gateway", Local: true, HTTP: 502}},
		"a limit":            {Answer{Status: 429, Header: map[string]string{"Content-Type": "text/plain", "Retry-After": "7"}, Body: "slow down"}, Told{Code: 14, Message: "HTTP status 429 Too Many Requests", Local: true, HTTP: 429, Types: []string{"google.rpc.RetryInfo"}, Delay: 7 * time.Second}},
		"compressed nothing": {Answer{Status: 503, Header: map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip", "Content-Length": "0"}}, Told{Code: 14, Message: "HTTP status 503 Service Unavailable", Local: true}},
	}
}

// EndOfStream returns answers to a streaming call over the Connect protocol whose
// only message ends it, and what connect leaves of them; see docs/interop.md.
func EndOfStream() map[string]Case {
	answer := func(text string) Answer {
		n := len(text)
		return Answer{
			Header: map[string]string{"Content-Type": "application/connect+proto"},
			Body:   string([]byte{2, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + text,
		}
	}
	const info = `{"type":"google.rpc.ErrorInfo","value":"CgtTVE9DS19FTVBUWRIQc2hvcC5leGFtcGxlLmNvbRoJCgNza3USAkEx"}`
	return map[string]Case{
		"whole":             {answer(`{"error":{"code":"not_found","message":"gone","details":[` + info + `]}}`), Told{Code: 5, Message: "gone", Types: []string{typeInfo}, Reason: "STOCK_EMPTY"}},
		"another code":      {answer(`{"error":{"code":"no_cart","message":"gone"}}`), Told{Code: 2, Message: "gone"}},
		"a private code":    {answer(`{"error":{"code":"code_42","message":"gone"}}`), Told{Code: 2, Message: "gone"}},
		"an unknown member": {answer(`{"error":{"code":"not_found","message":"gone","hint":1}}`), Told{Code: 5, Message: "gone"}},
		"no base64":         {answer(`{"error":{"code":"not_found","message":"gone","details":[{"type":"a.B","value":"!!"}]}}`), Told{Code: 13, Local: true}},
		"no JSON":           {answer(`<html>`), Told{Code: 13, Local: true}},
	}
}
