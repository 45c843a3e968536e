package schema

import (
	"fmt"

	"google.golang.org/protobuf/proto"
)

// UnmarshalProto is o.Unmarshal, and an error where that panics. A message
// without generated code panics on a map entry that has its key or value twice,
// the second time in another wire type (seen in protobuf-go 1.36.12): the bytes
// of a peer must not do that to us.
func UnmarshalProto(o proto.UnmarshalOptions, b []byte, m proto.Message) (err error) {
	defer recovered(&err)
	return o.Unmarshal(b, m)
}

func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("errmap: protobuf gave up: %v", cause)
	}
}
