package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
)

var loadTime = flag.Duration("load", time.Second, "how long TestLoad runs")

const loadClients = 32

// TestLoad mixes calls, batches, streams and clients that vanish, and looks for
// ids that are lost or doubled, goroutines that stay and memory that grows. It
// does not run beside other tests, so that the counts are its own.
func TestLoad(t *testing.T) {
	before := runtime.NumGoroutine()
	service := &cart{
		get: func(ctx context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
			switch request.GetQty() {
			case 1:
				return nil, stock(request.GetSku())
			case 2:
				panic("secret=42")
			case 3:
				select {
				case <-ctx.Done():
					return nil, ctx.Err()
				case <-time.After(time.Millisecond):
				}
			}
			return &shopv1.GetResponse{Sku: request.GetSku()}, nil
		},
		watch: func(_ context.Context, request *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
			for range request.GetQty() {
				if err := stream.Send(&shopv1.GetResponse{Sku: request.GetSku()}); err != nil {
					return err
				}
			}
			return stock(request.GetSku())
		},
	}
	listener := newPipeListener()
	httpServer := &http.Server{Handler: newHandler(t, service,
		server.WithGuard(errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) {}))),
		server.WithNotificationLog(func(context.Context, server.Dropped) {})), ReadHeaderTimeout: time.Minute}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = httpServer.Serve(listener)
	}()
	client := &http.Client{Transport: &http.Transport{
		DialContext:         func(context.Context, string, string) (net.Conn, error) { return listener.dial(), nil },
		MaxIdleConnsPerHost: loadClients,
	}}

	l := &load{client: client}
	ctx, cancel := context.WithTimeout(t.Context(), *loadTime)
	defer cancel()
	var clients sync.WaitGroup
	for i := range loadClients {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for ctx.Err() == nil {
				if err := l.one(t.Context(), random); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	middle := time.AfterFunc(*loadTime/2, func() { l.half.Store(heap()) })
	clients.Wait()
	middle.Stop()
	client.CloseIdleConnections()
	if err := httpServer.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	<-stopped
	for range 100 {
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines, want %d:\n%s", after, before, stacks[:runtime.Stack(stacks, true)])
	}
	if half, end := l.half.Load(), heap(); half > 0 && end > half+16<<20 {
		t.Errorf("the heap grew from %d to %d bytes in the second half", half, end)
	}
	t.Logf("%d exchanges, %d of them given up by the client", l.exchanges.Load(), l.vanished.Load())
}

// load is what the clients have in common.
type load struct {
	client    *http.Client
	id        atomic.Int64
	exchanges atomic.Int64
	vanished  atomic.Int64
	half      atomic.Uint64
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func (l *load) one(ctx context.Context, random *rand.Rand) error {
	l.exchanges.Add(1)
	switch random.IntN(4) {
	case 0:
		return l.call(ctx, random)
	case 1:
		return l.batch(ctx, random)
	case 2:
		return l.stream(ctx, random)
	}
	return l.vanish(ctx, random)
}

// request returns a call of method whose sku is its id.
func (l *load) request(method string, qty int) (id, body string) {
	id = fmt.Sprintf("%d.0", l.id.Add(1))
	return id, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"shop.v1.Cart/%s","params":{"sku":"s%s","qty":%d}}`, id, method, id, qty)
}

func (l *load) send(ctx context.Context, body string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://pipe/", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	return l.client.Do(request)
}

func (l *load) call(ctx context.Context, random *rand.Rand) error {
	qty := random.IntN(5)
	id, body := l.request("Get", qty)
	response, err := l.send(ctx, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	return checkAnswer(answer, id, qty)
}

func (l *load) batch(ctx context.Context, random *rand.Rand) error {
	var ids, items []string
	var qtys []int
	for range 1 + random.IntN(20) {
		qty := random.IntN(5)
		id, item := l.request("Get", qty)
		if random.IntN(10) == 0 {
			item = strings.Replace(item, `"id":`+id+`,`, "", 1)
		} else {
			ids, qtys = append(ids, id), append(qtys, qty)
		}
		items = append(items, item)
	}
	response, err := l.send(ctx, "["+strings.Join(items, ",")+"]")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		if response.StatusCode != http.StatusNoContent {
			return fmt.Errorf("only notifications: status %d", response.StatusCode)
		}
		return nil
	}
	var answers []json.RawMessage
	if err := json.Unmarshal(body, &answers); err != nil || len(answers) != len(ids) {
		return fmt.Errorf("%d answers to %d requests: %s", len(answers), len(ids), body)
	}
	for i, answer := range answers {
		if err := checkAnswer(answer, ids[i], qtys[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkAnswer looks for the id, and for a text that only its own call has.
func checkAnswer(answer []byte, id string, qty int) error {
	if !bytes.HasPrefix(answer, []byte(`{"jsonrpc":"2.0","id":`+id+`,`)) {
		return fmt.Errorf("the answer to %s is %s", id, answer)
	}
	want := `"result":{"sku":"s` + id + `"}`
	switch qty {
	case 1:
		want = `"message":"No s` + id + ` left"`
	case 2:
		want = `"message":"internal error"`
	}
	if !bytes.Contains(answer, []byte(want)) || bytes.Contains(answer, []byte("secret")) {
		return fmt.Errorf("the answer to %s is %s, want %s", id, answer, want)
	}
	return nil
}

func (l *load) stream(ctx context.Context, random *rand.Rand) error {
	n := random.IntN(10)
	id, body := l.request("Watch", n)
	response, err := l.send(ctx, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	scanner := bufio.NewScanner(response.Body)
	results, failures := 0, 0
	for scanner.Scan() {
		event, isData := strings.CutPrefix(scanner.Text(), "data: ")
		switch {
		case !isData:
		case event == `{"jsonrpc":"2.0","id":`+id+`,"result":{"sku":"s`+id+`"}}` && failures == 0:
			results++
		case strings.HasPrefix(event, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":4010,`):
			failures++
		default:
			return fmt.Errorf("stream %s has the event %s", id, event)
		}
	}
	if results != n || failures != 1 {
		return fmt.Errorf("stream %s has %d results and %d errors, want %d and 1", id, results, failures, n)
	}
	return scanner.Err()
}

// vanish gives up before or amid the answer.
func (l *load) vanish(ctx context.Context, random *rand.Rand) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(random.IntN(2000))*time.Microsecond)
	defer cancel()
	_, body := l.request("Watch", 1000)
	response, err := l.send(ctx, body)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	if err != nil {
		l.vanished.Add(1)
	}
	return nil
}
