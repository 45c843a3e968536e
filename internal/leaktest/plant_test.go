package leaktest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	connectv1 "connectrpc.com/connect"
	"connectrpc.com/connect/v2"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// plant is a place where a handler comes across a secret.
type plant struct {
	// fail returns the error of the handler, or panics, with the secret in it.
	fail func(secret string) error
	// hidden is set where the error is not made for callers: it must be in the
	// log, under the id that the caller has.
	hidden bool
}

// driverFault is the error of a library below the handler. Its name must not
// leave either.
type driverFault struct {
	Host, Password string
}

func (f *driverFault) Error() string { return "dial tcp 10.0.0.7:5432: password=" + f.Password }

// MarshalText is what a careless encoder would call.
func (f *driverFault) MarshalText() ([]byte, error) { return []byte(f.Password), nil }

// The places, by name.
var plants = map[string]plant{
	"handler error": {fail: func(s string) error { return errors.New("password=" + s) }, hidden: true},
	"typed error":   {fail: func(s string) error { return &driverFault{Host: s, Password: s} }, hidden: true},
	"wrapped error": {fail: func(s string) error { return fmt.Errorf("query: %w", &driverFault{Password: s}) }, hidden: true},
	"nested timeout": {
		fail:   func(s string) error { return fmt.Errorf("call of %s: %w", s, context.DeadlineExceeded) },
		hidden: true,
	},
	"nested cancellation": {fail: func(s string) error { return fmt.Errorf("call of %s: %w", s, context.Canceled) }, hidden: true},
	"end of file":         {fail: func(s string) error { return fmt.Errorf("read %s: %w", s, io.EOF) }, hidden: true},
	"panic with a text":   {fail: func(s string) error { panic("secret=" + s) }, hidden: true},
	"panic with a value":  {fail: func(s string) error { panic(struct{ Secret string }{s}) }, hidden: true},
	"panic with an error": {fail: func(s string) error { panic(&driverFault{Password: s}) }, hidden: true},
	"panic with an error that speaks": {
		fail:   func(s string) error { panic(&libraryv1.BookLentError{Name: "b", Reader: s}) },
		hidden: true,
	},
	"cause": {fail: func(s string) error {
		return errmap.New(&libraryv1.BookNotFoundError{Name: "b"}).WithCause(&driverFault{Password: s})
	}},
	"cause of an error of Connect": {fail: func(s string) error {
		return errmap.NewCode(code.Code_NOT_FOUND, "gone").WithCause(connect.NewError(connect.CodeNotFound, s).WithCause(errors.New(s)))
	}},
	"text around":     {fail: func(s string) error { return fmt.Errorf("save %s: %w", s, &libraryv1.BookNotFoundError{Name: "b"}) }},
	"joined error":    {fail: func(s string) error { return errors.Join(&libraryv1.BookNotFoundError{Name: "b"}, errors.New(s)) }},
	"joined before":   {fail: func(s string) error { return errors.Join(errors.New(s), &libraryv1.BookNotFoundError{Name: "b"}) }},
	"DebugInfo":       {fail: func(s string) error { return errmap.New(&libraryv1.BookNotFoundError{Name: "b"}).WithDetail(debug(s)) }},
	"DebugInfo field": {fail: func(s string) error { return &shopv1.InvalidCartError{Debug: debug(s)} }},
	"DebugInfo forwarded": {fail: func(s string) error {
		return errmap.Forward(errmap.NewCode(code.Code_NOT_FOUND, "gone").WithDetail(debug(s)).WithRemote())
	}},
	"upstream error": {
		fail: func(s string) error {
			return errmap.New(&libraryv1.BookLentError{Name: "b", Reader: s}).WithMessage("to " + s).WithRemote()
		},
		hidden: true,
	},
	"upstream error of Connect v1": {
		fail: func(s string) error {
			e := connectv1.NewWireError(connectv1.CodeNotFound, errors.New(s))
			e.Meta().Set("X-Token", s)
			return fmt.Errorf("upstream: %w", e)
		},
		hidden: true,
	},
	"upstream error of Connect v2": {
		fail:   func(s string) error { return connect.NewError(connect.CodeNotFound, s).WithRemote() },
		hidden: true,
	},
	"validation value": {
		fail: func(s string) error {
			value, err := structpb.NewValue(map[string]any{"password": s})
			if err != nil {
				return err
			}
			return fmt.Errorf("field password: %v does not match", value)
		},
		hidden: true,
	},
	// An error of an MCP client is an annotated message of kind and reason, and
	// speaks as such; what it holds does not.
	"MCP data": {
		fail: func(s string) error {
			return errmapmcp.FromRPCError([]byte(`{"code":-32602,"message":"` + s + `","data":{"token":"` + s + `"}}`))
		},
	},
	"MCP cause": {
		fail: func(s string) error {
			e, err := errmapmcp.New(errmapmcp.KindAuth, errmapmcp.NewReason("http", 401),
				errmapmcp.WithData("challenge", errmapmcp.NewSecret(s)), errmapmcp.WithCause(&driverFault{Password: s}))
			if err != nil {
				return err
			}
			return e
		},
	},
}

func debug(s string) *errdetails.DebugInfo {
	return &errdetails.DebugInfo{Detail: "password=" + s, StackEntries: []string{s}}
}

// log is the log hook of a server.
type log struct {
	mu      sync.Mutex
	reports []errmap.Report
}

func (l *log) report(_ context.Context, r errmap.Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reports = append(l.reports, r)
}

func (l *log) guard() *errmap.Guard { return errmap.NewGuard(errmap.WithLog(l.report)) }

// check searches what left for the secret and for what else tells of the
// server's inside, and the log for what was kept back.
func (p plant) check(t *testing.T, left []byte, l *log, secret string) {
	t.Helper()
	for _, inside := range []string{secret, "10.0.0.7", "driverFault", "leaktest", "goroutine ", "plant_test.go"} {
		if holds(left, inside) {
			t.Errorf("%q left:\n%q", inside, left)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.hidden {
		return
	}
	if len(l.reports) == 0 {
		t.Fatal("nothing was logged")
	}
	for _, r := range l.reports {
		if !strings.Contains(r.Err.Error(), secret) {
			t.Errorf("the log has %q, without the secret", r.Err)
		}
		if r.ID == "" || !holds(left, r.ID) {
			t.Errorf("the caller did not get the id %q of the log:\n%q", r.ID, left)
		}
	}
}
