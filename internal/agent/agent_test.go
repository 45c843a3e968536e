package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"

	"github.com/errmap/errmap/errmap"
)

func requestID(t *testing.T, e *errmap.Error) string {
	t.Helper()
	info, ok := errmap.Detail[*errdetails.RequestInfo](e)
	if !ok || info.GetRequestId() == "" {
		t.Fatalf("no request id in %v", e)
	}
	return info.GetRequestId()
}

// TestAgent_JSONRPCBytes holds the very bytes of the answers that the README
// shows.
func TestAgent_JSONRPCBytes(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	const getTask = `{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask","params":{"id":"nope"}}`
	const head = `{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":`
	const info = `"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":`
	for name, test := range map[string]struct {
		header map[string]string
		body   string
		want   string
	}{
		"a task that is not there": {versioned, getTask,
			head + `-32001,"message":"Task not found",` + info + `"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"nope"}}]}}`},
		"without a version": {nil, getTask,
			head + `-32009,"message":"Version not supported",` + info + `"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org","metadata":{"supported":"1.0","version":"0.3"}}]}}`},
		"an empty version": {map[string]string{"A2A-Version": ""}, getTask,
			head + `-32009,"message":"Version not supported",` + info + `"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org","metadata":{"supported":"1.0","version":"0.3"}}]}}`},
		"a method that is not there": {versioned, `{"jsonrpc":"2.0","id":9007199254740993,"method":"tasks/get"}`,
			head + `-32601,"message":"Method not found: tasks/get"}}`},
		"no id": {versioned, `{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask","params":{}}`,
			head + `-32602,"message":"Invalid parameters","data":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"id","description":"is required","reason":"REQUIRED"}]}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, got := h.do(t, http.MethodPost, "/", test.body, test.header)
			if got != test.want || response.StatusCode != http.StatusOK {
				t.Errorf("HTTP %d\ngot  %s\nwant %s", response.StatusCode, got, test.want)
			}
		})
	}
}

func TestAgent_Version(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for version, served := range map[string]bool{
		"": false, " ": false, "0.3": false, "1.0": true, " 1.0 ": true, "1.0.1": true, "1.0.": false, "1.0.x": false,
		"1": false, "1.1": false, "10.0": false, "v1.0": false,
	} {
		header := map[string]string{"A2A-Version": version}
		for _, w := range wires {
			e := w.call(t, h, request{"GetTask", &a2apb.GetTaskRequest{Id: "nope"}, header, http.MethodGet, "/tasks/nope"})
			if want := map[bool]string{true: "TASK_NOT_FOUND", false: "VERSION_NOT_SUPPORTED"}[served]; e.Reason() != want {
				t.Errorf("%q over %s: got %v, want %s", version, w.name, e, want)
			}
		}
	}
	if _, got := h.do(t, http.MethodGet, "/tasks/nope?A2A-Version=1.0", "", nil); !strings.Contains(got, "TASK_NOT_FOUND") {
		t.Errorf("the version as a parameter: %s", got)
	}
	if _, got := h.do(t, http.MethodGet, "/tasks/nope?A2A-Version=1.0", "", map[string]string{"A2A-Version": "0.3"}); !strings.Contains(got, "VERSION_NOT_SUPPORTED") {
		t.Errorf("the header against the parameter: %s", got)
	}
}

func TestAgent_InvalidParams(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for name, test := range map[string]struct {
		request request
		want    []string
	}{
		"nothing": {request{"SendMessage", &a2apb.SendMessageRequest{}, versioned, http.MethodPost, "/message:send"}, []string{"message"}},
		"an empty message": {request{"SendMessage", &a2apb.SendMessageRequest{Message: &a2apb.Message{}}, versioned, http.MethodPost, "/message:send"},
			[]string{"message.messageId", "message.role", "message.parts"}},
	} {
		for _, w := range wires {
			t.Run(name+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				e := w.call(t, h, test.request)
				bad, ok := errmap.Detail[*errdetails.BadRequest](e)
				var got []string
				for _, v := range bad.GetFieldViolations() {
					got = append(got, v.GetField())
				}
				if diff := cmp.Diff(test.want, got); diff != "" || !ok || e.Code() != code.Code_INVALID_ARGUMENT || e.Reason() != "" {
					t.Errorf("got %v: %s", e, diff)
				}
			})
		}
	}
}

func TestAgent_Card(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	response, got := h.do(t, http.MethodGet, "/.well-known/agent-card.json", "", nil)
	var card struct {
		Name, Version       string
		SupportedInterfaces []struct{ URL, ProtocolBinding, ProtocolVersion string }
		Capabilities        struct{ Streaming, ExtendedAgentCard, PushNotifications bool }
	}
	if err := json.Unmarshal([]byte(got), &card); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("HTTP %d: %v: %s", response.StatusCode, err, got)
	}
	if card.Name != "errmap" || card.Version != "v1.2.3" || !card.Capabilities.Streaming || card.Capabilities.PushNotifications {
		t.Errorf("got %+v", card)
	}
	want := []struct{ URL, ProtocolBinding, ProtocolVersion string }{
		{baseURL + "/", "JSONRPC", "1.0"}, {"agent.example.com", "GRPC", "1.0"}, {baseURL, "HTTP+JSON", "1.0"},
	}
	if diff := cmp.Diff(want, card.SupportedInterfaces); diff != "" {
		t.Error(diff)
	}
}

func TestAgent_Health(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	check := func(service string) healthpb.HealthCheckResponse_ServingStatus {
		t.Helper()
		response, err := healthpb.NewHealthClient(h.grpc).Check(t.Context(), &healthpb.HealthCheckRequest{Service: service})
		if err != nil {
			t.Fatal(err)
		}
		return response.GetStatus()
	}
	overHTTP := func() int {
		t.Helper()
		recorder := httptest.NewRecorder()
		h.agent.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/healthz", nil))
		return recorder.Code
	}
	if got := overHTTP(); got != http.StatusOK {
		t.Errorf("/healthz is %d", got)
	}
	for _, service := range []string{"", "lf.a2a.v1.A2AService"} {
		if got := check(service); got != healthpb.HealthCheckResponse_SERVING {
			t.Errorf("%q is %v", service, got)
		}
	}
	h.agent.Shutdown()
	h.agent.Shutdown()
	if got := overHTTP(); got != http.StatusServiceUnavailable {
		t.Errorf("/healthz is %d after Shutdown", got)
	}
	for _, service := range []string{"", "lf.a2a.v1.A2AService"} {
		if got := check(service); got != healthpb.HealthCheckResponse_NOT_SERVING {
			t.Errorf("%q is %v after Shutdown", service, got)
		}
	}
}

func TestAgent_Reflection(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	stream, err := reflectionpb.NewServerReflectionClient(h.grpc).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(r *reflectionpb.ServerReflectionRequest) *reflectionpb.ServerReflectionResponse {
		t.Helper()
		if err := stream.Send(r); err != nil {
			t.Fatal(err)
		}
		response, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	var names []string
	for _, s := range ask(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}}).
		GetListServicesResponse().GetService() {
		names = append(names, s.GetName())
	}
	want := []string{"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection", "lf.a2a.v1.A2AService"}
	if diff := cmp.Diff(want, names, cmp.Transformer("sorted", sorted)); diff != "" {
		t.Error(diff)
	}
	for _, symbol := range want {
		files := ask(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: symbol}})
		if len(files.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
			t.Errorf("%s is not described: %v", symbol, files.GetErrorResponse())
		}
	}
}

func sorted(names []string) map[string]bool {
	set := make(map[string]bool)
	for _, name := range names {
		set[name] = true
	}
	return set
}

// TestAgent_Extensions holds that the strict tenant serves who declares its
// extension, and that the answer names it.
func TestAgent_Extensions(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	header := map[string]string{"A2A-Version": "1.0", "A2A-Extensions": "urn:other," + strictExtension}
	m := message("hello")
	m.Tenant = "strict"
	body := request{params: m}.json(t)
	for path, body := range map[string]string{
		"/":                     `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + body + `}`,
		"/strict/message:send":  body,
		service + "SendMessage": body,
	} {
		response, answer := h.do(t, http.MethodPost, path, body, header)
		if got := response.Header.Get("A2A-Extensions"); got != strictExtension || !strings.Contains(answer, "TASK_STATE_COMPLETED") {
			t.Errorf("%s: extensions %q, answer %s", path, got, answer)
		}
	}
}

// TestAgent_CancelRunningTask holds that a task that runs can be watched and
// canceled, on every wire, and that its stream ends without an error.
func TestAgent_CancelRunningTask(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "A2A-Version", "1.0")
	client := a2apb.NewA2AServiceClient(h.grpc)
	stream, err := client.SendStreamingMessage(ctx, message("wait 1m"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	id := first.GetTask().GetId()
	if working, err := stream.Recv(); err != nil || working.GetStatusUpdate().GetStatus().GetState() != a2apb.TaskState_TASK_STATE_WORKING {
		t.Fatalf("got %v, %v", working, err)
	}
	task, err := client.CancelTask(ctx, &a2apb.CancelTaskRequest{Id: id})
	if err != nil || task.GetStatus().GetState() != a2apb.TaskState_TASK_STATE_CANCELED {
		t.Fatalf("got %v, %v", task, err)
	}
	last, err := stream.Recv()
	if err != nil || last.GetStatusUpdate().GetStatus().GetState() != a2apb.TaskState_TASK_STATE_CANCELED {
		t.Fatalf("got %v, %v", last, err)
	}
	if _, err := stream.Recv(); !errors.Is(err, context.Canceled) && err.Error() != "EOF" {
		t.Errorf("the stream ended with %v", err)
	}
}

// TestAgent_Shutdown holds that tasks that run end with the agent, and that
// their streams end well.
func TestAgent_Shutdown(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "A2A-Version", "1.0")
	stream, err := a2apb.NewA2AServiceClient(h.grpc).SendStreamingMessage(ctx, message("wait 1m"))
	if err != nil {
		t.Fatal(err)
	}
	states := make(chan []a2apb.TaskState)
	begun := make(chan struct{})
	go func() {
		var got []a2apb.TaskState
		for {
			event, err := stream.Recv()
			if err != nil {
				states <- got
				return
			}
			if event.GetStatusUpdate() != nil {
				got = append(got, event.GetStatusUpdate().GetStatus().GetState())
			}
			if len(got) == 1 {
				close(begun)
			}
		}
	}()
	<-begun
	h.agent.Shutdown()
	want := []a2apb.TaskState{a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_FAILED}
	if diff := cmp.Diff(want, <-states); diff != "" {
		t.Error(diff)
	}
}
