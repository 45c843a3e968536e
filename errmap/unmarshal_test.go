package errmap_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
)

// hostileEntry is a map entry with its key twice, the second time as a varint:
// protobuf-go panics on it where it has no generated code.
const hostileEntry = "\x0a\x010\x08b"

// TestUnmarshal_hostile_map_entry brings such an entry to each place where a
// dynamic message is read.
func TestUnmarshal_hostile_map_entry(t *testing.T) {
	t.Parallel()
	shop := foreign(t, compileProto(t, shopSchema))
	catalog := newCatalog(t, shop)
	panics := func() (panicked bool) {
		defer func() { panicked = recover() != nil }()
		_ = proto.Unmarshal([]byte("r\x05"+hostileEntry), dynamicpb.NewMessage(shop.Messages().ByName("EveryKindError")))
		return false
	}
	if !panics() {
		t.Error("protobuf-go no longer panics: errmap/unmarshal.go may go")
	}
	t.Run("a detail of a type of the catalogue", func(t *testing.T) {
		t.Parallel()
		detail := &anypb.Any{TypeUrl: "type.googleapis.com/shop.v1.EveryKindError", Value: []byte("r\x05" + hostileEntry)}
		e, err := errmap.FromStatus(&status.Status{Code: 5, Message: "gone", Details: []*anypb.Any{detail}}, errmap.WithCatalog(catalog))
		if err != nil {
			t.Fatal(err)
		}
		got := string(errmap.EncodeStatusJSON(e, errmap.WithCatalog(catalog)))
		if want := `{"code":5,"message":"gone","details":[{"@type":"type.googleapis.com/shop.v1.EveryKindError","@value":"cgUKATAIYg=="}]}`; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("a detail field", func(t *testing.T) {
		t.Parallel()
		d := catalog.Find("shop.example.com", "TWO_RETRIES")
		m := dynamicpb.NewMessage(d.Descriptor())
		// quota_dimensions is field 6 of a violation.
		hostile := []byte("\x0a\x07\x32\x05" + hostileEntry)
		errmap.DecodeInstance(d, m, new(errdetails.ErrorInfo), func(name protoreflect.FullName) ([]byte, bool) {
			return hostile, name == "google.rpc.QuotaFailure"
		})
		if m.Has(d.Descriptor().Fields().ByName("quota")) {
			t.Error("the detail was read")
		}
	})
	t.Run("an Any in metadata", func(t *testing.T) {
		t.Parallel()
		d := catalog.Find("shop.example.com", "EVERY_KIND")
		m := dynamicpb.NewMessage(d.Descriptor())
		raw, err := proto.Marshal(&anypb.Any{TypeUrl: "/shop.v1.EveryKindError", Value: []byte("r\x05" + hostileEntry)})
		if err != nil {
			t.Fatal(err)
		}
		if err := proto.Unmarshal(raw, m.Mutable(d.Descriptor().Fields().ByName("any")).Message().Interface()); err != nil {
			t.Fatal(err)
		}
		_, _, notes := errmap.EncodeInstance(d, m)
		if want := []string{"field shop.v1.EveryKindError.any left out: its value has no ProtoJSON"}; !cmp.Equal(want, notes) {
			t.Errorf("notes %s", strings.Join(notes, "\n"))
		}
	})
}
