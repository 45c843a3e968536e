package server

import (
	"fmt"
	"net/http"

	"connectrpc.com/connect/v2"

	"github.com/errmap/errmap/internal/register"
)

// ServeMux is what [Mount] needs of a router; [net/http.ServeMux] has it.
type ServeMux interface {
	// Handle registers handler for pattern.
	Handle(pattern string, handler http.Handler)
}

// Mount registers a JSON-RPC handler for the methods of server on mux, under
// the pattern that WithPattern sets. Methods that are registered later are not
// seen. The error names every two procedures that would have the same method
// name, or says that mux refused the pattern, such as for one that is taken;
// nothing is registered then.
func Mount(mux ServeMux, server *connect.Server, opts ...Option) error {
	o := newOptions(opts)
	h, err := newHandler(server, o)
	if err != nil {
		return err
	}
	if err := register.Handle(mux, o.pattern, h); err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return nil
}

// NewHandler returns the handler that [Mount] registers. It is safe for
// concurrent use.
func NewHandler(server *connect.Server, opts ...Option) (http.Handler, error) {
	return newHandler(server, newOptions(opts))
}
