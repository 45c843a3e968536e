package errmap_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/schema/schematest"
)

// tooSlow is far above what reading in proportion takes, on a busy machine and
// with the race detector, and far below what anything else does.
const tooSlow = 2 * time.Minute

// Bodies that are as large as a reader takes cost it no more than time in
// proportion.
func TestDecoders_bodies_made_to_be_slow(t *testing.T) {
	if testing.Short() {
		t.Skip("reads bodies of megabytes")
	}
	t.Parallel()
	const size = 400 << 10
	var distinct, same, nested strings.Builder
	for i := 0; distinct.Len() < size-100; i++ {
		fmt.Fprintf(&distinct, `,"m%d":1`, i)
	}
	for same.Len() < size-100 {
		same.WriteString(`,"m":1`)
	}
	for nested.Len() < size/2 {
		nested.WriteString(`[{"a":`)
	}
	lists := map[string]string{
		"empty details":  strings.Repeat("{},", size/3-50) + "{}",
		"scalar details": strings.Repeat("0,", size/2-50) + "0",
		"markers":        strings.Repeat(`{"@type":"type.googleapis.com/google.rpc.Status","code":5},`, size/59-50) + "{}",
		"infos":          strings.Repeat(`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","metadata":{"n":1}},`, size/74-50) + "{}",
	}
	bodies := map[string]map[string]string{}
	for _, w := range allWires {
		if !w.json {
			continue
		}
		of := map[string]string{
			"distinct members": `{"code":5,"message":"m","detail":"m"` + distinct.String() + "}",
			"same members":     `{"code":5,"message":"m","detail":"m"` + same.String() + "}",
			"around the error": `{"error":{"code":5` + distinct.String()[:size/2] + `}` + distinct.String()[:size/2-100] + `}`,
			"nesting":          nested.String(),
			"data":             `{"code":-32001,"message":"m","data":{"a":1` + distinct.String() + `}}`,
		}
		for name, list := range lists {
			of[name] = `{"code":-32001,"message":"m","detail":"m","details":[` + list + `]}`
			of[name+" in data"] = `{"code":-32001,"message":"m","data":[` + list + `]}`
		}
		bodies[w.name] = of
	}
	for _, w := range allWires {
		for name, body := range bodies[w.name] {
			start := time.Now()
			e, err := w.decode(packet{status: 500, body: []byte(body)})
			if err == nil {
				w.encode(e)
			}
			if took := time.Since(start); took > tooSlow {
				t.Errorf("%s, %s: %v", w.name, name, took)
			}
		}
	}
	many := packet{headers: map[string][]string{
		"grpc-status":             {"5"},
		"grpc-status-details-bin": {base64.RawStdEncoding.EncodeToString(append([]byte{8, 5}, bytes.Repeat([]byte{0x1A, 0}, size/3)...))},
	}}
	e, err := wireNamed(t, "grpc").decode(many)
	if err != nil || len(e.Details()) != errmap.DefaultMaxDetails {
		t.Errorf("%d details, %v", len(e.Details()), err)
	}
}

// An Any inside an Any is rendered no deeper than it may be read again.
func TestEncodeConnect_any_in_any(t *testing.T) {
	t.Parallel()
	inner := &anypb.Any{TypeUrl: "type.googleapis.com/google.rpc.RetryInfo"}
	for range 4_000 {
		value, err := proto.Marshal(inner)
		if err != nil {
			t.Fatal(err)
		}
		inner = &anypb.Any{TypeUrl: "type.googleapis.com/google.protobuf.Any", Value: value}
	}
	e, err := errmap.FromStatus(&statuspb.Status{Code: 5, Details: []*anypb.Any{inner}})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if body := errmap.EncodeConnect(e); bytes.Contains(body, []byte(`"debug"`)) {
		t.Error("it was rendered whole")
	}
	_, body := errmap.EncodeHTTP(e)
	if took := time.Since(start); took > tooSlow {
		t.Errorf("it took %v", took)
	}
	back, err := errmap.DecodeHTTP(body)
	if err != nil || !proto.Equal(back.Status(), e.Status()) {
		t.Errorf("back: %v, %v", back.Notes(), err)
	}
}

// A budget is met without an encoding for each of the parts.
func TestEncodeGRPC_errors_made_to_be_slow(t *testing.T) {
	t.Parallel()
	info := &errdetails.ErrorInfo{Reason: "R", Domain: "d", Metadata: map[string]string{}}
	for i := range 20_000 {
		info.Metadata[fmt.Sprint(i)] = "v"
	}
	many := &statuspb.Status{Code: 5, Message: strings.Repeat("m", 1<<18), Details: errmap.NewCode(5, "").WithDetail(info).Status().GetDetails()}
	for range 1000 {
		many.Details = append(many.Details, anyOf("a/b.C", strings.Repeat("x", 100)))
	}
	e, err := errmap.FromStatus(many)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	h := errmap.EncodeGRPC(e, errmap.WithBudget(300), quiet)
	if took := time.Since(start); took > tooSlow {
		t.Errorf("it took %v", took)
	}
	if back, err := errmap.DecodeGRPC(h.Map()); err != nil || back.Reason() != "R" || back.Domain() != "d" || len(back.Details()) != 1 {
		t.Errorf("%s, %v", describe(back), err)
	}
}

func TestWithLimits(t *testing.T) {
	t.Parallel()
	details := strings.Repeat(`{"@type":"type.googleapis.com/google.rpc.Help"},`, 9) + `{}`
	for _, test := range []struct {
		name   string
		limits errmap.Limits
		note   string
		body   string
		want   func(e *errmap.Error, err error) bool
	}{
		{"body", errmap.Limits{Body: 20}, "", `{"code":5,"message":"longer than that"}`, func(e *errmap.Error, err error) bool {
			return e == nil && errors.As(err, new(*errmap.FormError))
		}},
		{"depth", errmap.Limits{Depth: 3}, "", `{"code":5,"message":"m","details":[{"a":[{}]}]}`, func(e *errmap.Error, err error) bool {
			return e == nil && errors.As(err, new(*errmap.FormError))
		}},
		{"details", errmap.Limits{Details: 3}, "7 details after the first 3 dropped", `{"code":5,"details":[` + details + `]}`, func(e *errmap.Error, err error) bool {
			return err == nil && len(e.Details()) == 3
		}},
		{"message", errmap.Limits{Message: 4}, "message of 6 bytes cut to 4", `{"code":5,"message":"abcéf"}`, func(e *errmap.Error, err error) bool {
			return err == nil && e.Message() == "abc"
		}},
		{"none", errmap.Limits{Body: -1, Details: -1, Depth: -1, Message: -1}, "", `{"code":5,"message":"` + strings.Repeat("m", 2<<20) + `","details":[` + strings.Repeat("{},", 2000) + `{}]}`, func(e *errmap.Error, err error) bool {
			return err == nil && len(e.Details()) == 2001 && len(e.Message()) == 2<<20
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e, err := errmap.DecodeStatusJSON([]byte(test.body), errmap.WithLimits(test.limits))
			if !test.want(e, err) {
				t.Errorf("%s, %v", describe(e), err)
			}
			if !strings.Contains(strings.Join(e.Notes(), "\n"), test.note) {
				t.Errorf("notes %q", e.Notes())
			}
		})
	}
}

// Details beyond the limit go whichever way they came.
func TestWithLimits_details(t *testing.T) {
	t.Parallel()
	for n := 2; n < 8; n++ {
		s := &statuspb.Status{Code: 5, Message: "m"}
		for range n {
			s.Details = append(s.Details, anyOf("type.googleapis.com/a.B", "x"))
		}
		e, err := errmap.FromStatus(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range allWires {
			back, err := w.decode(w.encode(e), errmap.WithLimits(errmap.Limits{Details: 3}))
			if err != nil || len(back.Details()) != min(n, 3) || (n > 3) != strings.Contains(strings.Join(back.Notes(), ""), "after the first 3 dropped") {
				t.Errorf("%s, %d details: %s, %v", w.name, n, describe(back), err)
			}
		}
	}
}

// A detail that nests as deep as a reader takes is not written any deeper.
func TestProperty_details_that_nest_deep(t *testing.T) {
	t.Parallel()
	for _, levels := range []int{80, 90, 91, 92, 95, 98, 99} {
		element := strings.Repeat(`{"a":`, levels-3) + `1` + strings.Repeat("}", levels-3)
		e, err := errmap.DecodeJSONRPC([]byte(`{"code":-32001,"message":"m","data":[`+element+`,{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R"}]}`), errmap.ProfileGeneric)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range allWires {
			back, p := hop(t, e, w)
			if s := difference(e, back, exactly); s != "" {
				t.Errorf("%d levels, %s: %s\n\tin %s", levels, w.name, s, p)
			}
		}
	}
	deep := structpb.NewNumberValue(5)
	for range 300 {
		deep = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{deep}})
	}
	value, err := proto.Marshal(deep)
	if err != nil {
		t.Fatal(err)
	}
	e, err := errmap.FromStatus(&statuspb.Status{Code: 5, Message: "m", Details: []*anypb.Any{{TypeUrl: "type.googleapis.com/google.protobuf.Value", Value: value}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range allWires {
		back, _ := hop(t, e, w)
		if s := difference(e, back, exactly); s != "" {
			t.Errorf("%s: %s", w.name, s)
		}
	}
}

// A map entry with its key twice, the second time as a varint, makes protobuf-go
// panic where it has no generated code. A field of another wire type inside an entry
// is nothing that Protobuf keeps, so the entry is what is left; the bytes stay.
func TestUnmarshal_hostile_map_entry(t *testing.T) {
	t.Parallel()
	catalog := newCatalog(t, schematest.Foreign(t, schematest.Compile(t, schematest.Shop)))
	detail := &anypb.Any{TypeUrl: "type.googleapis.com/shop.v1.EveryKindError", Value: []byte("r\x05" + "\x0a\x010\x08b")}
	e, err := errmap.FromStatus(&statuspb.Status{Code: 5, Message: "gone", Details: []*anypb.Any{detail}}, errmap.WithCatalog(catalog))
	if err != nil {
		t.Fatal(err)
	}
	got := string(errmap.EncodeStatusJSON(e, errmap.WithCatalog(catalog)))
	if want := `{"code":5,"message":"gone","details":[{"@type":"type.googleapis.com/shop.v1.EveryKindError","stock":{"0":"0"}}]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s := e.Status(errmap.WithCatalog(catalog)); !proto.Equal(s.GetDetails()[0], detail) {
		t.Errorf("%v", s)
	}
}
