package errmapconnect

import (
	"strings"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
)

const typeURLPrefix = "type.googleapis.com/"

// encode returns e as the error of Connect for one protocol, of which Connect
// makes what the encoder of that protocol would have written.
func encode(e *errmap.Error, protocol string, opts []errmap.EncodeOption) *connect.Error {
	if e == nil {
		return nil
	}
	form := wireOf(protocol)
	if form != errmap.WireConnect && form != errmap.WireGRPC {
		form = errmap.WireStatus
	}
	s := e.StatusOn(form, opts...)
	c := connect.NewError(connect.Code(s.GetCode()), s.GetMessage())
	for _, d := range s.GetDetails() {
		c = c.WithDetail(detail(d.GetTypeUrl(), d.GetValue(), form))
	}
	return c.WithCause(&encoded{e, len(s.GetDetails())})
}

// detail returns a detail of an error of Connect. Its type is a bare name; over
// gRPC Connect writes a type that holds a slash as the type URL that it is, which
// keeps a prefix that is not the usual one.
func detail(typeURL string, value []byte, form errmap.Wire) *connect.ErrorDetail {
	name := typeURL[strings.LastIndexByte(typeURL, '/')+1:]
	if form == errmap.WireGRPC && typeURL != typeURLPrefix+name {
		name = typeURL
	}
	return &connect.ErrorDetail{Type: name, Value: value}
}

// wireOf returns the wire of a protocol, WireStatus for none.
func wireOf(protocol string) errmap.Wire {
	switch protocol {
	case connect.ProtocolNameConnect:
		return errmap.WireConnect
	case connect.ProtocolNameGRPC, connect.ProtocolNameGRPCWeb:
		return errmap.WireGRPC
	case ProtocolNameJSONRPC:
		return errmap.WireJSONRPC
	case ProtocolNameHTTPJSON:
		return errmap.WireHTTP
	}
	return errmap.WireStatus
}

func isGRPC(protocol string) bool {
	return protocol == connect.ProtocolNameGRPC || protocol == connect.ProtocolNameGRPCWeb
}
