package wire

import (
	"bytes"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
	"github.com/errmap/errmap/internal/schema"
)

// contains tells whether a carried detail says everything that the plain one says
// that stands for it: every populated field with the same value. Of a type of
// google.rpc it may say nothing more, but for fields that the types had not at 1.0.
func (r *reading) contains(whole, plain *hub.Detail) bool {
	if !typed(whole) {
		text := untypedText(whole)
		if !typed(plain) {
			return bytes.Equal(text, untypedText(plain))
		}
		return r.valueSays(plain, text)
	}
	if whole.Name() != plain.Name() {
		return false
	}
	standard := strings.HasPrefix(plain.Name(), "google.rpc.")
	if !r.codec.Linked(plain.TypeURL) && !standard {
		return true
	}
	a, aOK := r.message(whole, plain.TypeURL)
	b, bOK := r.message(plain, plain.TypeURL)
	if !standard {
		// What its writer read of JSON, or wrote as JSON, may need types that are not
		// linked here: then it agrees by type, as in the check.
		if plain.JSON != nil && !bOK {
			return true
		}
		if whole.JSON != nil && bOK && !r.renders(plain) {
			return true
		}
	}
	if !aOK || !bOK {
		return sameEncoding(whole, plain)
	}
	return comparer{r.codec, standard}.says(a.ProtoReflect(), b.ProtoReflect())
}

// renders tells whether the bytes of a detail have ProtoJSON.
func (r *reading) renders(d *hub.Detail) bool {
	if d.JSON != nil {
		return false
	}
	_, fidelity := r.codec.AppendAny(nil, d.TypeURL, d.Value, detailDepth)
	return fidelity != protojson.None
}

// sameEncoding tells whether two details are the same JSON or the same bytes.
func sameEncoding(a, b *hub.Detail) bool {
	if a.JSON == nil || b.JSON == nil {
		return a.JSON == nil && b.JSON == nil && bytes.Equal(a.Value, b.Value)
	}
	return sameJSON(a.JSON, b.JSON)
}

// sameJSON tells whether two texts say the same: a peer may have put members in
// another order.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := tree(a), tree(b)
	defer x.Release()
	defer y.Release()
	return x.Root().Exists() && jsontree.Same(x.Root(), y.Root())
}

// valueSays tells whether a detail is the google.protobuf.Value of a JSON text.
func (r *reading) valueSays(d *hub.Detail, text []byte) bool {
	if !d.Is(hub.NameValue) {
		return false
	}
	want := wrappedView(r.codec, &hub.Detail{JSON: text})
	if d.JSON == nil || want.JSON == nil {
		return d.JSON == nil && want.JSON == nil && r.codec.Equal(want.TypeURL, d.Value, want.Value)
	}
	return sameJSON(d.JSON, want.JSON)
}

// message returns a detail as a message of a linked type.
func (r *reading) message(d *hub.Detail, typeURL string) (proto.Message, bool) {
	value, ok := knownPart(r.codec, d)
	if !ok {
		return nil, false
	}
	mt, err := r.o.Catalog.FindMessageByURL(typeURL)
	if err != nil {
		return nil, false
	}
	m := mt.New().Interface()
	return m, schema.UnmarshalProto(proto.UnmarshalOptions{Resolver: r.o.Catalog, AllowPartial: true}, value, m) == nil
}

// comparer compares what is carried with what is plain.
type comparer struct {
	codec *protojson.Codec
	exact bool
}

// says tells whether each populated field of plain is in whole with the same value;
// where exact is set, whether those that the types of google.rpc had at 1.0 are the
// same, and no other.
// What stands in an Any is compared by what it holds.
func (c comparer) says(whole, plain protoreflect.Message) bool {
	if plain.Descriptor().FullName() == "google.protobuf.Any" {
		return c.sameAny(whole, plain)
	}
	same := true
	plain.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		same = whole.Has(fd) && c.saysValue(fd, whole.Get(fd), v)
		return same
	})
	if same && c.exact {
		whole.Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
			same = plain.Has(fd) || later(fd)
			return same
		})
	}
	return same
}

// sameAny tells whether two messages that are google.protobuf.Any hold the same.
func (c comparer) sameAny(a, b protoreflect.Message) bool {
	fields := b.Descriptor().Fields()
	url, value := fields.ByNumber(1), fields.ByNumber(2)
	typeURL := b.Get(url).String()
	return hub.BareName(a.Get(url).String()) == hub.BareName(typeURL) && c.codec.Equal(typeURL, a.Get(value).Bytes(), b.Get(value).Bytes())
}

// later tells whether a type of google.rpc did not have a field when the contract
// became 1.0.
func later(fd protoreflect.FieldDescriptor) bool {
	last, known := lastField[fd.ContainingMessage().FullName()]
	return known && fd.Number() > last
}

// lastField has, for each message of error_details.proto and status.proto, the number
// of its last field at 1.0 of the contract.
var lastField = map[protoreflect.FullName]protoreflect.FieldNumber{
	"google.rpc.ErrorInfo":                     3,
	"google.rpc.RetryInfo":                     1,
	"google.rpc.DebugInfo":                     2,
	"google.rpc.QuotaFailure":                  1,
	"google.rpc.QuotaFailure.Violation":        8,
	"google.rpc.PreconditionFailure":           1,
	"google.rpc.PreconditionFailure.Violation": 3,
	"google.rpc.BadRequest":                    1,
	"google.rpc.BadRequest.FieldViolation":     4,
	"google.rpc.RequestInfo":                   2,
	"google.rpc.ResourceInfo":                  4,
	"google.rpc.Help":                          1,
	"google.rpc.Help.Link":                     2,
	"google.rpc.LocalizedMessage":              2,
	"google.rpc.Status":                        3,
}

func (c comparer) saysValue(fd protoreflect.FieldDescriptor, whole, plain protoreflect.Value) bool {
	switch {
	case fd.IsMap():
		a, b := whole.Map(), plain.Map()
		same := b.Len() <= a.Len() && (!c.exact || a.Len() == b.Len())
		b.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
			same = same && a.Has(k) && c.saysSingular(fd.MapValue(), a.Get(k), v)
			return same
		})
		return same
	case fd.IsList():
		a, b := whole.List(), plain.List()
		if a.Len() != b.Len() {
			return false
		}
		for i := range b.Len() {
			if !c.saysSingular(fd, a.Get(i), b.Get(i)) {
				return false
			}
		}
		return true
	}
	return c.saysSingular(fd, whole, plain)
}

func (c comparer) saysSingular(fd protoreflect.FieldDescriptor, whole, plain protoreflect.Value) bool {
	if fd.Message() != nil {
		return c.says(whole.Message(), plain.Message())
	}
	return whole.Equal(plain)
}
