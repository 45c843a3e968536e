package errmap

import (
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/rpcjson"
	"github.com/errmap/errmap/internal/schema"
)

// render returns a detail as JSON: an element as it stood; bytes as the
// ProtoJSON of their google.protobuf.Any where that reads back as the same
// message, else under "@value". It is whole unless the bytes hold fields that
// the schema does not know.
func render(c *Catalog, d RawDetail) (out []byte, whole bool) {
	switch {
	case d.json != nil:
		return d.json, true
	case d.typeURL == "" && len(d.value) == 0:
		return []byte("{}"), true
	}
	if out, whole, ok := renderMessage(c, d); ok {
		return out, whole
	}
	out = append(appendString([]byte(`{"@type":`), d.typeURL), `,"@value":"`...)
	out = base64.StdEncoding.AppendEncode(out, d.value)
	return append(out, `"}`...), true
}

func renderMessage(c *Catalog, d RawDetail) (out []byte, whole, ok bool) {
	if out, ok := rpcjson.AppendAny(nil, d.typeURL, d.value); ok {
		return out, true, true
	}
	m, err := unmarshalDetail(c, d)
	if err != nil {
		return nil, false, false
	}
	if deeperThan(c, m.ProtoReflect(), DefaultMaxDepth-envelopeDepth) {
		return nil, false, false
	}
	out, err = schema.MarshalProtoJSON(protojson.MarshalOptions{Resolver: c, AllowPartial: true}, &anypb.Any{TypeUrl: d.typeURL, Value: d.value})
	if err != nil {
		return nil, false, false
	}
	if out, err = compactProtoJSON(out); err != nil || depth(out) > DefaultMaxDepth-envelopeDepth {
		return nil, false, false
	}
	whole = !schema.HasUnknown(m.ProtoReflect())
	if !whole {
		dropUnknown(m.ProtoReflect())
	}
	back := new(anypb.Any)
	if (protojson.UnmarshalOptions{Resolver: c, AllowPartial: true}).Unmarshal(out, back) != nil {
		return nil, false, false
	}
	again, err := unmarshalDetail(c, RawDetail{typeURL: back.GetTypeUrl(), value: back.GetValue()})
	return out, whole, err == nil && proto.Equal(m, again)
}

// compactProtoJSON takes out the white space that protojson puts in at random.
func compactProtoJSON(b []byte) ([]byte, error) {
	v := jsontext.Value(b)
	err := v.Compact()
	return v, err
}

func unmarshalDetail(c *Catalog, d RawDetail) (proto.Message, error) {
	mt, err := c.FindMessageByURL(d.typeURL)
	if err != nil {
		return nil, err
	}
	m := mt.New().Interface()
	return m, schema.UnmarshalProto(proto.UnmarshalOptions{Resolver: c, AllowPartial: true}, d.value, m)
}

func dropUnknown(m protoreflect.Message) {
	m.SetUnknown(nil)
	schema.RangeMessages(m, func(inner protoreflect.Message) bool {
		dropUnknown(inner)
		return true
	})
}

// deeperThan tells whether messages nest deeper in m than that, what stands in an
// Any included. ProtoJSON has no bound of its own, and renders each level of an
// Any anew.
func deeperThan(c *Catalog, m protoreflect.Message, levels int) bool {
	if levels == 0 {
		return true
	}
	if m.Descriptor().FullName() == "google.protobuf.Any" {
		fields := m.Descriptor().Fields()
		d := RawDetail{typeURL: m.Get(fields.ByNumber(1)).String(), value: m.Get(fields.ByNumber(2)).Bytes()}
		inner, err := unmarshalDetail(c, d)
		return err == nil && deeperThan(c, inner.ProtoReflect(), levels-1)
	}
	deep := false
	schema.RangeMessages(m, func(inner protoreflect.Message) bool {
		deep = deeperThan(c, inner, levels-1)
		return !deep
	})
	return deep
}

// parseElement reads a compact JSON element of a list of details. It is bytes
// where it is the empty Any, has the "@value" form, or is ProtoJSON that this
// program reads whole; else it stays the JSON that it is.
func parseElement(c *Catalog, raw []byte) RawDetail {
	if string(raw) == "{}" {
		return RawDetail{}
	}
	if typeURL, value, ok := rpcjson.ParseAny(raw); ok {
		return RawDetail{typeURL: typeURL, value: value}
	}
	members, ok := objectMembers(raw)
	if !ok {
		return RawDetail{json: raw}
	}
	typeURL, typed := "", false
	for _, m := range members {
		if m.name == "@type" {
			if typeURL, typed = stringValue(m.value); typed {
				break
			}
		}
	}
	if !typed {
		return RawDetail{json: raw}
	}
	if value, ok := valueForm(members); ok {
		return RawDetail{typeURL: typeURL, value: value}
	}
	if _, err := c.FindMessageByURL(typeURL); err != nil {
		return RawDetail{typeURL: typeURL, json: raw}
	}
	read := new(anypb.Any)
	if (protojson.UnmarshalOptions{Resolver: c}).Unmarshal(raw, read) != nil {
		return RawDetail{typeURL: typeURL, json: raw}
	}
	d := RawDetail{typeURL: read.GetTypeUrl(), value: read.GetValue()}
	if hasNumber(raw) {
		if back, _, ok := renderMessage(c, d); !ok || !numbersComeBack(raw, back) {
			return RawDetail{typeURL: typeURL, json: raw}
		}
	}
	return d
}

// read returns a detail that is JSON as bytes where this program, unlike the one
// that kept it as JSON, reads it whole.
func (d RawDetail) read(c *Catalog) RawDetail {
	if d.json == nil {
		return d
	}
	return parseElement(c, d.json)
}

// valueForm reads {"@type":…,"@value":<base64>}, exactly these two members.
func valueForm(members []member) ([]byte, bool) {
	if len(members) != 2 {
		return nil, false
	}
	for _, m := range members {
		if m.name == "@value" {
			s, ok := stringValue(m.value)
			if !ok {
				return nil, false
			}
			value, err := decodeBase64(s)
			return value, err == nil
		}
	}
	return nil, false
}

// hasNumber tells whether compact JSON holds a number token.
func hasNumber(b []byte) bool {
	found := false
	numberTokens(b, nil, func(string) { found = true })
	return found
}

// decodeBase64 reads base64 padded or not, in both alphabets.
func decodeBase64(s string) ([]byte, error) {
	s = strings.TrimRight(s, "=")
	if strings.ContainsAny(s, "-_") {
		return base64.RawURLEncoding.DecodeString(s)
	}
	return base64.RawStdEncoding.DecodeString(s)
}

// knownPart returns what of a JSON element reads as its type: members that the
// schema does not know or refuses are left out. It is false where the type is
// not linked or where nothing can be said of it.
func knownPart(c *Catalog, d RawDetail) (RawDetail, bool) {
	mt, err := c.FindMessageByURL(d.typeURL)
	if err != nil {
		return RawDetail{}, false
	}
	members, _ := objectMembers(d.json)
	var ignored notes
	_, members = take(members, &ignored, "@type")
	m := mt.New().Interface()
	name := mt.Descriptor().FullName()
	if name == nameErrorInfo {
		members = readableMetadata(members)
	}
	if strings.HasPrefix(string(name), "google.protobuf.") {
		ours, _ := take(members, &ignored, "value")
		if ours["value"] == nil || !readLenient(c, ours["value"], m) {
			return RawDetail{}, false
		}
	} else if !readLenient(c, appendMembers(nil, members), m) {
		for _, one := range members {
			part := mt.New().Interface()
			if readLenient(c, appendMembers(nil, []member{one}), part) {
				proto.Merge(m, part)
			}
		}
	}
	value, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if err != nil {
		return RawDetail{}, false
	}
	return RawDetail{typeURL: d.typeURL, value: value}, true
}

func readLenient(c *Catalog, raw []byte, m proto.Message) bool {
	err := protojson.UnmarshalOptions{Resolver: c, DiscardUnknown: true, AllowPartial: true}.Unmarshal(raw, m)
	if err != nil {
		proto.Reset(m)
	}
	return err == nil
}

// readableMetadata makes strings of metadata values that are none: their JSON
// text, and nothing of null.
func readableMetadata(members []member) []member {
	out := make([]member, len(members))
	copy(out, members)
	for i, m := range out {
		if entries, ok := objectMembers(m.value); ok && m.name == "metadata" {
			out[i].value = appendMembers(nil, textMembers(entries, new(notes)))
		}
	}
	return out
}

// textMembers turns the values of members into JSON strings; null goes, and so
// does what stands twice.
func textMembers(members []member, n *notes) []member {
	var out []member
	for _, m := range members {
		if isNull(m.value) {
			continue
		}
		if m.value[0] != '"' {
			m.value = appendString(nil, string(m.value))
		} else {
			m.value = appendString(nil, unquote(m.value))
		}
		out = append(out, newMember(m.name, m.value))
	}
	return firstOfEach(out, n)
}
