// Command load compares requests a second over loopback: JSON-RPC through errmap's
// server, Connect's own JSON, and a handler that only echoes JSON, with 32
// keep-alive connections. The pairs take turns; it runs for a bounded time.
//
//	load [-rounds 6] [-each 2s] [-gzip]
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/connect/v2/connectproto"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap/errmapconnect"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	"github.com/errmap/errmap/server"
)

const connections = 32

type typed struct {
	libraryv1connect.UnimplementedLibraryHandler
}

func (typed) GetBook(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	if r.GetName() == "lent" {
		return nil, &libraryv1.BookLentError{Name: r.GetName(), Reader: "r-7"}
	}
	return &libraryv1.Book{Name: r.GetName()}, nil
}

type plain struct {
	libraryv1connect.UnimplementedLibraryHandler
}

func (plain) GetBook(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	if r.GetName() == "lent" {
		d, err := connectproto.NewErrorDetail(&errdetails.ErrorInfo{
			Reason: "BOOK_LENT", Domain: "library.example.com", Metadata: map[string]string{"name": r.GetName(), "reader": "r-7"},
		})
		if err != nil {
			return nil, err
		}
		return nil, connect.NewError(connect.CodeFailedPrecondition, "r-7 has lent").WithDetail(d)
	}
	return &libraryv1.Book{Name: r.GetName()}, nil
}

func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.Copy(w, r.Body)
}

type target struct{ name, url, body string }

func main() {
	rounds := flag.Int("rounds", 6, "how often each target runs, in turn with the others")
	each := flag.Duration("each", 2*time.Second, "how long each runs each time")
	gzip := flag.Bool("gzip", false, "offer gzip, as clients in Go do by themselves")
	flag.Parse()
	a, b := errmapconnect.NewServer(), connect.NewServer()
	libraryv1connect.RegisterLibraryHandler(a, typed{})
	libraryv1connect.RegisterLibraryHandler(b, plain{})
	mux := http.NewServeMux()
	if err := server.Mount(mux, a); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
	connecthttp.Mount(mux, b)
	mux.HandleFunc("/echo", echo)
	s := httptest.NewServer(mux)
	defer s.Close()
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: connections,
		MaxConnsPerHost:     connections,
		// Connect compresses a good answer of any size where it may, and errmap
		// none so small: without, both do the same work.
		DisableCompression: !*gzip,
	}}
	for _, kind := range []struct{ name, book string }{{"good", "books/1"}, {"failing", "lent"}} {
		params := `{"name":"` + kind.book + `"}`
		targets := []target{
			{"errmap JSON-RPC", s.URL + "/", `{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/GetBook","params":` + params + `}`},
			{"connect v2 JSON", s.URL + "/library.v1.Library/GetBook", params},
			{"echo", s.URL + "/echo", params},
		}
		ratios := map[string][]float64{}
		for range *rounds {
			rates := map[string]float64{}
			for _, t := range targets {
				rates[t.name] = rate(client, t, *each)
			}
			for name, r := range rates {
				ratios[name] = append(ratios[name], r/rates["connect v2 JSON"])
				fmt.Printf("%-8s %-16s %8.0f requests/s\n", kind.name, name, r)
			}
		}
		for _, t := range targets {
			all := ratios[t.name]
			slices.Sort(all)
			fmt.Printf("%-8s %-16s %.2f of connect v2's own JSON (median of %d pairs)\n", kind.name, t.name, all[len(all)/2], *rounds)
		}
	}
}

// rate sends requests over all connections for a time and counts the answers.
func rate(client *http.Client, t target, d time.Duration) float64 {
	var done atomic.Int64
	var wg sync.WaitGroup
	stop := time.Now().Add(d)
	for range connections {
		wg.Go(func() {
			for time.Now().Before(stop) {
				resp, err := client.Post(t.url, "application/json", bytes.NewReader([]byte(t.body)))
				if err != nil {
					fmt.Fprintln(os.Stderr, "load:", err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				done.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(done.Load()) / d.Seconds()
}
