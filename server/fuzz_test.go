package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/server"
)

func FuzzHandler(f *testing.F) {
	for _, seed := range []string{
		get("1", "A1"), "[" + get("1", "A1") + "," + get(`"1"`, "B2") + "]", `[]`, `[[]]`, `{`, `{} x`, `5`, ``, "\xEF\xBB\xBF{}",
		`{"jsonrpc":"2.0","id":"\ud800","method":"shop.v1.Cart/Echo","params":{"value":9007199254740993,"object":{"a":[1.0]}}}`,
		`{"jsonrpc":"2.0","id":1e3,"method":"shop.v1.Cart/Get","params":{"qty":"many","qty":1}}`,
		`{"jsonrpc":"2.0","id":null,"method":"shop.v1.Cart/Watch","params":[]}`,
		`{"jsonrpc":"2.0","method":"shop.v1.Cart/Ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`,
		`[{"jsonrpc":"2.0","method":"shop.v1.Cart/Ping"},5]`,
	} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(2))
	}
	handlers := make(map[errmap.Profile]http.Handler)
	for _, profile := range errmap.Profiles() {
		handlers[profile] = newHandler(f, new(cart), append(new(reports).options(),
			server.WithProfile(profile), server.WithMethodNames(server.SlashNames), server.WithDiscovery("t", "v"),
			server.WithLimits(server.Limits{RequestBytes: 1 << 16, ResponseBytes: 1 << 16, Depth: 10, BatchItems: 8}))...)
	}
	f.Fuzz(func(t *testing.T, body []byte, profile uint8) {
		handler := handlers[errmap.Profiles()[int(profile)%len(errmap.Profiles())]]
		got := post(t, handler, string(body), "Accept", "application/json")
		if got.status >= 500 {
			t.Fatalf("%q: status %d", body, got.status)
		}
		if got.body == "" {
			if got.status != http.StatusNoContent && got.status != http.StatusAccepted {
				t.Fatalf("%q: status %d without a body", body, got.status)
			}
			return
		}
		if len(got.body) > 1<<16+1000 {
			t.Fatalf("%q: %d bytes of answer", body, len(got.body))
		}
		type response struct {
			Version string           `json:"jsonrpc"`
			ID      json.RawMessage  `json:"id"`
			Result  *json.RawMessage `json:"result"`
			Error   *struct {
				Code    int64
				Message string
			} `json:"error"`
		}
		responses := make([]response, 1)
		var err error
		if got.body[0] == '[' {
			err = json.Unmarshal([]byte(got.body), &responses)
		} else {
			err = json.Unmarshal([]byte(got.body), &responses[0])
		}
		if err != nil || len(responses) == 0 {
			t.Fatalf("%q: the answer %q is no response: %v", body, got.body, err)
		}
		for _, one := range responses {
			if one.Version != "2.0" || (one.Result == nil) == (one.Error == nil) || one.ID == nil && !errmap.Profiles()[int(profile)%len(errmap.Profiles())].RefusesNullIDs() {
				t.Fatalf("%q: the answer %q is no response", body, got.body)
			}
		}
		if again := post(t, handler, get("1", "A1")).body; again != `{"jsonrpc":"2.0","id":1,"result":{"sku":"A1"}}` {
			t.Fatalf("%q: the next call answers %q", body, again)
		}
	})
}
