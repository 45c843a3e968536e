// Package adapter holds what the adapters of connect v2, of connect v1, of grpc-go,
// of net/http and of the A2A SDK share: what leaves a server and who is told of it,
// and what the error of a call is whatever library made it. What only one library has
// stays in its adapter.
package adapter
