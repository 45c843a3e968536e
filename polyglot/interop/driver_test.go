package interop_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/results"
)

const (
	build   = "../../.build"
	service = "lf.a2a.v1.A2AService"
	domain  = "a2a-protocol.org"
	timeout = 3 * time.Minute
)

// agent and middle are the servers that all tests share.
var (
	agent  target
	middle target
)

// target is a server, and how to reach it.
type target struct {
	url, host string
	conn      *grpc.ClientConn
}

// rows is what errors.json has, and environment that of clients in other
// languages.
var (
	rows        []row
	environment []string
)

// row is one error, and the request that provokes it.
type row struct {
	Name     string
	After    int // the answers that come before it, from the server that fails in the middle
	Method   string
	Request  json.RawMessage
	Headers  map[string]string
	Code     string // of google.rpc
	Number   int    // of JSON-RPC
	Status   int    // of HTTP+JSON
	Message  string
	Reason   string            // of the ErrorInfo that the nine errors have alone
	Metadata map[string]string // of that ErrorInfo
	Details  []string          // the types of the details of any other error
}

// found is what the tests found out, for the table of docs/interop.md.
var found = results.New("../../docs/interop.md", "A2A")

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	command := exec.Command(build+"/errmap", "serve", "--addr", "127.0.0.1:0")
	stdout, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	var log bytes.Buffer
	command.Stderr = &log
	if err := command.Start(); err != nil {
		return 0, fmt.Errorf("%w: run make test-interop", err)
	}
	output := bufio.NewReader(stdout)
	defer func() {
		if stopErr := stop(command, output); err == nil {
			err = stopErr
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "the log of the server:\n%s", log.String())
		}
	}()
	first, err := output.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if agent, err = newTarget(regexp.MustCompile(`http://[^ /]+`).FindString(first)); err != nil {
		return 0, err
	}
	defer agent.conn.Close()
	url, stopMiddle, err := serveMiddle()
	if err != nil {
		return 0, err
	}
	defer stopMiddle()
	if middle, err = newTarget(url); err != nil {
		return 0, err
	}
	defer middle.conn.Close()
	task, err := completeTask()
	if err != nil {
		return 0, err
	}
	if rows, err = readRows(task); err != nil {
		return 0, err
	}
	descriptors, err := writeDescriptors()
	if err != nil {
		return 0, err
	}
	environment = append(os.Environ(), "INTEROP_URL="+agent.url, "INTEROP_MIDDLE_URL="+middle.url,
		"INTEROP_TASK="+task, "INTEROP_DESCRIPTORS="+descriptors)
	return found.Run(m), nil
}

func newTarget(url string) (target, error) {
	t := target{url: url, host: strings.TrimPrefix(url, "http://")}
	var err error
	t.conn, err = grpc.NewClient(t.host, grpc.WithTransportCredentials(insecure.NewCredentials()))
	return t, err
}

// stop ends the server as a user would, and expects it to end well.
func stop(command *exec.Cmd, output *bufio.Reader) error {
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	var rest bytes.Buffer
	_, readErr := output.WriteTo(&rest)
	if err := command.Wait(); err != nil || readErr != nil || !strings.HasSuffix(rest.String(), "stopped\n") {
		return fmt.Errorf("the server did not stop well: %v, %v, %s", err, readErr, rest.String())
	}
	return nil
}

// completeTask has the agent complete a task, which nobody can cancel then.
func completeTask() (id string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "a2a-version", "1.0")
	answer, err := a2apb.NewA2AServiceClient(agent.conn).SendMessage(ctx, &a2apb.SendMessageRequest{Message: &a2apb.Message{
		MessageId: "m-0", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "hello"}}},
	}})
	return answer.GetTask().GetId(), err
}

func readRows(task string) (rows []row, err error) {
	text, err := os.ReadFile("errors.json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("$TASK"), []byte(task)), &rows); err != nil {
		return nil, err
	}
	reasons := make(map[string]bool)
	for i, r := range rows {
		if r.Reason != "" {
			reasons[r.Reason] = true
			rows[i].Details = []string{"google.rpc.ErrorInfo"}
		}
	}
	if len(reasons) != 9 {
		return nil, fmt.Errorf("errors.json has %d errors with a reason, want the nine", len(reasons))
	}
	return rows, nil
}

// writeDescriptors writes the schema of the service and of the details for
// clients that have no generated code.
func writeDescriptors() (path string, err error) {
	set := new(descriptorpb.FileDescriptorSet)
	seen := make(map[string]bool)
	var add func(protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if seen[file.Path()] {
			return
		}
		seen[file.Path()] = true
		for i := range file.Imports().Len() {
			add(file.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
	}
	add(a2apb.File_a2av1_proto)
	add(errdetails.File_google_rpc_error_details_proto)
	b, err := proto.Marshal(set)
	if err != nil {
		return "", err
	}
	path, err = filepath.Abs(build + "/interop.binpb")
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, b, 0o644)
}

func (r row) target() target {
	if r.After > 0 {
		return middle
	}
	return agent
}

func (r row) code() code.Code { return code.Code(code.Code_value[r.Code]) }

func (r row) method() protoreflect.MethodDescriptor {
	return a2apb.File_a2av1_proto.Services().ByName("A2AService").Methods().ByName(protoreflect.Name(r.Method))
}

// headers are those of the request, of A2A 1.0 unless the row says otherwise.
func (r row) headers() map[string]string {
	headers := map[string]string{"A2A-Version": "1.0"}
	for name, value := range r.Headers {
		headers[name] = value
	}
	return headers
}

// check compares what a client shows, which reads the details as bytes.
func (r row) check(t *testing.T, c code.Code, message string, details []*anypb.Any) {
	t.Helper()
	if c != r.code() || message != r.Message {
		t.Errorf("got %v, %q, want %v, %q", c, message, r.code(), r.Message)
	}
	types := []string{}
	for _, d := range details {
		types = append(types, string(d.MessageName()))
	}
	if diff := cmp.Diff(r.Details, types); diff != "" {
		t.Fatalf("details: %s", diff)
	}
	if r.Reason == "" {
		return
	}
	info := new(errdetails.ErrorInfo)
	if err := details[0].UnmarshalTo(info); err != nil {
		t.Fatal(err)
	}
	if info.GetReason() != r.Reason || info.GetDomain() != domain {
		t.Errorf("got %v, want %s of %s", info, r.Reason, domain)
	}
	if diff := cmp.Diff(r.Metadata, info.GetMetadata()); diff != "" {
		t.Errorf("metadata: %s", diff)
	}
}

// message returns the request as a message.
func (r row) message(t *testing.T) proto.Message {
	t.Helper()
	m := newMessage(t, r.method().Input())
	if err := protojson.Unmarshal(r.Request, m); err != nil {
		t.Fatal(err)
	}
	return m
}

func newMessage(t *testing.T, d protoreflect.MessageDescriptor) proto.Message {
	t.Helper()
	mt, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName())
	if err != nil {
		t.Fatal(err)
	}
	return mt.New().Interface()
}
