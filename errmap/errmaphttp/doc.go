// Package errmaphttp carries errors over HTTP+JSON with net/http alone: as
// AIP-193 has them, for Google's APIs and A2A, or as problem details of RFC 9457,
// by what the client accepts.
//
// A server writes them with [WriteError], or has handlers that return them:
//
//	mux.Handle("GET /orders/{id}", errmaphttp.Handle(func(w http.ResponseWriter, r *http.Request) error {
//		return &ordersv1.OrderNotFoundError{OrderId: r.PathValue("id")}
//	}))
//
// What was not made for callers leaves neither: see [errmap.Guard]. [Recover]
// does for panics of other handlers what Handle does for its own.
//
// A client reads them with [ReadError], or gets them from a [Transport] as the
// errors of its calls:
//
//	client := &http.Client{Transport: errmaphttp.NewTransport(nil, errmaphttp.HTTPJSON)}
//	_, err := client.Get(url)
//	if gone, ok := errors.AsType[*ordersv1.OrderNotFoundError](err); ok {
//		…
//	}
//
// The pages of proxies and bodies of another kind become the error that their
// HTTP status says on the protocol that the caller names; what was cut is
// UNAVAILABLE.
package errmaphttp
