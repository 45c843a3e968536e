package errmap_test

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// Errors that random tests found lost once, shrunk. Each is read on one wire and
// must be the same after every other and after the way back.
func TestRegression_pairs_of_forms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, from, in string
		status         int
	}{
		{"a title that the writer made for another HTTP status", "problem", `{"type":"https://shop.example.com/p","detail":"d","status":503}`, 302},
		{"a type without a title", "problem", `{"type":"about:blank","detail":"d","status":404,"details":[` + jsonEI + `]}`, 0},
		{"a title without a type", "problem", `{"title":"T","detail":"d","status":404,"details":[` + jsonEI + `]}`, 0},
		{"an empty Any before an identity of the profile", "statusjson", `{"code":7,"message":"a","details":[{},` + infoPrefix + `VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org","extra":1}]}`, 0},
		{"an empty Any before a code that contradicts", "statusjson", `{"code":16,"details":[{},` + infoPrefix + `AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED","domain":"a2a-protocol.org"}]}`, 0},
		{"a number that another profile implies", generic, `{"code":-31400,"message":"m","data":[` + infoPrefix + `VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org"},{"@type":"type.googleapis.com/google.rpc.Status","code":17}]}`, 0},
		{"a type of google.rpc that nobody has", "http", `{"error":{"code":404,"message":"m","details":[{"@type":"google.rpc."},{"@type":"type.googleapis.com/google.rpc.Tomorrow","n":1}]}}`, 0},
		{"a typed object without a type URL alone", generic, `{"code":-31404,"message":"m","data":[{"@type":"","@value":"eA=="}]}`, 0},
		{"a marker with a member twice", generic, `{"code":-32602,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.Status","code":5.0,"@type":"type.googleapis.com/google.rpc.Status"}]}`, 0},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			e := decodeText(t, test.from, test.in, test.status)
			for _, w := range allWires {
				there, out := hop(t, e, w)
				if s := difference(e, there, exactly); s != "" {
					t.Errorf("%s: %s in %s", w.name, s, out)
				}
				home, out := hop(t, there, wireNamed(t, test.from))
				if s := difference(e, home, exactly); s != "" {
					t.Errorf("%s and home: %s in %s", w.name, s, out)
				}
			}
		})
	}
}

// A detail that a reader without its type kept as JSON is the message again at
// one that has it, whatever rode along.
func TestRegression_JSON_of_a_linked_type(t *testing.T) {
	t.Parallel()
	const element = `{"@type":"type.googleapis.com/shop.v1.StockEmptyError","sku":"A1"}`
	linked := decodeText(t, "statusjson", `{"code":2,"message":"m","details":["sku",`+element+`]}`, 0)
	for _, first := range allWires {
		stranger, err := first.decode(first.encode(linked), errmap.WithCatalog(nil))
		if err != nil {
			t.Fatal(err)
		}
		for _, second := range allWires {
			home, err := second.decode(second.encode(stranger, errmap.WithCatalog(nil)))
			if err != nil || difference(linked, home, acrossCatalogs) != "" {
				t.Errorf("%s and %s: %s, %v", first.name, second.name, difference(linked, home, acrossCatalogs), err)
			}
			home, err = second.decode(second.encode(stranger)) // two catalogues in one program
			if err != nil || difference(linked, home, acrossCatalogs) != "" {
				t.Errorf("%s and %s here: %s, %v", first.name, second.name, difference(linked, home, acrossCatalogs), err)
			}
		}
	}
}

// JSON that its reader cannot look into agrees with the plain detail by type.
func TestRegression_carried_JSON_of_a_type_within_a_type(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "statusjson", `{"code":1,"message":"m","details":[{"@type":"type.googleapis.com/google.protobuf.Any","value":{"@type":"type.googleapis.com/errmap.a2a.v1.TaskNotFoundError","taskId":"t","added":1}}]}`, 0)
	for _, w := range allWires {
		back, err := w.decode(w.encode(e), errmap.WithCatalog(nil))
		if err != nil || difference(e, back, exactly) != "" {
			t.Errorf("%s: %s, %v", w.name, difference(e, back, exactly), err)
		}
	}
}

// The same the other way round: bytes of a type whose plain JSON the reader cannot
// look into, since the inner type is not linked there.
func TestRegression_carried_bytes_of_a_type_within_a_type(t *testing.T) {
	t.Parallel()
	inner := mustMarshal(t, anyOf("type.googleapis.com/shop.v1.StockEmptyError", "\x0a\x01a"))
	e, err := errmap.FromStatus(&statuspb.Status{Code: 6, Message: "m", Details: []*anypb.Any{anyOf("type.googleapis.com/google.protobuf.Any", string(inner)+"\x98\x06\x01")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range allWires {
		back, err := w.decode(w.encode(e), errmap.WithCatalog(nil))
		if err != nil || difference(e, back, exactly) != "" {
			t.Errorf("%s: %s, %v", w.name, difference(e, back, exactly), err)
		}
	}
}

// A forged Carried may not put JSON in the place of a detail without a type.
func TestRegression_untyped_JSON_for_a_detail_without_a_type(t *testing.T) {
	t.Parallel()
	check := append(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte("NOT_FOUND\nm"))), 0, 0, 0, 0, 0, 0, 0, 0)
	a, err := anypb.New(&errmapv1.Carried{Check: check, Details: []*errmapv1.CarriedDetail{{Plain: true, Content: &errmapv1.CarriedDetail_Json{Json: `"x"`}}}})
	if err != nil {
		t.Fatal(err)
	}
	forged, err := errmap.FromStatus(&statuspb.Status{Code: 5, Message: "m", Details: []*anypb.Any{anyOf("", "secret"), a}})
	if err != nil {
		t.Fatal(err)
	}
	if value, ok := forged.Details()[0].Value(); !ok || string(value) != "secret" {
		t.Errorf("%s", describe(forged))
	}
}

// The members of the violations in a problem may come in any order.
func TestRegression_violations_in_another_order(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "problem", `{"type":"about:blank","title":"Bad Request","status":400,"detail":"m","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"a","description":"b"}]}],"errors":[{"detail":"b","field":"a"}]}`, 400)
	if e.Received() != nil {
		t.Errorf("%s", describe(e))
	}
}

// A code outside the table that only rides along counts against the budget too.
func TestRegression_budget_with_a_private_code(t *testing.T) {
	t.Parallel()
	e, err := errmap.FromStatus(&statuspb.Status{Code: -5, Message: strings.Repeat("x", 40)})
	if err != nil {
		t.Fatal(err)
	}
	if h := errmap.EncodeGRPC(e, errmap.WithBudget(60), quiet); len(h.String()) > 70 || h.DetailsBin != "" {
		t.Errorf("%s", h)
	}
}

// Under a profile's own number free-form JSON stands as a Value, which as any object
// with a type has each member once; what it was rides along.
func TestRegression_members_twice_under_an_own_number(t *testing.T) {
	t.Parallel()
	for _, element := range []string{`{"a":0,"a":1}`, `{"b":{"a":0.0,"a":["x"],"c":"\ud800"}}`, `[{"a":1,"a":1}]`, `{"n":9007199254740993,"n":1}`} {
		for _, info := range []string{`TASK_NOT_FOUND","domain":"a2a-protocol.org"}`, `HEADER_MISMATCH","domain":"modelcontextprotocol.io"}`} {
			in := `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + infoPrefix + info + `,` + element + `]}}`
			e := decodeText(t, "http", in, 404)
			if text, ok := e.Details()[1].JSON(); !ok || string(text) != element {
				t.Fatalf("%s: %s", in, describe(e))
			}
			for _, w := range allWires {
				back, p := hop(t, e, w)
				if s := difference(e, back, exactly); s != "" || len(back.Notes()) > 0 {
					t.Errorf("%s through %s: %s, notes %q\n\tas %s", element, w.name, s, back.Notes(), p)
				}
			}
		}
	}
}
