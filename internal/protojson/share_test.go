//go:build !race

package protojson_test

// share is what properties have of their cases: all of them.
const share = 1
