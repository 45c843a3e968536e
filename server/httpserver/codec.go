package httpserver

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectproto"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/inflight"
	"github.com/errmap/errmap/internal/protofield"
)

// Codecs returns the codecs of Connect for a mount behind this package, with what
// connectproto makes of the options. Before they read a message they count what will be
// made of it, which may be fifty times its bytes, until the call is over:
//
//	connecthttp.Mount(mux, rpc, connecthttp.WithCodecs(httpserver.Codecs()...))
//
// A message for which WithMaxHeldBytes has no room is refused with RESOURCE_EXHAUSTED and
// a delay, and one of more than WithMaxMessageValues without. Elsewhere they do nothing but
// read and write. They are safe for concurrent use.
func Codecs(opts ...connectproto.Option) []connect.Codec {
	return []connect.Codec{
		weighing{connectproto.NewBinaryCodec(opts...), func(text []byte, m proto.Message) int {
			return parts(text, m.ProtoReflect().Descriptor(), 0)
		}},
		weighing{connectproto.NewJSONCodec(opts...), func(text []byte, _ proto.Message) int { return inflight.Values(text) }},
	}
}

// weighing is a codec that counts what it makes.
type weighing struct {
	connect.StableCodec
	values func([]byte, proto.Message) int
}

// UnmarshalRead implements [connect.Codec].
func (c weighing) UnmarshalRead(ctx context.Context, src io.Reader, msg any) error {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	m, ok := msg.(proto.Message)
	if x == nil || !ok {
		return c.StableCodec.UnmarshalRead(ctx, src, msg)
	}
	var text []byte
	if buffer, ok := src.(*bytes.Buffer); ok {
		text = buffer.Bytes()
	} else {
		all, err := io.ReadAll(src)
		if err != nil {
			return err
		}
		text, src = all, bytes.NewReader(all)
	}
	if err := x.weigh(text, m, c.values); err != nil {
		return err
	}
	return c.StableCodec.UnmarshalRead(ctx, src, msg)
}

// weigh counts the bytes of a message and what is made of it, until the request is over or
// its next message comes.
func (x *exchange) weigh(text []byte, m proto.Message, values func([]byte, proto.Message) int) error {
	if len(text) <= inflight.Free {
		return nil
	}
	n := values(text, m)
	if most := x.b.values; most > 0 && n > most {
		return errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, fmt.Sprintf("the message has more than %d values", most))
	}
	budget := x.b.held.budget
	if budget == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	budget.Give(x.request, x.weighed)
	x.weighed = min(int64(len(text))+budget.Weighed(n), budget.Share())
	if !budget.Take(x.request, x.weighed) {
		x.weighed = 0
		return busy()
	}
	return nil
}

// maxParts is how deep the parts of a message are counted one by one.
const maxParts = 100

// parts counts the messages, strings and bytes that a message in Protobuf's binary form
// has, or at most may have. What is malformed ends it.
func parts(text []byte, of protoreflect.MessageDescriptor, depth int) int {
	if depth > maxParts {
		return len(text) / 2
	}
	n, fields := 1, of.Fields()
	_ = protofield.Each(text, func(number protowire.Number, inner []byte) error {
		switch field := fields.ByNumber(number); {
		case field == nil:
		case field.Message() != nil:
			n += parts(inner, field.Message(), depth+1)
		default:
			n++
		}
		return nil
	})
	return n
}
