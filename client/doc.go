// Package client is a [connectrpc.com/connect/v2.Transport] that speaks JSON-RPC
// 2.0 over HTTP, so that generated Connect clients call JSON-RPC servers
// unchanged: this project's, A2A agents, and any that has the generic form.
//
//	transport := client.New(http.DefaultClient, "https://agent.example.com/",
//		client.WithProfile(errmap.ProfileA2A), client.WithMethodNames(client.BareNames))
//	agent := errmapconnect.NewClient(transport) // for the constructor of a generated client
//
// A unary call is one POST, a server-streaming one a POST that is answered with
// server-sent events; client and bidirectional streaming have no form in
// JSON-RPC and fail before anything is sent.
//
// # Errors
//
// An error that the server sent arrives as an [*errmap.Error] that is Remote and has
// all of its data. errors.AsType finds the typed message in it, and a *connect.Error
// that is remote too, with or without errmapconnect.NewClient.
//
// Where an answer is no JSON-RPC, what stands before the server has answered: its
// error object in the form of AIP-193, problem details, Connect or OAuth, or no more
// than a member "message", is read, and of any other body the HTTP status alone, after
// the table of the Connect protocol. Such an error is Local, as is one that arose here,
// its message a fixed text and its cause what happened: errmap.Forward sends code and
// delay of either on, and not the text. A server that breaks the protocol at a good
// status is INTERNAL; what it said is in a note, and a Retry-After counts.
//
// [*errmap.Error]: https://pkg.go.dev/github.com/errmap/errmap/errmap#Error
package client
