// Package bench measures errmap beside its peers. It is a module of its own, so
// that peers never enter the library's go.mod.
//
// Both sides of a row do the same work: where a peer makes its error in the loop, so
// does errmap, and where errmap writes base64, so does the peer. What a row is to
// show is in cmd/report/goals.go.
//
//	make bench        # all tables of docs/performance.md, medians of several rounds
//	make bench-load   # requests a second over loopback
package bench
