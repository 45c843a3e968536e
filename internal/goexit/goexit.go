// Package goexit keeps methods that end their goroutine (runtime.Goexit) from ending more
// than their call.
package goexit

import "net/http"

// Serve calls serve with a request of HTTP/2, for a handler whose methods may end the
// goroutine, in one of its own: net/http would reset the stream with its own, and with it
// the answer that was written on the way out. Over HTTP/1 it ends the connection, which
// whoever answers on the way out has to say and to flush.
func Serve(w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter, *http.Request)) {
	Contain(func() { serve(w, r) })
}

// Contain calls serve in a goroutine of its own, which a handler may end (as the FailNow
// of package testing does) with no more than its call. An RPC library goes on in the
// goroutine of the handler: its caller would wait for ever, or see its connection cut. A
// panic goes on here.
func Contain(serve func()) {
	var value any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { value = recover() }()
		serve()
	}()
	if <-done; value != nil {
		panic(value)
	}
}
