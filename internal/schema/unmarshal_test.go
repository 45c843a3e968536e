package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/schema/schematest"
)

// hostileEntry is a map entry with its key twice, the second time as a varint:
// protobuf-go panics on it where it has no generated code.
const hostileEntry = "\x0a\x010\x08b"

// TestUnmarshal_hostile_map_entry brings such an entry to each place where a
// dynamic message is read.
func TestUnmarshal_hostile_map_entry(t *testing.T) {
	t.Parallel()
	shop := schematest.Foreign(t, schematest.Compile(t, schematest.Shop))
	catalog := newCatalog(t, shop)
	panics := func() (panicked bool) {
		defer func() { panicked = recover() != nil }()
		_ = proto.Unmarshal([]byte("r\x05"+hostileEntry), dynamicpb.NewMessage(shop.Messages().ByName("EveryKindError")))
		return false
	}
	if !panics() {
		t.Error("protobuf-go no longer panics: recovering may go")
	}
	t.Run("a detail field", func(t *testing.T) {
		t.Parallel()
		d := catalog.Find("shop.example.com", "TWO_RETRIES")
		m := dynamicpb.NewMessage(d.Descriptor())
		// quota_dimensions is field 6 of a violation.
		hostile := []byte("\x0a\x07\x32\x05" + hostileEntry)
		d.Decode(m, new(errdetails.ErrorInfo), func(name string) ([]byte, bool) {
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
		_, details, notes := encode(d, m)
		info := new(errdetails.ErrorInfo)
		if err := proto.Unmarshal(details[0].Value, info); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"any": `{"@type":"/shop.v1.EveryKindError","stock":{"0":"0"}}`}
		if diff := cmp.Diff(want, info.GetMetadata()); diff != "" || len(notes) > 0 {
			t.Errorf("notes %q, %s", notes, diff)
		}
	})
}
