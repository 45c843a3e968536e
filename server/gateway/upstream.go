package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/grpcreflect/v2"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Protocol is how an upstream is spoken to.
type Protocol int

const (
	// ProtocolConnect is the Connect protocol, over HTTP/1.1 or HTTP/2.
	ProtocolConnect Protocol = iota
	// ProtocolGRPC is gRPC, over HTTP/2.
	ProtocolGRPC
	// ProtocolGRPCWeb is gRPC-Web, over HTTP/1.1 or HTTP/2.
	ProtocolGRPCWeb
)

// String returns "connect", "grpc" or "grpc-web".
func (p Protocol) String() string {
	switch p {
	case ProtocolConnect:
		return "connect"
	case ProtocolGRPC:
		return "grpc"
	case ProtocolGRPCWeb:
		return "grpc-web"
	}
	return fmt.Sprintf("protocol %d", int(p))
}

// ParseProtocol returns the protocol of that name. Its error lists the names.
func ParseProtocol(name string) (Protocol, error) {
	for _, p := range []Protocol{ProtocolConnect, ProtocolGRPC, ProtocolGRPCWeb} {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("gateway: unknown protocol %q: want connect, grpc or grpc-web", name)
}

// Upstream is a service that runs elsewhere.
type Upstream struct {
	client   *http.Client
	url      string
	protocol Protocol
}

// NewUpstream returns the upstream at a base URL, to which procedure paths are
// appended. A nil client is that of NewHTTPClient.
func NewUpstream(client *http.Client, url string, protocol Protocol) *Upstream {
	if client == nil {
		client = NewHTTPClient()
	}
	return &Upstream{client: client, url: strings.TrimSuffix(url, "/"), protocol: protocol}
}

// Transport returns the transport of calls to the upstream.
func (u *Upstream) Transport() connect.Transport {
	switch u.protocol {
	case ProtocolGRPC:
		return connecthttp.NewTransport(u.client, u.url, connecthttp.WithGRPC())
	case ProtocolGRPCWeb:
		return connecthttp.NewTransport(u.client, u.url, connecthttp.WithGRPCWeb())
	case ProtocolConnect:
	}
	// connect gives up an error of which one part is malformed, and one with very
	// many details costs it minutes.
	client := *u.client
	client.Transport = errmaphttp.NewTransport(client.Transport, errmaphttp.Connect)
	return connecthttp.NewTransport(&client, u.url)
}

// Reflect asks the upstream for its schema, through version 1 or 1alpha of gRPC
// server reflection. It fetches the errors that methods name too; one that the
// upstream does not know is a warning of the schema.
func (u *Upstream) Reflect(ctx context.Context) (*Schema, error) {
	stream := grpcreflect.NewClient(connect.NewClient(u.Transport())).NewStream(ctx)
	defer func() { _ = stream.Close() }()
	r := reflection{stream: stream, files: &fileSet{protos: map[string]*descriptorpb.FileDescriptorProto{}}}
	names, err := stream.ListServices()
	if err != nil {
		return nil, fmt.Errorf("gateway: reflection: %w", err)
	}
	var services []protoreflect.FullName
	for _, name := range names {
		if strings.HasPrefix(string(name), "grpc.reflection.") || strings.HasPrefix(string(name), "grpc.health.") {
			continue
		}
		services = append(services, name)
		if err := r.symbol(name); err != nil {
			return nil, err
		}
	}
	if len(services) == 0 {
		return nil, errNoServices
	}
	var warnings []string
	for _, name := range r.named {
		if err := r.symbol(name); err != nil {
			warnings = append(warnings, fmt.Sprintf("a method names the error %s, which the upstream does not know", name))
		}
	}
	return r.files.schema(services, warnings)
}

// reflection fetches files over one stream.
type reflection struct {
	stream *grpcreflect.ClientStream
	files  *fileSet
	named  []protoreflect.FullName
}

// symbol fetches the file that has a symbol, and what it imports.
func (r *reflection) symbol(name protoreflect.FullName) error {
	files, err := r.stream.FileContainingSymbol(name)
	if err != nil {
		return fmt.Errorf("gateway: reflection of %s: %w", name, err)
	}
	return r.take(files)
}

func (r *reflection) take(files []*descriptorpb.FileDescriptorProto) error {
	for _, f := range files {
		if r.files.protos[f.GetName()] != nil {
			continue
		}
		r.files.add(f)
		r.named = append(r.named, errorNames(f)...)
	}
	for _, f := range files {
		for _, imported := range f.GetDependency() {
			if r.files.protos[imported] != nil {
				continue
			}
			more, err := r.stream.FileByFilename(imported)
			if err != nil {
				if strings.HasPrefix(imported, "google/") {
					continue // taken from the program where it has it
				}
				return fmt.Errorf("gateway: reflection of %s: %w", imported, err)
			}
			if err := r.take(more); err != nil {
				return err
			}
		}
	}
	return nil
}
