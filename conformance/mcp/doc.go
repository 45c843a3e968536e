// Package mcp runs the official conformance suite of the Model Context Protocol
// over the Go SDK's own everything-server and everything-client, bare and with
// errmapmcp in them, and the official Python and TypeScript SDKs against a server
// and a client with errmapmcp.
//
// It is a module of its own, so that what the programs of the suite need never
// enters the go.mod of errmap. Its tests need Node and Python too: make test-mcp
// installs both and runs them.
package mcp
