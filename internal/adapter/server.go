package adapter

import (
	"context"
	"slices"

	"github.com/errmap/errmap/errmap"
)

// Server is the server's side of an adapter: what leaves it, how it is written, and
// who is told.
type Server struct {
	Guard    *errmap.Guard
	Encode   []errmap.EncodeOption
	Observer errmap.Observer
}

// AddEncoding adds options of encoding.
func (s *Server) AddEncoding(opts []errmap.EncodeOption) {
	s.Encode = append(slices.Clip(s.Encode), opts...)
}

// Outgoing returns what the caller of a procedure may see of an error.
func (s *Server) Outgoing(ctx context.Context, procedure string, wire errmap.Wire, err error) *errmap.Error {
	ctx = errmap.WithProcedure(ctx, procedure)
	e := s.Guard.Outgoing(ctx, err)
	s.Observer.Observe(ctx, errmap.Event{Procedure: procedure, Wire: wire, Err: err, Sent: e})
	return e
}

// Panicked returns what the caller of a procedure may see of a panic in it. Call it
// from the deferred function that recovers.
func (s *Server) Panicked(ctx context.Context, procedure string, wire errmap.Wire, value any) *errmap.Error {
	ctx = errmap.WithProcedure(ctx, procedure)
	e := s.Guard.Panicked(ctx, value)
	s.Observer.Observe(ctx, errmap.Event{Procedure: procedure, Wire: wire, Sent: e})
	return e
}
