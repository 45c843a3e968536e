package errmapgrpc_test

import (
	"context"
	"testing"

	"github.com/errmap/errmap/internal/adaptertest"
)

// TestField holds the field reports on what handlers return; local_test.go and
// client_test.go hold those on calls.
func TestField(t *testing.T) {
	t.Parallel()
	adaptertest.CheckFields(t, func(t *testing.T, fail func(context.Context) error, check func(*testing.T, error, *adaptertest.Wire)) {
		everyCall(t, fail, nil, check)
	})
}
