package httpserver_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server/httpserver"
)

// A program that serves until it is told to stop would end ctx by signal.NotifyContext.
func ExampleRun() {
	stopping := make(chan struct{})
	guard := errmap.NewGuard(errmap.WithShutdown(stopping))
	rpc := errmapconnect.NewServer(errmapconnect.WithGuard(guard)) // and the services, and the mounts
	_ = rpc

	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		done <- httpserver.Run(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "hello")
		}),
			httpserver.WithOrigins("https://app.example.com"),
			httpserver.WithTimes(httpserver.Times{Drain: 10 * time.Second}),
			httpserver.WithGiveUp(func() { close(stopping) }))
	}()

	response, err := http.Get("http://" + listener.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	_ = response.Body.Close()
	stop()
	fmt.Println(string(body), <-done)
	// Output: hello <nil>
}

// A server that is made elsewhere has the rules about origins alone.
func ExampleProtect() {
	h, err := httpserver.Protect(http.NotFoundHandler(), httpserver.WithOrigins("https://app.example.com"))
	if err != nil {
		log.Fatal(err)
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	fmt.Println(s.Handler != nil)
	// Output: true
}
