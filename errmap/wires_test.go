package errmap_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
)

// packet is an error as it travels: a body with its HTTP status, or headers.
type packet struct {
	status  int
	body    []byte
	headers map[string][]string
}

func (p packet) String() string {
	if p.headers != nil {
		return fmt.Sprintf("%q", p.headers)
	}
	return fmt.Sprintf("%d %s", p.status, p.body)
}

// wire is one form under one profile.
type wire struct {
	name   string
	json   bool
	encode func(e *errmap.Error, opts ...errmap.EncodeOption) packet
	decode func(p packet, opts ...errmap.DecodeOption) (*errmap.Error, error)
}

// allWires are all forms and profiles.
var allWires = []wire{
	{
		name: "connect", json: true,
		encode: func(e *errmap.Error, opts ...errmap.EncodeOption) packet {
			return packet{status: errmap.HTTPStatus(e.Code()), body: errmap.EncodeConnect(e, opts...)}
		},
		decode: bodyDecoder(errmap.DecodeConnect),
	},
	{
		name: "grpc",
		encode: func(e *errmap.Error, opts ...errmap.EncodeOption) packet {
			return packet{headers: errmap.EncodeGRPC(e, append(opts, errmap.WithBudget(-1))...).Map()}
		},
		decode: func(p packet, opts ...errmap.DecodeOption) (*errmap.Error, error) {
			return errmap.DecodeGRPC(p.headers, opts...)
		},
	},
	{
		name: "status",
		encode: func(e *errmap.Error, opts ...errmap.EncodeOption) packet {
			b, err := proto.MarshalOptions{Deterministic: true}.Marshal(e.Status(opts...))
			if err != nil {
				panic(err)
			}
			return packet{body: b}
		},
		decode: func(p packet, opts ...errmap.DecodeOption) (*errmap.Error, error) {
			s := new(statuspb.Status)
			if err := proto.Unmarshal(p.body, s); err != nil {
				return nil, err
			}
			return errmap.FromStatus(s, opts...)
		},
	},
	{
		name: "statusjson", json: true,
		encode: func(e *errmap.Error, opts ...errmap.EncodeOption) packet {
			return packet{body: errmap.EncodeStatusJSON(e, opts...)}
		},
		decode: bodyDecoder(errmap.DecodeStatusJSON),
	},
	{
		name: "http", json: true,
		encode: func(e *errmap.Error, opts ...errmap.EncodeOption) packet {
			status, body := errmap.EncodeHTTP(e, opts...)
			return packet{status: status, body: body}
		},
		decode: bodyDecoder(errmap.DecodeHTTP),
	},
	{
		name: "problem", json: true,
		encode: func(e *errmap.Error, opts ...errmap.EncodeOption) packet {
			status, body := errmap.EncodeProblem(e, opts...)
			return packet{status: status, body: body}
		},
		decode: bodyDecoder(errmap.DecodeProblem),
	},
	rpcWire(errmap.ProfileGeneric),
	rpcWire(errmap.ProfileA2A),
	rpcWire(errmap.ProfileMCP),
	rpcWire(errmap.ProfileMCP20251125),
}

func wireNamed(t testing.TB, name string) wire {
	t.Helper()
	for _, w := range allWires {
		if w.name == name {
			return w
		}
	}
	t.Fatalf("no wire %q", name)
	return wire{}
}

func rpcWire(p errmap.Profile) wire {
	return wire{
		name: "jsonrpc/" + p.String(), json: true,
		encode: func(e *errmap.Error, opts ...errmap.EncodeOption) packet {
			return packet{body: errmap.EncodeJSONRPC(e, p, opts...)}
		},
		decode: func(in packet, opts ...errmap.DecodeOption) (*errmap.Error, error) {
			return errmap.DecodeJSONRPC(in.body, p, opts...)
		},
	}
}

func bodyDecoder(f func([]byte, ...errmap.DecodeOption) (*errmap.Error, error)) func(packet, ...errmap.DecodeOption) (*errmap.Error, error) {
	return func(p packet, opts ...errmap.DecodeOption) (*errmap.Error, error) {
		if p.status != 0 {
			opts = append(opts, errmap.WithHTTPStatus(p.status))
		}
		return f(p.body, opts...)
	}
}

// describe writes an error down whole, for the messages of failing tests.
func describe(e *errmap.Error) string {
	if e == nil {
		return "nil"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "number %d, message %q", e.Number(), e.Message())
	for _, d := range e.Details() {
		if text, ok := d.JSON(); ok {
			fmt.Fprintf(&b, "\n\t\tjson %s", text)
		} else {
			value, _ := d.Value()
			fmt.Fprintf(&b, "\n\t\tbytes %s %x", d.TypeURL(), value)
		}
	}
	for _, r := range e.Received() {
		fmt.Fprintf(&b, "\n\t\treceived %s number %q code %q http %d members %s unknown %x",
			r.Wire, r.Number, r.CodeText, r.HTTPStatus, r.Members, r.UnknownFields)
	}
	for _, n := range e.Notes() {
		fmt.Fprintf(&b, "\n\t\tnote %s", n)
	}
	return b.String()
}

func validJSON(b []byte) bool { return len(b) > 0 && json.Valid(b) }
