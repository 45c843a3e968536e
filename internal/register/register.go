// Package register puts handlers on routers.
package register

import (
	"fmt"
	"net/http"
)

// Mux is a router, such as a [net/http.ServeMux].
type Mux interface {
	Handle(pattern string, handler http.Handler)
}

// Handle registers a handler. A router that panics, as that of net/http does for
// a pattern that is malformed or taken, makes an error.
func Handle(mux Mux, pattern string, handler http.Handler) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("nothing can be registered under the pattern %q: %v", pattern, value)
		}
	}()
	mux.Handle(pattern, handler)
	return nil
}
