//go:build !race

package server_test

// lost is how many allocations of a call the race detector adds.
const lost = 0
