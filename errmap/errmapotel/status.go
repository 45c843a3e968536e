package errmapotel

import (
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
)

// status is how a call ended, in the terms of the conventions for RPC.
type status struct {
	code   code.Code
	span   []attribute.KeyValue
	metric []attribute.KeyValue // of bounded cardinality
}

func (t *Telemetry) statusOf(protocol string, err error) status {
	if err == nil {
		ok := []attribute.KeyValue{semconv.RPCResponseStatusCode(code.Code_OK.String())}
		if protocol == errmapconnect.ProtocolNameJSONRPC {
			ok = nil // a response that is no error has no code
		}
		return status{code: code.Code_OK, span: ok, metric: ok}
	}
	e := errmap.From(err)
	s := status{code: e.Code()}
	if protocol != errmapconnect.ProtocolNameJSONRPC {
		s.span = failed(e.Code().String())
		s.metric = s.span
		return s
	}
	number := e.JSONRPCCode(t.profile)
	s.span = failed(strconv.FormatInt(number, 10))
	s.metric = s.span
	if !t.counts(e, number) {
		s.metric = failed(other)
	}
	return s
}

// counts tells whether a number may be a value of a metric: one of the few hundred that
// JSON-RPC defines and leaves to servers, or of an error that the catalogue defines. A peer
// can send any.
func (t *Telemetry) counts(e *errmap.Error, number int64) bool {
	defined, ofServers := number >= -32700 && number <= -32600, number >= -32099 && number <= -32000
	return defined || ofServers || t.catalog.Find(e.Domain(), e.Reason()) != nil
}

func failed(status string) []attribute.KeyValue {
	return []attribute.KeyValue{semconv.RPCResponseStatusCode(status), semconv.ErrorTypeKey.String(status)}
}

// fault tells whether an error of a code is one of the server and not of its caller.
func fault(c code.Code) bool {
	switch c {
	case code.Code_UNKNOWN, code.Code_DEADLINE_EXCEEDED, code.Code_UNIMPLEMENTED,
		code.Code_INTERNAL, code.Code_UNAVAILABLE, code.Code_DATA_LOSS:
		return true
	}
	return false
}
