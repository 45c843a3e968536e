package server

import (
	"connectrpc.com/connect/v2"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
)

const typeURLPrefix = "type.googleapis.com/"

// recognize lets an error of Connect speak that was made here, and only that.
func recognize(link error) (*errmap.Error, bool) {
	e, ok := link.(*connect.Error) // a link of a chain, which the guard walks
	switch {
	case !ok:
		return nil, false
	case e == nil, e.IsRemote():
		return nil, true
	}
	s := &status.Status{Code: int32(e.Code()), Message: e.Message()}
	for _, d := range e.Details() {
		s.Details = append(s.Details, &anypb.Any{TypeUrl: typeURLPrefix + d.Type, Value: d.Value})
	}
	converted, err := errmap.FromStatus(s)
	if err != nil {
		return nil, true
	}
	return converted.WithCause(e), true
}
