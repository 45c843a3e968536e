package adapter

import "errors"

// ErrGoexit stands for the value of a panic where a handler ended its goroutine.
var ErrGoexit = errors.New("the handler called runtime.Goexit")

// Contained calls serve in a goroutine of its own, which a handler may end
// (runtime.Goexit, as the FailNow of package testing does) with no more than its call.
// An RPC library goes on in the goroutine of the handler: its caller would wait for
// ever, or see its connection cut. A panic goes on here.
func Contained(serve func()) {
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

// Exit returns what ended a handler whose deferred function recovered a value: that of
// the panic, ErrGoexit where it did not return, else nil.
func Exit(recovered any, returned bool) any {
	if recovered == nil && !returned {
		return ErrGoexit
	}
	return recovered
}
