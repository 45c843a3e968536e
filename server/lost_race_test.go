//go:build race

package server_test

// lost is how many allocations of a call the race detector adds: it lets the pools
// forget at random.
const lost = 6
