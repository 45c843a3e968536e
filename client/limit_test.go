package client_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"google.golang.org/genproto/googleapis/rpc/code"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// What is larger than the limit is never read whole, and the text says the limit;
// what is as large as it is read.
func TestTransport_maxResponse(t *testing.T) {
	t.Parallel()
	const frame, event = `{"jsonrpc":"2.0","id":1,"result":{"sku":""}}`, "text/event-stream"
	for _, size := range []int{len(frame) + 10, len(frame) + 11} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":ID,"result":{"sku":"%s"}}`, strings.Repeat("x", size-len(frame)))
		limit := client.WithLimits(client.Limits{ResponseBytes: len(frame) + 10})
		for name, got := range map[string]error{
			"unary":   get(t, body, "application/json", limit),
			"batched": get(t, body, "application/json", limit, client.WithBatching(time.Millisecond, 1)),
			"event":   get(t, "data: "+body+"\n\n", event, limit),
		} {
			e, _ := errors.AsType[*errmap.Error](got)
			switch {
			case size == len(frame)+10 && got != nil:
				t.Errorf("%s of the limit: %v", name, got)
			case size > len(frame)+10 && (e.Code() != code.Code_RESOURCE_EXHAUSTED || !e.Local() || !strings.Contains(e.Message(), fmt.Sprint(len(frame)+10))):
				t.Errorf("%s beyond the limit: %v", name, got)
			}
		}
	}
}

func get(t *testing.T, body, kind string, opts ...client.Option) error {
	t.Helper()
	url, _ := answer(t, 200, map[string]string{"Content-Type": kind}, body)
	_, err := cart(url, opts...).Get(t.Context(), &shopv1.GetRequest{})
	return err
}
