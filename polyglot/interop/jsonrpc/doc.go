// Package jsonrpc holds JSON-RPC servers that others wrote, and proxies that answer in
// their place, against the client of errmap.
package jsonrpc
