package schema

import (
	"reflect"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// instance is a message that is read or set. Its Message is nil where there is
// none.
type instance struct {
	protoreflect.Message
	// fields is the Go struct of a generated message, the zero Value of any other.
	// Strings without presence, which most fields of errors are, are read and set
	// there in a fraction of the time that protoreflect takes.
	fields reflect.Value
}

// instanceOf returns m as an instance of the definition of its descriptor.
func (d *Definition) instanceOf(m proto.Message, r protoreflect.Message) instance {
	in := instance{Message: r}
	if d.goType != nil && reflect.TypeOf(m) == d.goType {
		in.fields = reflect.ValueOf(m).Elem() // the zero Value for a nil message
	}
	return in
}

// text returns the text of a field, and false where protoreflect is to be asked.
func (in *instance) text(f *metadataField) (string, bool) {
	if f.place < 0 || !in.fields.IsValid() {
		return "", false
	}
	return in.fields.Field(f.place).String(), true
}

// goType returns the type of the Go pointers that are messages of md, where they
// point to structs that protoc-gen-go made; nil for any other.
func goType(md protoreflect.MessageDescriptor) reflect.Type {
	mt, linked := linkedType(md)
	if !linked {
		return nil
	}
	t := reflect.TypeOf(mt.Zero().Interface())
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	return t
}

// stringPlace returns the index of a field in the Go struct, where it is a string
// without presence that stands there openly; else -1.
func stringPlace(pointer reflect.Type, fd protoreflect.FieldDescriptor) int {
	if pointer == nil || fd.Kind() != protoreflect.StringKind || fd.IsList() || fd.HasPresence() || fd.IsExtension() {
		return -1
	}
	for i := range pointer.Elem().NumField() {
		f := pointer.Elem().Field(i)
		tag := strings.Split(f.Tag.Get("protobuf"), ",")
		if f.IsExported() && f.Type == reflect.TypeFor[string]() && len(tag) > 1 && tag[1] == strconv.Itoa(int(fd.Number())) {
			return i
		}
	}
	return -1
}
