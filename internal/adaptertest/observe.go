package adaptertest

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/errmap/errmap/errmap"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// Events are what an observer was told.
type Events struct {
	mu   sync.Mutex
	list []errmap.Event
}

// Observe is the observer.
func (o *Events) Observe(_ context.Context, e errmap.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, e)
}

// Take returns what was told, and forgets it.
func (o *Events) Take() []errmap.Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := o.list
	o.list = nil
	return list
}

// Quiet is a guard that logs nothing.
func Quiet() *errmap.Guard {
	return errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) {}))
}

// CheckHiddenEvents tells whether the two sides of one call, which failed with Secret,
// were told of it once each.
func CheckHiddenEvents(t *testing.T, server, client []errmap.Event, procedure string, wire errmap.Wire) {
	t.Helper()
	CheckHiddenEvent(t, server, errmap.ServerSide, procedure, wire)
	CheckHiddenEvent(t, client, errmap.ClientSide, procedure, wire)
	if !t.Failed() && server[0].RequestID != client[0].RequestID {
		t.Errorf("request ids %q and %q", server[0].RequestID, client[0].RequestID)
	}
}

// CheckHiddenEvent tells whether one side was told, once, of a call that failed with
// Secret.
func CheckHiddenEvent(t *testing.T, events []errmap.Event, side errmap.Side, procedure string, wire errmap.Wire) {
	t.Helper()
	if len(events) != 1 {
		t.Fatalf("%s: told %d times: %+v", side, len(events), events)
	}
	e := events[0]
	if e.Side != side || e.Procedure != procedure || e.Wire != wire || e.Attempt != 1 || e.RequestID == "" {
		t.Errorf("%s: %+v", side, e)
	}
	if e.Err == nil || strings.Contains(e.Err.Error(), secretPart) != (side == errmap.ServerSide) {
		t.Errorf("%s: the error is %v", side, e.Err)
	}
	if e.Sent.Code() != code.Code_INTERNAL || e.Sent.Remote() != (side == errmap.ClientSide) {
		t.Errorf("%s: sent %v, remote %v", side, e.Sent, e.Sent.Remote())
	}
}
