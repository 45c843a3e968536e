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

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/results"
)

// TestInterop_BufCurl has buf learn the schema from the reflection of the
// server, and reads what it prints.
func TestInterop_BufCurl(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() {
		tell(t, "buf curl", results.Pinned(t, "../../tools/go.mod", `github.com/bufbuild/buf v(\S+)`), "Connect, gRPC, gRPC-Web", whole)
	})
	for _, protocol := range []string{"connect", "grpc", "grpcweb"} {
		t.Run(protocol, func(t *testing.T) {
			for _, r := range rows {
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
	command := exec.CommandContext(ctx, build+"/buf", append(args, r.target().url+"/"+service+"/"+r.Method)...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 8*int(r.code()) || strings.Count(stdout.String(), `"task"`) != r.After {
		t.Fatalf("%v, want exit code %d\n%s\n%s", err, 8*int(r.code()), stdout.String(), stderr.String())
	}
	var got struct {
		Code, Message string
		Details       []struct{ Type, Value string }
	}
	if err := json.Unmarshal(stderr.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var details []*anypb.Any
	for _, d := range got.Details {
		value, err := base64.RawStdEncoding.DecodeString(d.Value)
		if err != nil {
			t.Fatal(err)
		}
		details = append(details, &anypb.Any{TypeUrl: "type.googleapis.com/" + d.Type, Value: value})
	}
	r.check(t, code.Code(code.Code_value[strings.ToUpper(got.Code)]), got.Message, details)
}
