package errmap_test

import (
	"errors"
	"testing"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"

	"github.com/errmap/errmap/errmap"
)

// Whoever answers a call can write any domain: a client may say whose it believes.
func TestFinding_A17_domains_that_are_believed(t *testing.T) {
	t.Parallel()
	const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}}`
	for _, w := range allWires {
		p := w.encode(decodeText(t, "jsonrpc/generic", `{"code":-31400,"message":"m","data":[`+info+`]}`, 0))
		for _, tt := range []struct {
			name     string
			opts     []errmap.DecodeOption
			believed bool
		}{
			{"without the option", nil, true},
			{"its domain", []errmap.DecodeOption{errmap.WithTrustedDomains("pay.example.com", "shop.example.com")}, true},
			{"another domain", []errmap.DecodeOption{errmap.WithTrustedDomains("pay.example.com")}, false},
		} {
			e, err := w.decode(p, tt.opts...)
			if err != nil {
				t.Fatal(err)
			}
			_, as := errors.AsType[*shopv1.StockEmptyError](e)
			is := errors.Is(e, &shopv1.StockEmptyError{})
			if as != tt.believed || is != tt.believed || e.Fill(new(shopv1.StockEmptyError)) != tt.believed || (e.Reason() != "") != tt.believed || (e.Metadata() != nil) != tt.believed {
				t.Errorf("%s, %s: as %v, is %v, reason %q", w.name, tt.name, as, is, e.Reason())
			}
			if len(e.Details()) != 1 || w.encode(e).String() != p.String() {
				t.Errorf("%s, %s: it does not travel on: %s", w.name, tt.name, describe(e))
			}
		}
	}
}
