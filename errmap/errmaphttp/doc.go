// Package errmaphttp carries errors over HTTP+JSON with net/http alone: as
// AIP-193 has them, for Google's APIs and A2A, or as problem details of RFC 9457,
// by what the client accepts.
//
// A server writes them with [WriteError], or has handlers that return them:
//
//	mux.Handle("GET /carts/{sku}", errmaphttp.Handle(func(w http.ResponseWriter, r *http.Request) error {
//		return &shopv1.StockEmptyError{Sku: r.PathValue("sku")}
//	}))
//
// What was not made for callers leaves neither: see [errmap.Guard]. [Recover]
// does for panics of other handlers what Handle does for its own.
//
// A client reads them with [ReadError], or gets them from a [Transport] as the
// errors of its calls:
//
//	hc := &http.Client{Transport: errmaphttp.NewTransport(nil, errmaphttp.HTTPJSON)}
//	_, err := hc.Get(url)
//	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
//		fmt.Println("sold out:", empty.GetSku())
//	}
//
// The pages of proxies and bodies of another kind become the error that their
// HTTP status says on the protocol that the caller names; what was cut is
// UNAVAILABLE.
package errmaphttp
