package jsonrpc_test

import (
	"testing"

	"github.com/errmap/errmap/internal/jsonrpc"
)

func TestID_Key(t *testing.T) {
	t.Parallel()
	same := [][]string{
		{`1`, `1.0`, `1e0`, `10e-1`, `0.1E1`, `0.10e+1`},
		{`10`, `1e1`, `10.00`},
		{`0`, `-0`, `0.0`, `0e5`},
		{`-1`, `-1.0`},
		{`9007199254740993`, `9007199254740993.0`},
		{`9007199254740992`},
		{`12345678901234567890123`, `1234567890123456789012.3e1`},
		{`1e99999999999`},
		{`2e99999999999`},
		{`"1"`, `"\u0031"`},
		{`""`},
		{`"null"`},
		{`null`},
		{``},
		{`"1e0"`},
	}
	owner := make(map[string]int)
	for group, tokens := range same {
		for _, token := range tokens {
			key := jsonrpc.ID(token).Key()
			if other, ok := owner[key]; ok && other != group {
				t.Errorf("%s has the key %q of %s", token, key, same[other][0])
			}
			owner[key] = group
			if first := jsonrpc.ID(tokens[0]).Key(); key != first {
				t.Errorf("%s has the key %q, want %q as %s has", token, key, first, tokens[0])
			}
		}
	}
}
