package server_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/server"
)

// get is a request of Cart/Get as it stands in a batch.
func get(id, sku string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"shop.v1.Cart/Get","params":{"sku":%q}}`, id, sku)
}

func got(id, sku string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"sku":%q}}`, id, sku)
}

func TestHandler_batch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		settles string // what the row settles, in section 6 of the standard
		body    string
		status  int
		want    string
	}{
		{
			settles: "a batch is answered by a batch, here in order",
			body:    `[` + get(`1`, "a") + `,` + get(`"1"`, "b") + `,` + get(`1.5`, "c") + `]`,
			status:  200,
			want:    `[` + got(`1`, "a") + `,` + got(`"1"`, "b") + `,` + got(`1.5`, "c") + `]`,
		},
		{
			settles: "a batch of one is answered by a batch of one",
			body:    `[` + get(`1`, "a") + `]`,
			status:  200,
			want:    `[` + got(`1`, "a") + `]`,
		},
		{
			settles: "notifications have no place in the answer",
			body:    `[{"jsonrpc":"2.0","method":"shop.v1.Cart/Get"},` + get(`1`, "a") + `,{"jsonrpc":"2.0","method":"nope"}]`,
			status:  200,
			want:    `[` + got(`1`, "a") + `]`,
		},
		{
			settles: "only notifications: no answer at all",
			body:    `[{"jsonrpc":"2.0","method":"shop.v1.Cart/Get"},{"jsonrpc":"2.0","method":"nope"}]`,
			status:  204,
		},
		{
			settles: "one bad element does not end the others, whatever is bad about it",
			body: `[5,` + get(`1`, "a") + `,{"id":2},{"jsonrpc":"2.0","id":3,"method":"nope"},{"jsonrpc":"2.0","id":4,"method":"shop.v1.Cart/Get","params":[1]},` +
				`{"jsonrpc":"2.0","id":5,"method":"shop.v1.Cart/Watch"},` + get(`null`, "z") + `]`,
			status: 200,
			want: `[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the request is not an object"}},` + got(`1`, "a") +
				`,{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid Request: the member jsonrpc is not \"2.0\""}}` +
				`,{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found: nope"}}` +
				`,{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params: params must be an object with the fields of shop.v1.GetRequest"}}` +
				`,{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"Method not found: shop.v1.Cart/Watch answers with a stream: call it alone, with an Accept that names text/event-stream"}},` +
				got(`null`, "z") + `]`,
		},
		{
			settles: "an id that stands twice is refused each time",
			body:    `[` + get(`1`, "a") + `,` + get(`2`, "b") + `,` + get(`1e0`, "c") + `]`,
			status:  200,
			want: `[{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request: the id stands more than once in the batch"}},` + got(`2`, "b") +
				`,{"jsonrpc":"2.0","id":1e0,"error":{"code":-32600,"message":"Invalid Request: the id stands more than once in the batch"}}]`,
		},
	}
	for _, test := range tests {
		t.Run(test.settles, func(t *testing.T) {
			t.Parallel()
			got := post(t, newHandler(t, new(cart), new(reports).options()...), test.body)
			if diff := cmp.Diff(test.want, got.body); diff != "" || got.status != test.status {
				t.Errorf("%s: status %d, want %d (-want +got):\n%s", test.body, got.status, test.status, diff)
			}
		})
	}
}

func TestHandler_batchRunsConcurrently(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		service := &cart{get: func(_ context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
			now := running.Add(1)
			defer running.Add(-1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
			// The first call takes longest, and is answered first all the same.
			time.Sleep(time.Duration(10-len(request.GetSku())) * time.Second)
			return &shopv1.GetResponse{Sku: request.GetSku()}, nil
		}}
		handler := newHandler(t, service, server.WithLimits(server.Limits{BatchConcurrency: 3}))
		var requests, answers []string
		for i := range 9 {
			id, sku := fmt.Sprint(i), strings.Repeat("x", i+1)
			requests, answers = append(requests, get(id, sku)), append(answers, got(id, sku))
		}
		start := time.Now()
		result := post(t, handler, "["+strings.Join(requests, ",")+"]")
		if want := "[" + strings.Join(answers, ",") + "]"; result.body != want {
			t.Errorf("got %s, want %s", result.body, want)
		}
		if most.Load() != 3 {
			t.Errorf("%d calls ran at the same time, want 3", most.Load())
		}
		if took := time.Since(start); took >= 45*time.Second {
			t.Errorf("took %v, as long as one after the other", took)
		}
	})
}

func TestHandler_batchResponseLimit(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 500)
	short := func(id, text string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-31429,"message":"the answers of the batch are too large: this ` + text + `"}}`
	}
	const notSent, notRun = "one is left out", "call was not made"
	// A short answer and its comma take 126 bytes and the id here.
	tests := map[string]struct {
		limit int
		skus  []string
		want  []string
		calls int64
	}{
		"all fit": {
			limit: 2000, skus: []string{large, "b", large}, calls: 3,
			want: []string{got("0", large), got("1", "b"), got("2", large)},
		},
		"the second large one does not fit": {
			limit: 1000, skus: []string{large, large, "c"}, calls: 2,
			want: []string{got("0", large), short("1", notSent), short("2", notRun)},
		},
		"nothing large fits": {
			limit: 500, skus: []string{large, "b", "c"}, calls: 3,
			want: []string{
				`{"jsonrpc":"2.0","id":0,"error":{"code":-31429,"message":"the answer is larger than 500 bytes"}}`,
				got("1", "b"), got("2", "c"),
			},
		},
		"not even the short answers": {
			limit: 300, skus: []string{"a", "b", "c"}, calls: 0,
			want: nil,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			service := &cart{get: func(_ context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
				calls.Add(1)
				return &shopv1.GetResponse{Sku: request.GetSku()}, nil
			}}
			handler := newHandler(t, service, server.WithLimits(server.Limits{ResponseBytes: test.limit, BatchConcurrency: 1}))
			var requests []string
			for i, sku := range test.skus {
				requests = append(requests, get(fmt.Sprint(i), sku))
			}
			result := post(t, handler, "["+strings.Join(requests, ",")+"]")
			want := "[" + strings.Join(test.want, ",") + "]"
			if test.want == nil {
				want = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the answers of the batch would have more than 300 bytes"}}`
			}
			if diff := cmp.Diff(want, result.body); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if test.want != nil && len(result.body) > test.limit {
				t.Errorf("%d bytes, want at most %d", len(result.body), test.limit)
			}
			if calls.Load() != test.calls {
				t.Errorf("%d calls were made, want %d", calls.Load(), test.calls)
			}
		})
	}
}

func TestHandler_batchResponseLimitCountsErrors(t *testing.T) {
	t.Parallel()
	service := &cart{get: func(_ context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		return nil, stock(request.GetSku())
	}}
	for _, concurrency := range []int{1, 4, 16} {
		const limit = 9000
		handler := newHandler(t, service, server.WithLimits(server.Limits{ResponseBytes: limit, BatchConcurrency: concurrency}))
		var requests []string
		for i := range 60 {
			requests = append(requests, get(fmt.Sprint(i), strings.Repeat("s", 100)))
		}
		result := post(t, handler, "["+strings.Join(requests, ",")+"]")
		if len(result.body) > limit {
			t.Errorf("concurrency %d: %d bytes, want at most %d", concurrency, len(result.body), limit)
		}
		for i := range 60 {
			if n := strings.Count(result.body, fmt.Sprintf(`"id":%d,`, i)); n != 1 {
				t.Errorf("concurrency %d: id %d is answered %d times", concurrency, i, n)
			}
		}
		if !strings.Contains(result.body, `"STOCK_EMPTY"`) || !strings.Contains(result.body, "was not made") {
			t.Errorf("concurrency %d: want some errors whole and some calls not made", concurrency)
		}
	}
}

func TestHandler_batchHeaders(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, headerCart())
	result := post(t, handler, `[`+get(`1`, "a")+`,`+get(`2`, "b")+`]`)
	if diff := cmp.Diff([]string{"a", "b"}, result.header.Values("X-Sku")); diff != "" {
		t.Errorf("X-Sku (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ta", "tb"}, result.header.Values("Trailer-X-Sku")); diff != "" {
		t.Errorf("Trailer-X-Sku (-want +got):\n%s", diff)
	}
}

func TestHandler_batchSurvivesItsLog(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, new(cart), server.WithNotificationLog(func(context.Context, server.Dropped) { panic("disk full") }))
	result := post(t, handler, `[{"jsonrpc":"2.0","method":"nope"},`+get(`1`, "a")+`,{"jsonrpc":"2.0","method":"nope"}]`)
	if want := `[` + got(`1`, "a") + `]`; result.body != want {
		t.Errorf("got %s, want %s", result.body, want)
	}
}
