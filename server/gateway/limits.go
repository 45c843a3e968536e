package gateway

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/internal/protofield"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// The limits of reflection unless WithReflectionLimits says otherwise. They are far
// above the largest public interfaces.
const (
	DefaultReflectionServices = 1000
	DefaultReflectionFiles    = 4096
	DefaultReflectionBytes    = 16 << 20
	DefaultReflectionElements = 100_000
	DefaultReflectionDepth    = 100
	DefaultReflectionTime     = 10 * time.Second
)

// ReflectionLimits bound what an upstream may tell of itself. A zero member means
// the default, a negative one no limit. A service whose schema is beyond Files,
// Bytes, Elements or Depth is left out with a warning.
type ReflectionLimits struct {
	// Services is the most services; Reflect fails where there are more.
	Services int
	// Files is the most files, each counted once; as many may be missing, and as many
	// errors may be named by methods.
	Files int
	// Bytes is the most bytes of the files as they are sent, each counted once, and of
	// the full names in them.
	Bytes int
	// Elements is the most messages, fields, methods, values and other parts of all
	// files: in memory each takes hundreds of bytes, of which it may be sent in two.
	Elements int
	// Depth is how deep imports may nest, and messages within a file.
	Depth int
	// Time is how long one call of Reflect may take, and twice as long as one service
	// may; one that takes longer is left out.
	Time time.Duration
}

// WithReflectionLimits bounds what [Upstream.Reflect] takes on.
func WithReflectionLimits(l ReflectionLimits) UpstreamOption {
	return upstreamOption(func(u *Upstream) { u.limits = l })
}

func (l ReflectionLimits) withDefaults() ReflectionLimits {
	set := func(n *int, fallback int) {
		switch {
		case *n == 0:
			*n = fallback
		case *n < 0:
			*n = math.MaxInt
		}
	}
	set(&l.Services, DefaultReflectionServices)
	set(&l.Files, DefaultReflectionFiles)
	set(&l.Bytes, DefaultReflectionBytes)
	set(&l.Elements, DefaultReflectionElements)
	set(&l.Depth, DefaultReflectionDepth)
	switch {
	case l.Time == 0:
		l.Time = DefaultReflectionTime
	case l.Time < 0:
		l.Time = math.MaxInt64
	}
	return l
}

// limitError says that a schema is larger than it may be.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

func beyond(limit int, of string) error {
	return &limitError{fmt.Sprintf("the schema has more than %d %s", limit, of)}
}

// meter counts what comes by reflection before it is decoded.
type meter struct {
	limits ReflectionLimits
	seed   maphash.Seed
	seen   map[uint64]int // the place of each file: some servers send all of them with each answer
	counts
}

type counts struct{ files, bytes, names, elements int }

// cut forgets what was counted since.
func (m *meter) cut(since counts) {
	m.counts = since
	maps.DeleteFunc(m.seen, func(_ uint64, place int) bool { return place > since.files })
}

// intercept returns calls whose answers are counted.
func (m *meter) intercept(next connect.ClientFunc) connect.ClientFunc {
	return func(ctx context.Context, spec connect.Spec) (connect.ClientStream, error) {
		stream, err := next(ctx, spec)
		if err != nil {
			return nil, err
		}
		return &meteredStream{stream, m}, nil
	}
}

type meteredStream struct {
	connect.ClientStream
	meter *meter
}

func (s *meteredStream) Receive(msg any) error {
	if err := s.ClientStream.Receive(msg); err != nil {
		return err
	}
	if answer, ok := msg.(proto.Message); ok {
		return s.meter.count(answer.ProtoReflect())
	}
	return nil
}

// count counts the files of a ServerReflectionResponse.
func (m *meter) count(answer protoreflect.Message) error {
	of := answer.Descriptor().Fields().ByName("file_descriptor_response")
	if of == nil || !answer.Has(of) {
		return nil
	}
	response := answer.Get(of).Message()
	files := response.Get(response.Descriptor().Fields().ByName("file_descriptor_proto")).List()
	for i := range files.Len() {
		file := files.Get(i).Bytes()
		sum := maphash.Bytes(m.seed, file)
		if m.seen[sum] > 0 {
			continue
		}
		m.files++
		if m.seen[sum] = m.files; m.files > m.limits.Files {
			return beyond(m.limits.Files, "files")
		}
		if m.bytes += len(file); m.bytes > m.limits.Bytes {
			return beyond(m.limits.Bytes, "bytes")
		}
		if err := m.countElements(file, fileDescriptor, 0, m.limits.Depth); err != nil {
			return err
		}
	}
	return nil
}

var fileDescriptor = (*descriptorpb.FileDescriptorProto)(nil).ProtoReflect().Descriptor()

// countElements counts the messages in the bytes of one, and their full names, of
// which that of its scope has so many bytes. What is malformed is for the decoder to
// refuse.
func (m *meter) countElements(raw []byte, md protoreflect.MessageDescriptor, scope, depth int) error {
	if depth < 0 {
		return &limitError{fmt.Sprintf("a file of the schema nests deeper than %d", m.limits.Depth)}
	}
	named := protowire.Number(1)
	if md == fileDescriptor {
		named = 2 // the package
	}
	protofield.Each(raw, func(number protowire.Number, value []byte) error {
		if number == named {
			scope += 1 + len(value)
			named = 0
		}
		return nil
	})
	if m.names += scope; m.names > m.limits.Bytes {
		return beyond(m.limits.Bytes, "bytes of names")
	}
	return protofield.Each(raw, func(number protowire.Number, value []byte) error {
		field := md.Fields().ByNumber(number)
		if field == nil || field.Message() == nil {
			return nil
		}
		if m.elements++; m.elements > m.limits.Elements {
			return beyond(m.limits.Elements, "elements")
		}
		return m.countElements(value, field.Message(), scope, depth-1)
	})
}
