package listing

import (
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/translate"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// Example is one error on one wire.
type Example struct {
	// Name is that of the form, with the profile behind it for JSON-RPC, such as
	// "jsonrpc a2a".
	Name string
	// Form is the form.
	Form translate.Form
	// Profile counts for JSON-RPC alone.
	Profile errmap.Profile
	translate.Result
}

// Examples writes an error with every field set on every wire, in the order of
// the forms. The values of the fields are made up, and always the same.
func (l *Listing) Examples(d *errmap.Definition) []Example {
	mt, err := l.catalog.FindMessageByName(d.FullName())
	if err != nil {
		return nil
	}
	m := mt.New()
	for _, fd := range fieldsOf(d) {
		setSample(m, fd)
	}
	e := errmap.New(m.Interface())
	var out []Example
	add := func(name string, form translate.Form, p errmap.Profile) {
		out = append(out, Example{name, form, p, translate.Encode(e, form, p, errmap.WithCatalog(l.catalog))})
	}
	for _, form := range translate.Forms() {
		if form != translate.JSONRPC {
			add(string(form), form, errmap.ProfileGeneric)
			continue
		}
		for _, p := range []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP} {
			add("jsonrpc "+p.String(), form, p)
		}
	}
	return out
}

// sampleMessages are the messages that a field is set to; one of another type
// stays unset.
var sampleMessages = map[protoreflect.FullName]proto.Message{
	"google.rpc.RetryInfo":      &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 1, Nanos: 500_000_000}},
	"google.protobuf.Duration":  &durationpb.Duration{Seconds: 1, Nanos: 500_000_000},
	"google.protobuf.Timestamp": &timestamppb.Timestamp{Seconds: 1767322800},
}

// setSample gives a field a value that can be told from others.
func setSample(m protoreflect.Message, fd protoreflect.FieldDescriptor) {
	switch {
	case fd.ContainingOneof() != nil && m.WhichOneof(fd.ContainingOneof()) != nil, fd.IsMap():
		return
	case fd.Message() != nil:
		if message := sampleMessages[fd.Message().FullName()]; message != nil && !fd.IsList() {
			setMessage(m, fd, message)
		}
		return
	case fd.IsList():
		m.Mutable(fd).List().Append(sample(fd))
		return
	}
	m.Set(fd, sample(fd))
}

func sample(fd protoreflect.FieldDescriptor) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(strings.ReplaceAll(string(fd.Name()), "_", "-") + "-1")
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{1, 2, 3})
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		values := fd.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(values.Len() - 1).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(7)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(7)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(7)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(1.5)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(1.5)
	}
	return protoreflect.ValueOfInt64(7)
}

// setMessage sets a field to what m says, in whatever type the field has.
func setMessage(parent protoreflect.Message, fd protoreflect.FieldDescriptor, m proto.Message) {
	raw, err := proto.Marshal(m)
	if err == nil {
		err = proto.Unmarshal(raw, parent.Mutable(fd).Message().Interface())
	}
	if err != nil {
		parent.Clear(fd)
	}
}
