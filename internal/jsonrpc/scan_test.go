package jsonrpc_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/errmap/errmap/internal/jsonrpc"
)

// scanSeeds are bodies of which the short way takes the first ones.
var scanSeeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}`,
	` {"jsonrpc" : "2.0" , "id" : "a\u0062\n" , "method" : "s.v1.S/M" , "params" : [ ] } `,
	`{"jsonrpc":"2.0","method":"é","params":{"a":[1,-0,0.5,1e9,-1.5E+3,true,false,null,{},[],"\ud800"],"b":{"c":"\\\"\/"}}}`,
	`{"params":null,"x":[[[]]],"method":"","id":-1.50e2,"jsonrpc":"2.0"}`,
	`{"id":null,"jsonrpc":"2.0","method":"m"}`,
	`{"jsonrpc":"2.0","method":"m","params":[[[[[[[[1]]]]]]]]}`,
	`{"jsonrpc":"2.0","id":1,"method":"m","id":2}`, `{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"m"}`,
	`{"jsonrpc":"2.0","id":1,"method":"\u006d"}`, `{"jsonrpc":"2.0","id":[],"method":"m"}`, `{"jsonrpc":"1.0","method":"m"}`,
	`{"jsonrpc":"2.0","id":01,"method":"m"}`, `{"jsonrpc":"2.0","id":1.,"method":"m"}`, `{"jsonrpc":"2.0","id":-,"method":"m"}`,
	`{"jsonrpc":"2.0","id":1e,"method":"m"}`, `{"jsonrpc":"2.0","id":1,"method":"m"} x`, `{"jsonrpc":"2.0","method":"m",}`,
	`{"jsonrpc":"2.0","method":"m","params":{"a":1,}}`, `{"jsonrpc":"2.0","method":"m","params":[1,]}`,
	`{"jsonrpc":"2.0","method":"m","params":"\x"}`, `{"jsonrpc":"2.0","method":"m","params":"\u00g0"}`,
	`{"jsonrpc":"2.0","method":"m","params":nul}`, `{"jsonrpc":"2.0","method":"m","params":"` + "\x01" + `"}`, `{"jsonrpc":"2.0","method":"m","params":"` + "\x1f" + `"}`,
	`{`, `{}`, `[]`, `[{"jsonrpc":"2.0","method":"m"}]`, ``, "\xEF\xBB\xBF{}", "{\"\xff\":1}",
}

const scanTakes = 6

// FuzzParser_shortWay holds the short way to the decoder.
func FuzzParser_shortWay(f *testing.F) {
	for _, seed := range scanSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, rules := range []jsonrpc.Rules{
			{MaxDepth: 6, MaxItems: 5},
			{Batches: jsonrpc.BatchesRefused, NullIDs: jsonrpc.NullIDsRefused},
		} {
			var short, long jsonrpc.Parser
			got := describe(short.ParseRequests(body, rules))
			want := describe(long.DecodeRequests(body, rules))
			if got != want {
				t.Fatalf("%q reads %s the short way, want %s", body, got, want)
			}
		}
	})
}

func TestParser_shortWay(t *testing.T) {
	t.Parallel()
	for i, seed := range scanSeeds {
		takes := jsonrpc.Scans([]byte(seed), jsonrpc.Rules{}) && utf8.ValidString(seed)
		if takes != (i < scanTakes) {
			t.Errorf("%s: the short way takes it: %t", seed, takes)
		}
	}
	deep := `{"jsonrpc":"2.0","method":"m","params":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `}`
	if !jsonrpc.Scans([]byte(deep), jsonrpc.Rules{}) || jsonrpc.Scans([]byte(deep), jsonrpc.Rules{MaxDepth: 99}) {
		t.Error("the depth of the short way is not that of the rules")
	}
}

func TestParser_allocations(t *testing.T) { //nolint:paralleltest // it counts allocations
	var parser jsonrpc.Parser
	body := []byte(scanSeeds[0])
	if allocs := testing.AllocsPerRun(100, func() { _, _ = parser.ParseRequests(body, jsonrpc.Rules{}) }); allocs != 0 {
		t.Errorf("%v allocations, want none", allocs)
	}
}
