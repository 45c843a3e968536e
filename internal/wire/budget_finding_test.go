package wire_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/wire"
)

// large is what a reader takes that is to read all of it.
var large = wire.Limits{Body: 1 << 30, Details: 1 << 20, Depth: 1000, Message: 1 << 30}

// defaultBudget is what programs get that say nothing.
const defaultBudget = 7 << 10

func errorInfo(reason string, metadata map[string]string) hub.Detail {
	return detail(&errdetails.ErrorInfo{Reason: reason, Domain: "shop.example", Metadata: metadata})
}

// sent returns what a reader gets of an error that is sent within a budget, and what
// was left out.
func sent(t *testing.T, e *hub.Error, budget int) (got *hub.Error, notes hub.Notes) {
	t.Helper()
	h, notes := wire.WriteGRPC(e, &wire.Encoding{Budget: budget})
	if n := headerSize(h); n > budget {
		t.Errorf("%d bytes over a budget of %d", n, budget)
	}
	headers := map[string][]string{wire.HeaderGRPCStatus: {h.Status}, wire.HeaderGRPCMessage: {h.Message}}
	if h.DetailsBin != "" {
		headers[wire.HeaderGRPCDetails] = []string{h.DetailsBin}
	}
	got = new(hub.Error)
	if err := wire.ReadGRPC(got, headers, &wire.Decoding{Limits: large}); err != nil {
		t.Fatal(err)
	}
	return got, notes
}

func infoOf(t *testing.T, d hub.Detail) *errdetails.ErrorInfo {
	t.Helper()
	info := new(errdetails.ErrorInfo)
	if err := proto.Unmarshal(d.Value, info); err != nil {
		t.Fatal(err)
	}
	return info
}

func names(e *hub.Error) (out []string) {
	for i := range e.Details {
		out = append(out, strings.TrimPrefix(e.Details[i].Name(), "google.rpc."))
	}
	return out
}

// The large entry goes, whichever ErrorInfo has it.
func TestFinding_X03_the_large_entry_goes(t *testing.T) {
	t.Parallel()
	small, large := map[string]string{"sku": "a-1"}, map[string]string{"big": strings.Repeat("x", 9000)}
	for _, order := range [][]map[string]string{{small, large}, {large, small}} {
		got, notes := sent(t, &hub.Error{Number: 9, Message: "no stock", Details: []hub.Detail{errorInfo("A", order[0]), errorInfo("B", order[1])}}, defaultBudget)
		if len(got.Details) != 2 {
			t.Fatalf("details: %v", names(got))
		}
		for i, metadata := range order {
			want := metadata["sku"]
			if have := infoOf(t, got.Details[i]).GetMetadata(); have["sku"] != want || have["big"] != "" {
				t.Errorf("detail %d has %v", i, have)
			}
		}
		if want := []string{`over budget: metadata "big" of 9000 bytes dropped`}; !slices.Equal(notes, want) {
			t.Errorf("notes %q", notes)
		}
	}
}

// What never helped stays: text and small details beside one large entry.
func TestFinding_X04_what_is_small_stays(t *testing.T) {
	t.Parallel()
	got, _ := sent(t, &hub.Error{Number: 9, Message: "no stock", Details: []hub.Detail{
		errorInfo("A", map[string]string{"big": strings.Repeat("x", 9000)}), detail(&errdetails.RequestInfo{RequestId: "abc"}),
	}}, defaultBudget)
	if got.Message != "no stock" || !slices.Equal(names(got), []string{"ErrorInfo", "RequestInfo"}) {
		t.Errorf("%q with %v", got.Message, names(got))
	}
}

// A small detail stays beside a large one of its kind.
func TestFinding_X05_the_small_one_of_a_kind_stays(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 9000)
	localized := detail(&errdetails.LocalizedMessage{Locale: "de", Message: "ausverkauft"})
	debug := func(text string) hub.Detail { return detail(&errdetails.DebugInfo{Detail: text}) }
	help := detail(&errdetails.Help{Links: []*errdetails.Help_Link{{Description: large, Url: "https://shop.example"}}})
	for _, row := range []struct {
		details []hub.Detail
		stays   int
		note    string
	}{
		{[]hub.Detail{help, localized}, 1, "google.rpc.Help"},
		{[]hub.Detail{localized, help}, 0, "google.rpc.Help"},
		{[]hub.Detail{debug(large), debug("small")}, 1, "google.rpc.DebugInfo"},
		{[]hub.Detail{debug("small"), debug(large)}, 0, "google.rpc.DebugInfo"},
	} {
		got, notes := sent(t, &hub.Error{Number: 9, Message: "m", Details: row.details}, defaultBudget)
		if len(got.Details) != 1 || string(got.Details[0].Value) != string(row.details[row.stays].Value) {
			t.Errorf("details: %v", names(got))
		}
		if len(notes) != 1 || !strings.HasPrefix(notes[0], "over budget: detail "+row.note+" of 90") {
			t.Errorf("notes %q", notes)
		}
	}
}

// Of many ErrorInfos those in front stay, the reason of the first always.
func TestFinding_X06_as_many_as_fit(t *testing.T) {
	t.Parallel()
	e := &hub.Error{Number: 9, Message: "no stock"}
	for i := range 1000 {
		e.Details = append(e.Details, errorInfo(fmt.Sprintf("R%d", i), map[string]string{"sku": "a-1"}))
	}
	got, notes := sent(t, e, defaultBudget)
	if n := len(got.Details); n < 60 {
		t.Errorf("%d details", n)
	}
	for i, d := range got.Details[:60] {
		if info := infoOf(t, d); info.GetReason() != fmt.Sprintf("R%d", i) || info.GetMetadata()["sku"] != "a-1" {
			t.Errorf("detail %d is %v", i, info)
		}
	}
	if got.Message != "no stock" || len(notes) > 65 {
		t.Errorf("message %q, %d notes", got.Message, len(notes))
	}
	for budget := 200; budget < 9000; budget += 97 {
		if got, _ := sent(t, e, budget); len(got.Details) == 0 || infoOf(t, got.Details[0]).GetReason() != "R0" {
			t.Errorf("budget %d: %v", budget, names(got))
		}
	}
}

// What is counted is what a peer counts whose limit is 8,192 (grpc-java, grpc-go): the
// code arrives with the identity and a text that is cut.
func TestFinding_P04_what_peers_count(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]*hub.Error{
		"a long message": {Message: strings.Repeat("m", 8100)},
		"not ASCII":      {Message: strings.Repeat("é", 3000)},
		"metadata":       {Message: "m", Details: []hub.Detail{errorInfo("A", map[string]string{"a": strings.Repeat("x", 5900)})}},
		"violations": {Message: "m", Details: []hub.Detail{detail(&errdetails.BadRequest{
			FieldViolations: slices.Repeat([]*errdetails.BadRequest_FieldViolation{{Field: "name", Description: "is required"}}, 290),
		})}},
	} {
		e.Number = 9
		e.Details = append([]hub.Detail{errorInfo("OUT_OF_STOCK", nil), detail(&errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 3}})}, e.Details...)
		got, notes := sent(t, e, defaultBudget)
		if got.Number != 9 || infoOf(t, got.Details[0]).GetReason() != "OUT_OF_STOCK" || got.Details[1].Name() != hub.NameRetryInfo || got.Message == "" || len(notes) == 0 {
			t.Errorf("%s: %q, %v, notes %q", name, got.Message, names(got), notes)
		}
	}
}

// Elements are cut from the end to what fits, and a note says how many went.
func TestFinding_P23_elements_from_the_front(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		m    proto.Message
		note string
	}{
		{&errdetails.BadRequest{FieldViolations: slices.Repeat([]*errdetails.BadRequest_FieldViolation{{Field: "f", Description: "d"}}, 5000)}, "field violations"},
		{&errdetails.PreconditionFailure{Violations: slices.Repeat([]*errdetails.PreconditionFailure_Violation{{Type: "t"}}, 5000)}, "precondition violations"},
		{&errdetails.QuotaFailure{Violations: slices.Repeat([]*errdetails.QuotaFailure_Violation{{Subject: "s"}}, 5000)}, "quota violations"},
		{&errdetails.Help{Links: slices.Repeat([]*errdetails.Help_Link{{Url: "https://u"}}, 5000)}, "links"},
	} {
		e := &hub.Error{Number: 3, Message: "m", Details: []hub.Detail{errorInfo("A", nil), detail(row.m)}}
		got, notes := sent(t, e, defaultBudget)
		if len(got.Details) != 2 || len(got.Details[1].Value) < 4000 || !strings.HasPrefix(string(e.Details[1].Value), string(got.Details[1].Value)) {
			t.Errorf("%T: %v", row.m, names(got))
		}
		if len(notes) != 1 || !strings.HasSuffix(notes[0], " of 5000 "+row.note+" left out") {
			t.Errorf("%T: notes %q", row.m, notes)
		}
	}
}

// The work grows with the number of parts, and each is looked at once or twice.
func TestFinding_A04_work_grows_with_the_parts(t *testing.T) {
	many := func(n int, f func(i int) hub.Detail) *hub.Error {
		e := &hub.Error{Number: 9, Message: "m", Origin: hub.Read}
		for i := range n {
			e.Details = append(e.Details, f(i))
		}
		return e
	}
	for name, of := range map[string]func(n int) *hub.Error{
		"ErrorInfos": func(n int) *hub.Error {
			return many(n, func(i int) hub.Detail { return errorInfo(fmt.Sprint(i), map[string]string{"a": "b", "c": "d"}) })
		},
		"entries": func(n int) *hub.Error {
			metadata := map[string]string{}
			for i := range n {
				metadata[fmt.Sprintf("%d-%0100d", i, i)] = "v"
			}
			return many(1, func(int) hub.Detail { return errorInfo("A", metadata) })
		},
		"violations": func(n int) *hub.Error {
			return many(1, func(int) hub.Detail {
				return detail(&errdetails.BadRequest{FieldViolations: slices.Repeat([]*errdetails.BadRequest_FieldViolation{{Field: "f"}}, n)})
			})
		},
		"others": func(n int) *hub.Error {
			return many(n, func(int) hub.Detail { return hub.Detail{TypeURL: "acme.example/acme.v1.Thing"} })
		},
		"JSON": func(n int) *hub.Error {
			return many(n, func(i int) hub.Detail { return jsonDetail("", fmt.Sprint(1_000_000_000-i)) })
		},
		"ErrorInfos as JSON": func(n int) *hub.Error {
			return many(n, func(i int) hub.Detail {
				return jsonDetail(hub.URLErrorInfo, fmt.Sprintf(`{"@type":"%s","reason":"R%d","more":1}`, hub.URLErrorInfo, i))
			})
		},
		"text": func(n int) *hub.Error {
			return &hub.Error{Number: 9, Message: strings.Repeat("é  ", n*8)}
		},
	} {
		for _, n := range []int{1000, 2000, 4000} {
			for _, budget := range []int{200, defaultBudget, 64 << 10} {
				e := of(n)
				_, _, _, tries := wire.Fit(e, &wire.Encoding{Budget: budget}, hub.WireGRPC)
				if tries > 5*n {
					t.Errorf("%s: %d sizes for %d parts and a budget of %d", name, tries, n, budget)
				}
				allocs := testing.AllocsPerRun(1, func() { wire.Fit(e, &wire.Encoding{Budget: budget}, hub.WireGRPC) })
				if allocs > float64(60*n) {
					t.Errorf("%s: %v allocations for %d parts", name, allocs, n)
				}
			}
		}
	}
}
