package jsonrpc_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/errmap/errmap/internal/jsonrpc"
)

func TestReadBody(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	tests := map[string]struct {
		source io.Reader
		limit  int
		want   string
		err    error
	}{
		"within":        {strings.NewReader("abc"), 3, "xabc", nil},
		"bytewise":      {iotest.OneByteReader(strings.NewReader("abc")), 3, "xabc", nil},
		"end with data": {iotest.DataErrReader(strings.NewReader("abc")), 3, "xabc", nil},
		"beyond":        {strings.NewReader("abcd"), 3, "xabc", jsonrpc.ErrTooLarge},
		"broken":        {io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken)), 3, "xab", broken},
		"empty":         {strings.NewReader(""), 0, "x", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonrpc.ReadBody([]byte("x"), test.source, test.limit)
			if string(got) != test.want || !errors.Is(err, test.err) {
				t.Errorf("got %q and %v, want %q and %v", got, err, test.want, test.err)
			}
		})
	}
}
