// Package adopt has services as teams have them before they know of errmap: of
// Connect, both versions, of grpc-go, behind gRPC-Gateway, of net/http and of MCP. Its
// tests run each with and without errmap, and hold what docs/adopt.md says of both, its
// tables and its code, to what was seen.
package adopt
