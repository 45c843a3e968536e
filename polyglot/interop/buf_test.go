//go:build interop

package interop_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
)

// TestInterop_BufCurl has buf learn the schema from the reflection of the
// server, and reads what it prints.
func TestInterop_BufCurl(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"connect", "grpc", "grpcweb"} {
		t.Run(protocol, func(t *testing.T) {
			for _, r := range agent.rows {
				t.Run(r.Name, func(t *testing.T) { bufCurl(t, r, protocol) })
			}
		})
	}
}

func bufCurl(t *testing.T, r row, protocol string) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	args := []string{"curl", "--protocol", protocol, "--http2-prior-knowledge", "-d", string(r.Request)}
	for name, value := range r.headers() {
		args = append(args, "-H", name+": "+value)
	}
	command := exec.CommandContext(ctx, build+"/buf", append(args, agent.url+"/"+service+"/"+r.Method)...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 8*int(r.code()) || strings.TrimSpace(stdout.String()) != "" {
		t.Fatalf("%v, want exit code %d\n%s\n%s", err, 8*int(r.code()), stdout.String(), stderr.String())
	}
	var got struct {
		Code, Message string
		Details       []struct{ Type, Value string }
	}
	if err := json.Unmarshal(stderr.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if got.Code != strings.ToLower(r.Code) || got.Message != r.Message || len(got.Details) != 1 || got.Details[0].Type != "google.rpc.ErrorInfo" {
		t.Fatalf("got %s", stderr.String())
	}
	value, err := base64.RawStdEncoding.DecodeString(got.Details[0].Value)
	if err != nil {
		t.Fatal(err)
	}
	info := new(errdetails.ErrorInfo)
	if err := proto.Unmarshal(value, info); err != nil {
		t.Fatal(err)
	}
	if info.GetReason() != r.Reason || info.GetDomain() != domain {
		t.Errorf("got %v", info)
	}
	if diff := cmp.Diff(r.Metadata, info.GetMetadata()); diff != "" {
		t.Errorf("metadata: %s", diff)
	}
}
