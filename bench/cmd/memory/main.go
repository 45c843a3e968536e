// Command memory tells whether the agent of errmap serve keeps anything of calls
// that fail: the live heap after ten thousand of them beside that after a million,
// over JSON-RPC, Connect and HTTP+JSON in turn, without sockets.
//
//	memory [-calls 1000000]
package main

import (
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"

	"github.com/errmap/errmap/internal/agent"
)

// calls are requests that fail, each with what its answer must hold.
var calls = []struct{ path, body, want string }{
	{"/", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"nope"}}`, "TASK_NOT_FOUND"},
	{"/lf.a2a.v1.A2AService/GetTask", `{"id":"nope"}`, `"not_found"`},
	{"/tasks/nope", "", "TASK_NOT_FOUND"},
	{"/", `{"jsonrpc":"2.0","id":1,"method":"Nope"}`, "-32601"},
}

func main() {
	most := flag.Int("calls", 1_000_000, "how many calls in all")
	flag.Parse()
	a, err := agent.New(agent.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	if err != nil {
		fmt.Fprintln(os.Stderr, "memory:", err)
		os.Exit(1)
	}
	defer a.Shutdown()
	done := 0
	for _, n := range []int{10_000, *most / 10, *most} {
		for ; done < n; done++ {
			if err := call(a, done); err != nil {
				fmt.Fprintln(os.Stderr, "memory:", err)
				os.Exit(1)
			}
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Printf("%8d failing calls: live heap %6.2f MB, %d goroutines\n", done, float64(m.HeapAlloc)/1e6, runtime.NumGoroutine())
	}
}

func call(h http.Handler, i int) error {
	c := calls[i%len(calls)]
	method := http.MethodPost
	if c.body == "" {
		method = http.MethodGet
	}
	r := httptest.NewRequest(method, c.path, strings.NewReader(c.body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("A2A-Version", "1.0")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if !strings.Contains(w.Body.String(), c.want) {
		return fmt.Errorf("%s %s: got %s, want %s", method, c.path, w.Body, c.want)
	}
	return nil
}
