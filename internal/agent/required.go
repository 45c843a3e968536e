package agent

import (
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/errmap/errmapa2a"
	"github.com/errmap/errmap/internal/strict"
)

// checkRequired refuses a request that lacks what the schema marks REQUIRED
// (google.api.field_behavior), and names every such field.
func checkRequired(m proto.Message) error {
	violations := missing(nil, m.ProtoReflect(), "")
	if violations == nil {
		return nil
	}
	return errmapa2a.InvalidParams(&errdetails.BadRequest{FieldViolations: violations})
}

func missing(found []*errdetails.BadRequest_FieldViolation, m protoreflect.Message, path string) []*errdetails.BadRequest_FieldViolation {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		name := path + fd.JSONName()
		switch {
		case !m.Has(fd):
			if strict.IsRequired(fd) {
				found = append(found, &errdetails.BadRequest_FieldViolation{Field: name, Description: "is required", Reason: "REQUIRED"})
			}
		case fd.Message() == nil || fd.IsMap() || fd.Message().ParentFile().Package() == "google.protobuf":
		case fd.IsList():
			list := m.Get(fd).List()
			for j := range list.Len() {
				found = missing(found, list.Get(j).Message(), name+"["+strconv.Itoa(j)+"].")
			}
		default:
			found = missing(found, m.Get(fd).Message(), name+".")
		}
	}
	return found
}
