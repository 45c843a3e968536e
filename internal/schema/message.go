package schema

import (
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/protojson"
)

// DetailOf returns m as a detail, its text repaired where it is not UTF-8. It fails
// where protobuf cannot marshal m even so.
func DetailOf(m proto.Message) (hub.Detail, error) {
	if in, ok := m.(*errdetails.ErrorInfo); ok && in != nil && len(in.ProtoReflect().GetUnknown()) == 0 {
		if d, valid := InfoDetail(in.GetReason(), in.GetDomain(), in.GetMetadata()); valid {
			return d, nil
		}
	}
	value, err := deterministic.Marshal(m)
	if err != nil {
		m = proto.Clone(m)
		RepairMessage(m.ProtoReflect())
		if value, err = deterministic.Marshal(m); err != nil {
			return hub.Detail{}, err
		}
	}
	return hub.Detail{TypeURL: hub.URLPrefix + string(m.ProtoReflect().Descriptor().FullName()), Value: value}, nil
}

// UnmarshalProto is o.Unmarshal, and an error where that panics, which it does on some
// bytes where there is no generated code.
func UnmarshalProto(o proto.UnmarshalOptions, b []byte, m proto.Message) error {
	return protojson.Unmarshal(o, b, m)
}
