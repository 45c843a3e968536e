package errmaptest

import (
	"context"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/errmap/errmap/errmap"
)

// TB is what Declared needs of a [testing.TB].
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Declared holds services to the errors that their methods declare, by the option
// (errmap.v1.errors). The observer that it returns is for the server under test: for
// errmapconnect.WithObserver and the like.
//
// A call that answers with a reason that its method does not declare fails the test at
// once. At the end of the test, each declared error of the services that are named, such as
// "shop.v1.Cart", that no call provoked fails it too, and so does a service that is not
// linked into the test. Without services only the former is checked. Calls may be made at
// once, and in subtests of the test.
func Declared(t TB, services ...string) errmap.Observer {
	t.Helper()
	seen := &provoked{all: map[string]bool{}}
	t.Cleanup(func() {
		t.Helper()
		for _, service := range services {
			methods, ok := methodsOf(service)
			if !ok {
				t.Errorf("errmaptest: service %s is not linked into the test", service)
			}
			for _, procedure := range methods {
				if missing := seen.missing(procedure); missing != nil {
					t.Errorf("errmaptest: no call of %s provoked what it declares: %s", procedure, strings.Join(missing, ", "))
				}
			}
		}
	})
	return func(_ context.Context, e errmap.Event) {
		if e.Side != errmap.ServerSide {
			return
		}
		seen.add(e.Procedure, e.Sent)
		if errmap.Undeclared(e.Procedure, e.Sent) {
			t.Errorf("errmaptest: %s returned %s/%s, which it does not declare", e.Procedure, e.Sent.Domain(), e.Sent.Reason())
		}
	}
}

// provoked is which errors calls had, by procedure and identity.
type provoked struct {
	mu  sync.Mutex
	all map[string]bool
}

func (p *provoked) add(procedure string, e *errmap.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[procedure+" "+e.Domain()+"/"+e.Reason()] = true
}

// missing returns the identities of the errors that a method declares and no call had.
func (p *provoked) missing(procedure string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var missing []string
	for _, d := range errmap.DeclaredErrors(procedure) {
		if identity := d.Domain() + "/" + d.Reason(); !p.all[procedure+" "+identity] {
			missing = append(missing, identity)
		}
	}
	slices.Sort(missing)
	return missing
}

func methodsOf(service string) (procedures []string, ok bool) {
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	descriptor, ok := found.(protoreflect.ServiceDescriptor)
	if err != nil || !ok {
		return nil, false
	}
	for i := range descriptor.Methods().Len() {
		procedures = append(procedures, "/"+service+"/"+string(descriptor.Methods().Get(i).Name()))
	}
	return procedures, true
}
