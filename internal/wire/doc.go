// Package wire reads and writes an error on each wire. What a wire can say is
// decided from the error itself, never by writing it and reading it back: for each
// form, one function looks at the number, the identity, what was received and each
// detail, and says what stands plainly, what needs the code marker of JSON-RPC, and
// what rides along in errmap.v1.Carried. docs/wire.md has the rules.
//
// One file a wire reads and writes it: status.go statusjson.go connect.go grpc.go
// aip193.go problem.go jsonrpc.go. What they share lies beside them: the codes in
// code.go, details in detail.go, members in member.go, Carried in carried.go and
// restore.go, the budget of gRPC's headers in budget.go, the dialects of JSON-RPC in
// profile.go.
package wire
