package gateway_test

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/server/gateway"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// reflecting is a server of reflection that says what a test has it say. Of the
// library, and of files that it is not asked for by name, it tells the truth.
type reflecting struct {
	reflectionv1.UnimplementedServerReflectionServer
	services []string
	symbol   func(name string) ([]byte, error)
	file     func(name string) ([]byte, error)
	all      [][]byte // files that every answer has, in place of the others
	holds    bool     // whether it keeps the stream open when it was asked everything
	asked    atomic.Int64
}

func (s *reflecting) ServerReflectionInfo(stream reflectionv1.ServerReflection_ServerReflectionInfoServer) error {
	for {
		request, err := stream.Recv()
		if err != nil {
			if s.holds {
				<-stream.Context().Done()
			}
			return err
		}
		s.asked.Add(1)
		answer := &reflectionv1.ServerReflectionResponse{}
		var file []byte
		var files [][]byte
		switch r := request.MessageRequest.(type) {
		case *reflectionv1.ServerReflectionRequest_ListServices:
			list := &reflectionv1.ListServiceResponse{}
			for _, name := range s.services {
				list.Service = append(list.Service, &reflectionv1.ServiceResponse{Name: name})
			}
			answer.MessageResponse = &reflectionv1.ServerReflectionResponse_ListServicesResponse{ListServicesResponse: list}
		case *reflectionv1.ServerReflectionRequest_FileContainingSymbol:
			if s.all != nil {
				files = s.all
			} else if strings.HasPrefix(r.FileContainingSymbol, "library.") {
				file = marshalFile(protodesc.ToFileDescriptorProto(libraryv1.File_library_v1_library_proto))
			} else {
				file, err = s.symbol(r.FileContainingSymbol)
			}
		case *reflectionv1.ServerReflectionRequest_FileByFilename:
			if known, findErr := protodescFile(r.FileByFilename); findErr == nil {
				file = known
			} else if s.file != nil {
				file, err = s.file(r.FileByFilename)
			} else {
				err = refusal(codes.NotFound)
			}
		}
		if refused, ok := errors.AsType[refusal](err); ok {
			answer.MessageResponse = &reflectionv1.ServerReflectionResponse_ErrorResponse{ErrorResponse: &reflectionv1.ErrorResponse{ErrorCode: int32(refused), ErrorMessage: "no"}}
		} else if err != nil {
			return err
		} else if answer.MessageResponse == nil {
			if files == nil {
				files = [][]byte{file}
			}
			answer.MessageResponse = &reflectionv1.ServerReflectionResponse_FileDescriptorResponse{FileDescriptorResponse: &reflectionv1.FileDescriptorResponse{FileDescriptorProto: files}}
		}
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

// refusal is an error that is an answer of reflection, not the end of the stream.
type refusal codes.Code

func (r refusal) Error() string { return codes.Code(r).String() }

func protodescFile(name string) ([]byte, error) {
	for _, f := range descriptorFiles(libraryv1.File_library_v1_library_proto) {
		if f.GetName() == name {
			return marshalFile(f), nil
		}
	}
	return nil, fmt.Errorf("no %s", name)
}

func marshalFile(f *descriptorpb.FileDescriptorProto) []byte {
	raw, err := proto.Marshal(f)
	if err != nil {
		panic(err)
	}
	return raw
}

// serve returns the upstream that the server is, over a socket.
func (s *reflecting) serve(t *testing.T, opts ...gateway.UpstreamOption) *gateway.Upstream {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	reflectionv1.RegisterServerReflectionServer(server, s)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	return gateway.NewUpstream(nil, "http://"+l.Addr().String(), gateway.ProtocolGRPC, opts...)
}

// badFile is a file with the service bad.v1.Bad.
func badFile(change func(*descriptorpb.FileDescriptorProto)) []byte {
	f := &descriptorpb.FileDescriptorProto{
		Name:        proto.String("bad/v1/bad.proto"),
		Package:     proto.String("bad.v1"),
		Syntax:      proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("M")}},
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name:   proto.String("Bad"),
			Method: []*descriptorpb.MethodDescriptorProto{{Name: proto.String("Do"), InputType: proto.String(".bad.v1.M"), OutputType: proto.String(".bad.v1.M")}},
		}},
	}
	change(f)
	return marshalFile(f)
}

// importing returns files that import that many others each, down to that depth.
func importing(width, depth, padding int) func(string) ([]byte, error) {
	var count atomic.Int64
	return func(name string) ([]byte, error) {
		return badFile(func(f *descriptorpb.FileDescriptorProto) {
			at := 0
			if _, err := fmt.Sscanf(name, "endless/%d/", &at); err == nil {
				f.Name, f.Package, f.Service = proto.String(name), proto.String(fmt.Sprintf("endless%d", count.Add(1))), nil
			}
			for i := 0; at < depth && i < width; i++ {
				f.Dependency = append(f.Dependency, fmt.Sprintf("endless/%d/%d.proto", at+1, count.Add(1)))
			}
			f.MessageType[0].Name = proto.String("M")
			f.MessageType = append(f.MessageType, &descriptorpb.DescriptorProto{Name: proto.String("P" + strings.Repeat("p", padding))})
		}), nil
	}
}

// peakOf returns by how much the heap grew at most while f ran, within this
// process, which is that of the server too.
func peakOf(f func()) (peak uint64) {
	heap := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before := heap()
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				if now := heap(); now > before+peak {
					peak = now - before
				}
			}
		}
	})
	f()
	close(done)
	watching.Wait()
	return peak
}
