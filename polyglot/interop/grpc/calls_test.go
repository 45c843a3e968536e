// Package grpc_test shows thirty errors, from small to enormous, to the gRPC
// clients of others with their defaults, unary and in the middle of a stream, from
// each server that an error of errmap leaves by over gRPC. What it looks for is that
// the code and the first ErrorInfo always arrive: a client that is sent more headers
// than it takes loses the whole call.
package grpc_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/errmap/errmap/internal/results"
)

const (
	build   = "../../../.build"
	timeout = 20 * time.Second // of one call
)

var found = results.New("../../../docs/interop.md", "gRPC")

func TestMain(m *testing.M) { os.Exit(found.Run(m)) }

// seen is what a peer shows of one call: the lines that the programs of other
// languages print.
type seen struct {
	Server  string
	Error   int
	Method  string
	Answers int

	Code           int
	Message        string
	Details        int
	Reason, Domain string
}

// wrong returns what a peer did not get; "" where the code and the first ErrorInfo
// arrived, and of the message the whole or its beginning.
func (s seen) wrong() string {
	want := failures[s.Error].err
	switch {
	case s.Code != int(want.Code()):
		return "code"
	case s.Method == "FailInTheMiddle" && s.Answers != 1:
		return "answer"
	case s.Reason != reason || s.Domain != domain:
		return "ErrorInfo"
	case !strings.HasPrefix(want.Message(), s.Message):
		return "message"
	}
	return ""
}

// judge tells what a peer saw, which is every error of every server.
func judge(t *testing.T, servers []server, peer, version string, all []seen) {
	t.Helper()
	for _, s := range servers {
		calls, lost := 0, make(map[string][]string)
		for _, one := range all {
			if one.Server != s.name {
				continue
			}
			calls++
			if part := one.wrong(); part != "" && !slices.Contains(lost[part], failures[one.Error].name) {
				lost[part] = append(lost[part], failures[one.Error].name)
				t.Logf("%s from %s, %s of %q: %s is lost: code %d, %.60q, %s of %s", peer, s.name, one.Method, failures[one.Error].name, part, one.Code, one.Message, one.Reason, one.Domain)
			}
		}
		if calls != len(failures)*len(methods) {
			t.Errorf("%s made %d calls of %s, want %d", peer, calls, s.name, len(failures)*len(methods))
			continue
		}
		result := "code and first ErrorInfo of all"
		if len(lost) > 0 {
			t.Errorf("%s loses parts of errors from %s", peer, s.name)
			var parts []string
			for _, part := range []string{"code", "answer", "ErrorInfo", "message"} {
				if n := len(lost[part]); n > 0 {
					parts = append(parts, fmt.Sprintf("%s of %d", part, n))
				}
			}
			result = "lost: " + strings.Join(parts, ", ")
		}
		found.Add(results.Row{Peer: peer, Version: version, Wires: "gRPC from " + s.name, Errors: len(failures), Result: result})
	}
}

// TestFinding_P04_GRPCGo calls with grpc-go, whose own limit is 16 MiB, and with the
// limit that most others have.
func TestFinding_P04_GRPCGo(t *testing.T) {
	t.Parallel()
	servers := newServers(t)
	for peer, options := range map[string][]grpc.DialOption{
		"grpc-go":                            nil,
		"grpc-go, `MaxHeaderListSize` 8,192": {grpc.WithMaxHeaderListSize(8192)},
	} {
		t.Run(peer, func(t *testing.T) {
			t.Parallel()
			var all []seen
			for _, s := range servers {
				conn, err := grpc.NewClient(s.address, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
				if err != nil {
					t.Fatal(err)
				}
				for i := range failures {
					for _, method := range methods {
						all = append(all, viaGRPC(t, conn, seen{Server: s.name, Error: i, Method: method}))
					}
				}
				_ = conn.Close()
			}
			judge(t, servers, peer, results.Go(t, "google.golang.org/grpc"), all)
		})
	}
}

func viaGRPC(t *testing.T, conn *grpc.ClientConn, s seen) seen {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	path, request := "/"+service+"/"+s.Method, wrapperspb.String(fmt.Sprint(s.Error))
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: s.Method != "Fail"}, path)
	if err == nil {
		err = errors.Join(stream.SendMsg(request), stream.CloseSend())
	}
	for err == nil {
		if err = stream.RecvMsg(new(wrapperspb.StringValue)); err == nil {
			s.Answers++
		}
	}
	if errors.Is(err, io.EOF) {
		return s
	}
	got := status.Convert(err)
	s.Code, s.Message, s.Details = int(got.Code()), got.Message(), len(got.Proto().GetDetails())
	for _, d := range got.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			s.Reason, s.Domain = info.GetReason(), info.GetDomain()
			break
		}
	}
	return s
}

// TestFinding_P04_Python calls with grpcio.
func TestFinding_P04_Python(t *testing.T) {
	t.Parallel()
	python, err := filepath.Abs(build + "/interop-python/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	servers := newServers(t)
	judge(t, servers, "grpcio, `grpc.absolute_max_metadata_size` 8,192", results.PyPI(t, "../python/requirements.txt", "grpcio"), run(t, servers, "../python", python, "-B", "failures.py"))
}

// TestFinding_P04_JavaScript calls with @grpc/grpc-js.
func TestFinding_P04_JavaScript(t *testing.T) {
	t.Parallel()
	servers := newServers(t)
	judge(t, servers, "@grpc/grpc-js", results.NPM(t, "../javascript/package-lock.json", "@grpc/grpc-js"), run(t, servers, "../javascript", "node", "failures.js"))
}

// run has a program of another language make every call, and reads its lines.
func run(t *testing.T, servers []server, folder, name string, args ...string) []seen {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var targets []string
	for _, s := range servers {
		targets = append(targets, s.name+"="+s.address)
	}
	command := exec.CommandContext(ctx, name, args...) //nolint:gosec // programs of this folder
	command.Dir = folder
	command.Env = append(os.Environ(), "PEER_SERVERS="+strings.Join(targets, ","), fmt.Sprint("PEER_ERRORS=", len(failures)))
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var all []seen
	for lines := bufio.NewScanner(bytes.NewReader(output)); lines.Scan(); {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var s seen
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		all = append(all, s)
	}
	return all
}
