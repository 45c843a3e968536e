// Package interop holds programs that others wrote against servers of errmap, and
// what each of them shows of an error. It is a module of its own, so that no peer
// enters the library's go.mod.
//
// A folder is a family of peers: this one has the clients of the SDKs of A2A and of
// Connect and gRPC against "errmap serve". Run them by make test-interop, which
// makes ready what they need: .build/errmap, .build/buf, the npm packages and the
// Python environment. Peers in Java and Rust, and what takes long, have the build
// tag all; make interop-all runs them too.
package interop
