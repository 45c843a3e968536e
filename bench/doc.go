// Package bench measures errmap beside its peers. It is a module of its own, so
// that peers never enter the library's go.mod.
//
//	make bench        # all tables of docs/performance.md, medians of several rounds
//	make bench-load   # requests a second over loopback
package bench
