package agent

import (
	"net/http"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// accommodate lets requests in that clients make and the schema does not know.
//
// A query may name the version where a client cannot set headers, as a browser's
// EventSource. And the specification subscribes to a task by POST, its schema by
// GET: clients do either.
func accommodate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(a2a.SvcParamVersion) == "" && r.URL.RawQuery != "" {
			if version := r.URL.Query().Get(a2a.SvcParamVersion); version != "" {
				r.Header.Set(a2a.SvcParamVersion, version)
			}
		}
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, ":subscribe") {
			get := *r
			get.Method = http.MethodGet
			r = &get
		}
		next.ServeHTTP(w, r)
	})
}
