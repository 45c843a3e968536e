//go:build !race

package jsontree_test

// share is what properties have of their cases: all of them.
const share = 1
