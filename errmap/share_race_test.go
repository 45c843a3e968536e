//go:build race

package errmap_test

// share is what properties have of their cases: half where the race detector is on,
// which looks at each access and not at more errors; the plain run has all.
const share = 2
