package gateway

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/grpcreflect/v2"
	"github.com/errmap/errmap/errmap"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// closeTime is how long an upstream may take to end a stream that is done with.
const closeTime = time.Second

var errNoServices = errors.New("gateway: the upstream has no services")

// Reflect asks the upstream for its schema, through version 1 or 1alpha of gRPC
// server reflection, within the limits of [WithReflectionLimits]. It fetches the
// errors that methods name too.
//
// What an upstream does not know, or does not say in a way that can be used, is
// left out and is a warning of the schema: an error that a method names, or a whole
// service ([Schema.Unread]). Reflect fails where the upstream cannot be reached or
// does not answer in time, and where it has no service that can be used.
func (u *Upstream) Reflect(ctx context.Context) (*Schema, error) {
	limited, cancel := context.WithTimeout(ctx, u.limits.Time)
	defer cancel()
	m := &meter{limits: u.limits, seed: maphash.MakeSeed(), seen: make(map[uint64]int)}
	r := &reflection{
		ctx:     limited,
		client:  connect.NewClient(u.Transport(), m.intercept),
		meter:   m,
		files:   newFileSet(),
		unread:  make(map[protoreflect.FullName]error),
		unknown: make(map[protoreflect.FullName]error),
	}
	defer r.close()
	schema, err := r.schema()
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return nil, fmt.Errorf("gateway: reflection: no answer within %v: %w", u.limits.Time, err)
	}
	return schema, err
}

// reflection is one exchange with an upstream.
type reflection struct {
	ctx    context.Context
	client *connect.Client
	stream *grpcreflect.ClientStream // nil where the next request needs a new one
	cancel context.CancelFunc        // of the stream
	share  context.Context           // the time of what is fetched

	meter   *meter
	files   *fileSet
	named   []protoreflect.FullName // errors
	unread  map[protoreflect.FullName]error
	unknown map[protoreflect.FullName]error // of the errors
}

// open returns the stream for the next request. Each has a client of its own, which
// finds out anew whether the upstream has version 1: an answer about one service may
// look as if it had not.
func (r *reflection) open() *grpcreflect.ClientStream {
	if r.stream == nil {
		ctx, cancel := context.WithCancel(r.ctx)
		r.stream, r.cancel = grpcreflect.NewClient(r.client).NewStream(ctx), cancel
	}
	return r.stream
}

// close ends the stream, for which the upstream has to end its side too.
func (r *reflection) close() {
	if r.stream == nil {
		return
	}
	stop := time.AfterFunc(closeTime, r.cancel)
	_ = r.stream.Close()
	stop.Stop()
	r.cancel()
	r.stream = nil
}

// over tells whether an error is of the upstream as a whole: it is gone, or time is
// up. Others are of one answer; where they have broken the stream, it is given up.
func (r *reflection) over(err error) bool {
	if !grpcreflect.IsReflectionStreamBroken(err) {
		return false
	}
	if _, ours := errors.AsType[*limitError](err); ours {
		return false
	}
	r.cancel()
	r.close()
	if r.late() {
		return false
	}
	e, ok := errors.AsType[*connect.Error](err)
	if !ok || r.ctx.Err() != nil {
		return true
	}
	switch e.Code() {
	case connect.CodeUnavailable:
		return true
	case connect.CodeUnknown, connect.CodeCanceled, connect.CodeDeadlineExceeded:
		return !e.IsRemote()
	}
	return false
}

// late tells whether what is fetched has used its share of the time up.
func (r *reflection) late() bool {
	return r.ctx.Err() == nil && r.share != nil && errors.Is(r.share.Err(), context.DeadlineExceeded)
}

func (r *reflection) schema() (*Schema, error) {
	all, err := r.open().ListServices()
	if err != nil {
		return nil, fmt.Errorf("gateway: reflection: %w", err)
	}
	var names []protoreflect.FullName
	for _, name := range all {
		if !strings.HasPrefix(string(name), "grpc.reflection.") && !strings.HasPrefix(string(name), "grpc.health.") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return nil, errNoServices
	}
	if len(names) > r.meter.limits.Services {
		return nil, fmt.Errorf("gateway: reflection: %w", beyond(r.meter.limits.Services, "services"))
	}
	for _, name := range names {
		if err := r.symbol(name); err != nil {
			if r.over(err) {
				return nil, err
			}
			r.unread[name] = err
		}
	}
	slices.Sort(r.named)
	r.named = slices.Compact(r.named)
	r.named = r.named[:min(len(r.named), r.meter.limits.Files)]
	for _, name := range slices.Clone(r.named) {
		if err := r.symbol(name); err != nil {
			if r.over(err) {
				return nil, err
			}
			r.unknown[name] = err
		}
	}
	return r.link(names)
}

// symbol fetches the file that has a symbol, and what it imports, in half of the time
// that is left, so that some is left for others. Of a schema that is too large nothing
// is kept.
func (r *reflection) symbol(name protoreflect.FullName) error {
	had, before := len(r.files.order), r.meter.counts
	deadline, _ := r.ctx.Deadline()
	share, cancel := context.WithTimeout(r.ctx, time.Until(deadline)/2)
	defer cancel()
	r.share = share
	stream := r.open()
	stop := context.AfterFunc(share, r.cancel)
	files, err := stream.FileContainingSymbol(name)
	if err == nil {
		err = r.take(files, 1)
	}
	stop()
	if err == nil {
		return nil
	}
	if r.late() {
		err = fmt.Errorf("it takes too long: %w", err)
	}
	if _, ok := errors.AsType[*limitError](err); ok {
		r.files.cut(had)
		r.meter.cut(before)
	}
	return fmt.Errorf("gateway: reflection of %s: %w", name, err)
}

// take keeps files and fetches what they import.
func (r *reflection) take(files []*descriptorpb.FileDescriptorProto, depth int) error {
	if depth > r.meter.limits.Depth {
		return &limitError{fmt.Sprintf("imports nest deeper than %d", r.meter.limits.Depth)}
	}
	for _, f := range files {
		if r.files.add(f) {
			r.named = append(r.named, errorNames(f)...)
		}
	}
	for _, f := range files {
		for _, imported := range f.GetDependency() {
			if r.files.protos[imported] != nil || r.files.missing[imported] != nil {
				continue
			}
			if err := r.share.Err(); err != nil {
				return err
			}
			more, err := r.open().FileByFilename(imported)
			if err == nil {
				if err = r.take(more, depth+1); err != nil {
					return err
				}
				continue
			}
			if _, large := errors.AsType[*limitError](err); large || r.over(err) || r.late() {
				return err
			}
			if len(r.files.missing) >= r.meter.limits.Files {
				return &limitError{fmt.Sprintf("more than %d imports are missing", r.meter.limits.Files)}
			}
			r.files.missing[imported] = err // a file that the program has may stand for it
		}
	}
	return nil
}

// link makes the schema of what was fetched.
func (r *reflection) link(names []protoreflect.FullName) (*Schema, error) {
	at := r.files.services()
	first := make([]string, 0, len(names)) // files of services, before what others may have put in their place
	for _, name := range names {
		if file, ok := at[name]; ok && r.unread[name] == nil {
			first = append(first, file)
		}
	}
	linked, _ := r.files.link(r.meter.limits.Depth, append(first, r.files.order...))
	var services []protoreflect.ServiceDescriptor
	var unread []protoreflect.FullName
	var warnings []string
	for _, name := range names {
		d, err := linked.FindDescriptorByName(name)
		if sd, ok := d.(protoreflect.ServiceDescriptor); err == nil && ok {
			services = append(services, sd)
			continue
		}
		if file, ok := at[name]; ok && r.unread[name] == nil {
			r.unread[name] = linked.failed[file]
		}
		if r.unread[name] == nil {
			r.unread[name] = fmt.Errorf("gateway: no file of the upstream has the service %s", name)
		}
		unread = append(unread, name)
		warnings = append(warnings, fmt.Sprintf("the service %s is left out: %s", name, strings.TrimPrefix(r.unread[name].Error(), "gateway: ")))
	}
	if len(services) == 0 {
		return nil, r.unread[names[0]]
	}
	for _, name := range r.named {
		if _, err := linked.FindDescriptorByName(name); err != nil && r.unknown[name] == nil {
			r.unknown[name] = err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.unknown)) {
		warnings = append(warnings, fmt.Sprintf("a method names the error %s, which the upstream does not know", name))
	}
	catalog, mistakes := catalogOf(linked.list())
	schema := newSchema(services, catalog, linked)
	schema.unread, schema.warnings = unread, append(warnings, mistakes...)
	return schema, nil
}

// catalogOf returns the catalogue of files. Where they contradict each other, those
// that come first in the order of their names stand.
func catalogOf(files []protoreflect.FileDescriptor) (catalog *errmap.Catalog, mistakes []string) {
	catalog, err := errmap.NewCatalog(files...)
	if err == nil {
		return catalog, nil
	}
	var good []protoreflect.FileDescriptor
	catalog, _ = errmap.NewCatalog() // which cannot fail without files
	for _, f := range files {
		next, err := errmap.NewCatalog(append(good, f)...)
		if err != nil {
			mistakes = append(mistakes, fmt.Sprintf("the errors of %s are left out: %s", f.Path(), err))
			continue
		}
		good, catalog = append(good, f), next
	}
	return catalog, mistakes
}
