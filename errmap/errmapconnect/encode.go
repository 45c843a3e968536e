package errmapconnect

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
)

const (
	typeURLPrefix = "type.googleapis.com/"
	nameCarried   = "errmap.v1.Carried"
	// plainSize is the size, in bytes, up to which an error is sure to be within
	// the default budget of gRPC's headers, however it is escaped.
	plainSize = 1024
)

// encode returns e as the error of Connect for one protocol, of which Connect
// makes exactly what the encoder of that protocol would have written.
func encode(e *errmap.Error, protocol string, opts []errmap.EncodeOption) *connect.Error {
	if e == nil {
		return nil
	}
	c, ok := encodePlain(e, protocol, opts)
	if !ok {
		switch protocol {
		case connect.ProtocolNameGRPC, connect.ProtocolNameGRPCWeb:
			c = encodeGRPC(e, opts)
		case connect.ProtocolNameConnect:
			c = encodeConnect(e, opts)
		default:
			c = encodeStatus(e, opts)
		}
	}
	return c.WithCause(&encoded{e, len(c.Details())})
}

// encodePlain returns an error that says nothing but what each protocol can say,
// without the work of an encoder.
func encodePlain(e *errmap.Error, protocol string, opts []errmap.EncodeOption) (*connect.Error, bool) {
	if len(e.Received()) > 0 || int32(e.Code()) != e.Number() {
		return nil, false
	}
	c := connect.NewError(connect.Code(e.Number()), e.Message())
	size := len(e.Message())
	for _, d := range e.Details() {
		value, ok := d.Value()
		if !ok || d.Name() == nameCarried {
			return nil, false
		}
		size += len(d.TypeURL()) + len(value)
		c = c.WithDetail(detail(d.TypeURL(), value, protocol))
	}
	if isGRPC(protocol) && (size > plainSize || len(opts) > 0) {
		return nil, false
	}
	return c, true
}

func encodeStatus(e *errmap.Error, opts []errmap.EncodeOption) *connect.Error {
	s := e.Status(opts...)
	if len(s.ProtoReflect().GetUnknown()) > 0 {
		return encodeConnect(e, opts) // an error of Connect has no place for them
	}
	return fromStatus(s, "")
}

func encodeGRPC(e *errmap.Error, opts []errmap.EncodeOption) *connect.Error {
	h := errmap.EncodeGRPC(e, opts...)
	if h.DetailsBin != "" {
		s := new(statuspb.Status)
		if b, err := base64.RawStdEncoding.DecodeString(h.DetailsBin); err == nil && proto.Unmarshal(b, s) == nil {
			return fromStatus(s, connect.ProtocolNameGRPC)
		}
	}
	// Without details the two other headers say it all.
	back, err := errmap.DecodeGRPC(h.Map())
	if err != nil { // unreachable: an error has a status
		return encodeStatus(e, opts)
	}
	return connect.NewError(connect.Code(back.Number()), back.Message())
}

func encodeConnect(e *errmap.Error, opts []errmap.EncodeOption) *connect.Error {
	var wire struct {
		Code    connect.Code `json:"code"`
		Message string       `json:"message"`
		Details []struct {
			Type  string `json:"type"`
			Value string `json:"value"`
		} `json:"details"`
	}
	if err := json.Unmarshal(errmap.EncodeConnect(e, opts...), &wire); err != nil { // unreachable
		return connect.NewError(connect.Code(e.Code()), e.Message())
	}
	c := connect.NewError(wire.Code, wire.Message)
	for _, d := range wire.Details {
		if value, err := base64.RawStdEncoding.DecodeString(d.Value); err == nil {
			c = c.WithDetail(&connect.ErrorDetail{Type: d.Type, Value: value})
		}
	}
	return c
}

func fromStatus(s *statuspb.Status, protocol string) *connect.Error {
	c := connect.NewError(connect.Code(s.GetCode()), s.GetMessage())
	for _, d := range s.GetDetails() {
		c = c.WithDetail(detail(d.GetTypeUrl(), d.GetValue(), protocol))
	}
	return c
}

// detail returns a detail of an error of Connect. Its type is a bare name; over
// gRPC Connect writes a type that holds a slash as the type URL that it is, which
// keeps a prefix that is not the usual one.
func detail(typeURL string, value []byte, protocol string) *connect.ErrorDetail {
	name := typeURL[strings.LastIndexByte(typeURL, '/')+1:]
	if isGRPC(protocol) && typeURL != typeURLPrefix+name {
		name = typeURL
	}
	return &connect.ErrorDetail{Type: name, Value: value}
}

func isGRPC(protocol string) bool {
	return protocol == connect.ProtocolNameGRPC || protocol == connect.ProtocolNameGRPCWeb
}
