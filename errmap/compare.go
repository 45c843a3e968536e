package errmap

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
)

// contains tells whether whole says everything that plain says: every populated
// field with the same value.
func contains(c *Catalog, whole, plain RawDetail) bool {
	if text, untyped := untypedText(whole); untyped {
		other, too := untypedText(plain)
		return too && bytes.Equal(text, other) || !too && valueSays(c, plain, text)
	}
	if whole.Name() != plain.Name() {
		return false
	}
	if _, err := c.FindMessageByURL(plain.typeURL); err != nil {
		return true
	}
	a, aOK := message(c, whole)
	b, bOK := message(c, plain)
	// What its writer read of JSON, or wrote as JSON, may need types that are not
	// linked here: then it agrees by type, as in the check.
	if plain.json != nil && !bOK {
		return true
	}
	if whole.json != nil && bOK {
		if _, _, ok := renderMessage(c, plain); !ok {
			return true
		}
	}
	if !aOK || !bOK {
		return whole.json == nil && plain.json == nil && bytes.Equal(whole.value, plain.value)
	}
	return subset(b.ProtoReflect(), a.ProtoReflect())
}

// untypedText returns the JSON of a detail whose JSON has no "@type"; false where
// it has one.
func untypedText(d RawDetail) ([]byte, bool) {
	switch {
	case d.json != nil:
		return d.json, !typedElement(d.json)
	case d.typeURL == "" && len(d.value) == 0:
		return []byte("{}"), true
	}
	return nil, false
}

// valueSays tells whether a detail is the google.protobuf.Value of a JSON text.
func valueSays(c *Catalog, d RawDetail, text []byte) bool {
	if d.Name() != "google.protobuf.Value" {
		return false
	}
	if d.json != nil { // no Value says it, so it stayed the text that it is
		members, _ := objectMembers(d.json)
		return slices.ContainsFunc(members, func(m member) bool { return m.name == "value" && bytes.Equal(m.value, text) })
	}
	want := new(structpb.Value)
	got, ok := message(c, d)
	return ok && protojson.Unmarshal(text, want) == nil && proto.Equal(got, want)
}

func message(c *Catalog, d RawDetail) (proto.Message, bool) {
	if d.json != nil {
		known, ok := knownPart(c, d)
		if !ok {
			return nil, false
		}
		d = known
	}
	m, err := unmarshalDetail(c, d)
	return m, err == nil
}

// subset tells whether each populated field of a is in b with the same value.
func subset(a, b protoreflect.Message) bool {
	same := true
	a.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		same = b.Has(fd) && subsetValue(fd, v, b.Get(fd))
		return same
	})
	return same
}

func subsetValue(fd protoreflect.FieldDescriptor, a, b protoreflect.Value) bool {
	switch {
	case fd.IsMap():
		same := a.Map().Len() <= b.Map().Len()
		a.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
			same = same && b.Map().Has(k) && subsetSingular(fd.MapValue(), v, b.Map().Get(k))
			return same
		})
		return same
	case fd.IsList():
		if a.List().Len() != b.List().Len() {
			return false
		}
		for i := range a.List().Len() {
			if !subsetSingular(fd, a.List().Get(i), b.List().Get(i)) {
				return false
			}
		}
		return true
	}
	return subsetSingular(fd, a, b)
}

func subsetSingular(fd protoreflect.FieldDescriptor, a, b protoreflect.Value) bool {
	if fd.Message() != nil {
		return subset(a.Message(), b.Message())
	}
	return a.Equal(b)
}

// sameDetail tells whether two details say the same. The prefix of a type URL
// does not count, nor how a linked message is encoded.
func sameDetail(c *Catalog, a, b RawDetail) bool {
	if a.json != nil || b.json != nil {
		return a.json != nil && b.json != nil && bytes.Equal(a.json, b.json)
	}
	if a.Name() != b.Name() {
		return false
	}
	if bytes.Equal(a.value, b.value) {
		return true
	}
	am, aErr := unmarshalDetail(c, a)
	bm, bErr := unmarshalDetail(c, b)
	return aErr == nil && bErr == nil && proto.Equal(am, bm)
}
