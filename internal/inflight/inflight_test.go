package inflight_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/errmap/errmap/internal/inflight"
)

func request(version int, remote string, local net.Addr) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.ProtoMajor, r.RemoteAddr = version, remote
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
}

func TestBudget(t *testing.T) {
	t.Parallel()
	b := inflight.New(400)
	local, unix, other := new(net.TCPAddr), new(net.UnixAddr), new(net.UnixAddr)
	for _, r := range []*http.Request{
		request(1, "a", local),
		request(2, "a", local), // another connection than that of HTTP/1
		request(2, "@", unix),
	} {
		if !b.Take(r, 60) || b.Take(r, 41) || !b.Take(r, 40) || b.Take(r, 1) || !b.Take(r, 0) {
			t.Errorf("the share of one connection: %v", r.RemoteAddr)
		}
	}
	if b.Take(request(2, "a", local), 1) {
		t.Error("two requests of one connection of HTTP/2 have one share")
	}
	last := request(2, "@", other)
	if !b.Take(last, 90) || b.Take(request(1, "b", local), 20) {
		t.Error("all connections together have the budget")
	}
	b.Give(last, 90)
	b.Give(last, 0)
	if !b.Take(request(1, "b", local), 100) {
		t.Error("what was given back is there again")
	}
}
