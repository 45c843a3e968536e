package schema

import (
	"slices"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/protojson"
)

// DetailOf returns m as a detail, its text repaired where it is not UTF-8. It fails
// where protobuf cannot marshal m even so.
func DetailOf(m proto.Message) (hub.Detail, error) {
	if in, ok := m.(*errdetails.ErrorInfo); ok && in != nil && plainInfo(in) {
		return InfoDetail(in.GetReason(), in.GetDomain(), in.GetMetadata()), nil
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

// plainInfo tells whether an ErrorInfo is UTF-8 and has no fields that its schema does
// not know.
func plainInfo(in *errdetails.ErrorInfo) bool {
	plain := utf8.ValidString(in.GetReason()) && utf8.ValidString(in.GetDomain())
	for key, value := range in.GetMetadata() {
		plain = plain && utf8.ValidString(key) && utf8.ValidString(value)
	}
	return plain && len(in.ProtoReflect().GetUnknown()) == 0
}

// InfoDetail returns a google.rpc.ErrorInfo as a detail, its entries sorted by key as
// protobuf's deterministic form has them. The texts are UTF-8.
func InfoDetail(reason, domain string, metadata map[string]string) hub.Detail {
	keys := make([]string, 0, 8)
	size := len(reason) + len(domain) + 12
	for key, value := range metadata {
		keys = append(keys, key)
		size += len(key) + len(value) + 20
	}
	slices.Sort(keys)
	out := make([]byte, 0, size)
	if reason != "" {
		out = protowire.AppendString(protowire.AppendTag(out, infoReason, protowire.BytesType), reason)
	}
	if domain != "" {
		out = protowire.AppendString(protowire.AppendTag(out, infoDomain, protowire.BytesType), domain)
	}
	for _, key := range keys {
		out = appendEntry(out, key, metadata[key])
	}
	return hub.Detail{TypeURL: hub.URLErrorInfo, Value: out}
}

// UnmarshalProto is o.Unmarshal, and an error where that panics, which it does on some
// bytes where there is no generated code.
func UnmarshalProto(o proto.UnmarshalOptions, b []byte, m proto.Message) error {
	return protojson.Unmarshal(o, b, m)
}
