// Package client is a [connectrpc.com/connect/v2.Transport] that speaks JSON-RPC
// 2.0 over HTTP, so that generated Connect clients call JSON-RPC servers
// unchanged: this project's, A2A agents, and any that has the generic form.
//
//	transport := client.New(http.DefaultClient, "https://agent.example.com/",
//		client.WithProfile(errmap.ProfileA2A), client.WithMethodNames(client.BareNames))
//	agent := a2av1connect.NewA2AServiceClient(connect.NewClient(transport))
//
// A unary call is one POST, a server-streaming one a POST that is answered with
// server-sent events; client and bidirectional streaming have no form in
// JSON-RPC and fail before anything is sent.
//
// # Errors
//
// An error that the server sent arrives as a *connect.Error that is remote, with
// the *errmap.Error of its wire as its cause, so errors.As finds typed errors and
// data of any kind is kept. Where an answer is no JSON-RPC, its HTTP status
// decides, after the table of the Connect protocol; nothing of its body becomes a
// message. An error that arose here is not remote, its message a fixed text and
// its cause what happened.
package client
