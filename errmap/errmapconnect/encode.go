package errmapconnect

import (
	"strings"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/rpcstatus"
)

const typeURLPrefix = "type.googleapis.com/"

// encode returns e as the error of Connect for one protocol, of which Connect
// makes what the encoder of that protocol would have written.
func encode(e *errmap.Error, protocol string, opts []errmap.EncodeOption) *connect.Error {
	if e == nil {
		return nil
	}
	form := rpcstatus.Memory
	switch protocol {
	case connect.ProtocolNameConnect:
		form = rpcstatus.Connect
	case connect.ProtocolNameGRPC, connect.ProtocolNameGRPCWeb:
		form = rpcstatus.GRPC
	}
	s := rpcstatus.Encode(e, form, opts...)
	c := connect.NewError(connect.Code(s.GetCode()), s.GetMessage())
	for _, d := range s.GetDetails() {
		c = c.WithDetail(detail(d.GetTypeUrl(), d.GetValue(), form))
	}
	return c.WithCause(&encoded{e, len(s.GetDetails())})
}

// detail returns a detail of an error of Connect. Its type is a bare name; over
// gRPC Connect writes a type that holds a slash as the type URL that it is, which
// keeps a prefix that is not the usual one.
func detail(typeURL string, value []byte, form rpcstatus.Form) *connect.ErrorDetail {
	name := typeURL[strings.LastIndexByte(typeURL, '/')+1:]
	if form == rpcstatus.GRPC && typeURL != typeURLPrefix+name {
		name = typeURL
	}
	return &connect.ErrorDetail{Type: name, Value: value}
}

func isGRPC(protocol string) bool {
	return protocol == connect.ProtocolNameGRPC || protocol == connect.ProtocolNameGRPCWeb
}
