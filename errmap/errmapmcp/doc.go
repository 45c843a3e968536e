// Package errmapmcp is the one error type of a client of the Model Context
// Protocol, its closed set of kinds, and what turns the failures of the official
// Go SDK's client into it.
//
//	client := errmapmcp.NewClient(&mcp.Implementation{Name: "shop", Version: "1"}, nil,
//		errmapmcp.WithMaxInFlight(8, 32), errmapmcp.WithMaxMessage(1<<20))
//	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
//	if err != nil {
//		return err
//	}
//	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "order"})
//	if e, ok := errors.AsType[*errmapmcp.Error](err); ok && e.Kind() == errmapmcp.KindRateLimited {
//		delay, _ := e.RetryDelay()
//		fmt.Println("again in", delay)
//	}
//
// A [Client] is the SDK's client with one middleware, and a [Session] the SDK's
// session; their methods are the SDK's. Every error of a request is an [*Error],
// but for two: where the caller cancelled, the context's own error comes back,
// and a mistake in the program, such as arguments without JSON, stays what it
// is. A tool that ran and says isError is a result.
//
// # Where a kind comes from
//
// The SDK turns much of what happens into text: the HTTP status, Retry-After and
// WWW-Authenticate, the error object where a server chose a code that the SDK
// uses for itself, the end of a child process. A kind is never read from text,
// so the evidence is taken where it is still whole: by a [RoundTripper] below
// the SDK's HTTP transport, and by a connection around every other transport.
// Both are put in place by [Client.Connect]. Where a body would make the SDK
// give up the whole connection, such as an HTML page in the place of an answer,
// the RoundTripper puts a JSON-RPC error in its stead, so that the next request
// is judged by itself.
//
// Below both lies what the SDK has no place for: a session that the server has
// lost is opened anew, with each request that found it gone made once more
// ([WithRenewals]), and no request leaves the origin of the server's address.
// Messages, pages and inputs have caps without any option.
//
// # Servers and their tools
//
// [InstallServer] makes the errors of a server built on the SDK keep their code
// and data, and [AddTool] adds a tool whose errors are hidden from callers unless
// they were made for them. A failed tool's result has a text that a model can act
// on, and the error itself, which [FromResult] and [WithToolErrors] give to a
// client.
package errmapmcp
