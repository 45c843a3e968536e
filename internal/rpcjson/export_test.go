package rpcjson

// Clean is clean for the tests.
func Clean(s []byte) int { return clean(s) }

// ASCII is ascii for the tests.
func ASCII(b []byte) bool { return ascii(b) }
