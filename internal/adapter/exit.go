package adapter

import "errors"

// ErrGoexit stands for the value of a panic where a handler ended its goroutine.
var ErrGoexit = errors.New("the handler called runtime.Goexit")

// Exit returns what ended a handler whose deferred function recovered a value: that of
// the panic, ErrGoexit where it did not return, else nil.
func Exit(recovered any, returned bool) any {
	if recovered == nil && !returned {
		return ErrGoexit
	}
	return recovered
}
