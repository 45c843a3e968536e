// Package rpcstatus brings errors into the one form that RPC libraries take: a
// code, a message and details.
package rpcstatus

import (
	"encoding/base64"
	"encoding/json"

	"github.com/errmap/errmap/errmap"
	"google.golang.org/genproto/googleapis/rpc/code"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// Form is the wire that a library makes of what it is given.
type Form int

const (
	// Memory is no wire: the library hands the error on as it is.
	Memory Form = iota
	// Connect is the JSON error of the Connect protocol, which has no private
	// codes.
	Connect
	// GRPC are the headers of gRPC and gRPC-Web, for which there is a budget.
	GRPC
)

// plainSize is the size, in bytes, up to which an error is sure to be within the
// default budget of gRPC's headers, however it is escaped.
const plainSize = 1024

const nameCarried = "errmap.v1.Carried"

// Encode returns the google.rpc.Status of which a library makes what the encoder
// of the form would have written; nil for nil. It has no unknown fields.
func Encode(e *errmap.Error, form Form, opts ...errmap.EncodeOption) *statuspb.Status {
	if e == nil {
		return nil
	}
	if s, ok := plain(e, form, opts); ok {
		return s
	}
	switch form {
	case Connect:
		return ofConnect(e, opts)
	case GRPC:
		return ofGRPC(e, opts)
	}
	s := e.Status(opts...)
	if len(s.ProtoReflect().GetUnknown()) > 0 { // for which libraries have no place
		return ofConnect(e, opts)
	}
	return s
}

// plain returns the Status of an error that says nothing but what each form can
// say, without the work of an encoder.
func plain(e *errmap.Error, form Form, opts []errmap.EncodeOption) (*statuspb.Status, bool) {
	if int32(e.Code()) != e.Number() || form == GRPC && len(opts) > 0 || len(e.Received()) > 0 {
		return nil, false
	}
	s := &statuspb.Status{Code: e.Number(), Message: e.Message()}
	size := len(s.GetMessage())
	for _, d := range e.Details() {
		value, ok := d.Value()
		if !ok || d.Name() == nameCarried {
			return nil, false
		}
		size += len(d.TypeURL()) + len(value)
		s.Details = append(s.Details, &anypb.Any{TypeUrl: d.TypeURL(), Value: value})
	}
	return s, form != GRPC || size <= plainSize
}

func ofGRPC(e *errmap.Error, opts []errmap.EncodeOption) *statuspb.Status {
	h := errmap.EncodeGRPC(e, opts...)
	s := new(statuspb.Status)
	if b, err := base64.RawStdEncoding.DecodeString(h.DetailsBin); err == nil && len(b) > 0 && proto.Unmarshal(b, s) == nil {
		s.ProtoReflect().SetUnknown(nil)
		return s
	}
	// Without details the two other headers say it all.
	back, err := errmap.DecodeGRPC(h.Map())
	if err != nil { // unreachable: an error has a status that is not 0
		return &statuspb.Status{Code: int32(code.Code_UNKNOWN), Message: e.Message()}
	}
	return &statuspb.Status{Code: back.Number(), Message: back.Message()}
}

func ofConnect(e *errmap.Error, opts []errmap.EncodeOption) *statuspb.Status {
	var wire struct {
		Message string `json:"message"`
		Details []struct {
			Type  string `json:"type"`
			Value string `json:"value"`
		} `json:"details"`
	}
	s := &statuspb.Status{Code: int32(e.Code()), Message: e.Message()}
	if json.Unmarshal(errmap.EncodeConnect(e, opts...), &wire) != nil { // unreachable
		return s
	}
	s.Message = wire.Message
	for _, d := range wire.Details {
		if value, err := base64.RawStdEncoding.DecodeString(d.Value); err == nil {
			s.Details = append(s.Details, errmap.NewRawDetail(d.Type, value).Any())
		}
	}
	return s
}
