package agent_test

import (
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
)

const strictExtension = "https://github.com/errmap/errmap/extensions/strict"

// provocation is a request that meets one of the nine errors.
type provocation struct {
	name     string
	request  func(t *testing.T, h *harness) request
	make     func(...any) *errmap.Error
	metadata map[string]string // "?" is a value that is not compared
	typed    error
}

var provocations = []provocation{
	{"TaskNotFound", func(*testing.T, *harness) request {
		return request{"GetTask", &a2apb.GetTaskRequest{Id: "nope"}, versioned, http.MethodGet, "/tasks/nope"}
	}, errmapa2a.TaskNotFound, map[string]string{"taskId": "nope"}, &a2av1.TaskNotFoundError{}},
	{"TaskNotFound of a message", func(t *testing.T, _ *harness) request {
		m := message("hello")
		m.Message.TaskId = t.Name() // the SDK runs one message a task at a time
		return request{"SendMessage", m, versioned, http.MethodPost, "/message:send"}
	}, errmapa2a.TaskNotFound, map[string]string{"taskId": "?"}, &a2av1.TaskNotFoundError{}},
	{"TaskNotFound in a stream", func(*testing.T, *harness) request {
		return request{"SubscribeToTask", &a2apb.SubscribeToTaskRequest{Id: "nope"}, versioned, http.MethodGet, "/tasks/nope:subscribe"}
	}, errmapa2a.TaskNotFound, map[string]string{"taskId": "nope"}, &a2av1.TaskNotFoundError{}},
	{"TaskNotCancelable", func(t *testing.T, h *harness) request {
		id := h.task(t, versioned)
		return request{"CancelTask", &a2apb.CancelTaskRequest{Id: id}, versioned, http.MethodPost, "/tasks/" + id + ":cancel"}
	}, errmapa2a.TaskNotCancelable, map[string]string{"taskId": "?"}, &a2av1.TaskNotCancelableError{}},
	{"PushNotificationNotSupported", func(*testing.T, *harness) request {
		return request{"CreateTaskPushNotificationConfig", &a2apb.TaskPushNotificationConfig{TaskId: "t-1", Url: "https://example.com/push"},
			versioned, http.MethodPost, "/tasks/t-1/pushNotificationConfigs"}
	}, errmapa2a.PushNotificationNotSupported, nil, &a2av1.PushNotificationNotSupportedError{}},
	{"UnsupportedOperation in a stream", func(*testing.T, *harness) request {
		m := message("hello")
		m.Tenant = "strict"
		return request{"SendStreamingMessage", m, map[string]string{"A2A-Version": "1.0", "A2A-Extensions": "urn:other, " + strictExtension},
			http.MethodPost, "/strict/message:stream"}
	}, errmapa2a.UnsupportedOperation, nil, &a2av1.UnsupportedOperationError{}},
	{"ContentTypeNotSupported", func(*testing.T, *harness) request {
		m := message("hello")
		m.Message.Parts[0].MediaType = "image/png"
		return request{"SendMessage", m, versioned, http.MethodPost, "/message:send"}
	}, errmapa2a.ContentTypeNotSupported, map[string]string{"mediaType": "image/png", "supported": "text/plain"}, &a2av1.ContentTypeNotSupportedError{}},
	{"InvalidAgentResponse", func(*testing.T, *harness) request {
		return request{"SendMessage", message("fail INVALID_AGENT_RESPONSE"), versioned, http.MethodPost, "/message:send"}
	}, errmapa2a.InvalidAgentResponse, nil, &a2av1.InvalidAgentResponseError{}},
	{"AuthenticatedExtendedCardNotConfigured", func(*testing.T, *harness) request {
		return request{"GetExtendedAgentCard", &a2apb.GetExtendedAgentCardRequest{}, versioned, http.MethodGet, "/extendedAgentCard"}
	}, errmapa2a.AuthenticatedExtendedCardNotConfigured, nil, &a2av1.ExtendedAgentCardNotConfiguredError{}},
	{"ExtensionSupportRequired", func(*testing.T, *harness) request {
		return request{"GetTask", &a2apb.GetTaskRequest{Id: "t-1", Tenant: "strict"}, versioned, http.MethodGet, "/strict/tasks/t-1"}
	}, errmapa2a.ExtensionSupportRequired, nil, &a2av1.ExtensionSupportRequiredError{}},
	{"ExtensionSupportRequired in a stream", func(*testing.T, *harness) request {
		m := message("hello")
		m.Tenant = "strict"
		return request{"SendStreamingMessage", m, versioned, http.MethodPost, "/strict/message:stream"}
	}, errmapa2a.ExtensionSupportRequired, nil, &a2av1.ExtensionSupportRequiredError{}},
	{"VersionNotSupported", func(*testing.T, *harness) request {
		return request{"GetTask", &a2apb.GetTaskRequest{Id: "nope"}, nil, http.MethodGet, "/tasks/nope"}
	}, errmapa2a.VersionNotSupported, map[string]string{"version": "0.3", "supported": "1.0"}, &a2av1.VersionNotSupportedError{}},
	{"VersionNotSupported in a stream", func(*testing.T, *harness) request {
		return request{"SendStreamingMessage", message("hello"), map[string]string{"A2A-Version": "2.0"}, http.MethodPost, "/message:stream"}
	}, errmapa2a.VersionNotSupported, map[string]string{"version": "2.0", "supported": "1.0"}, &a2av1.VersionNotSupportedError{}},
}

// TestAgent_NineErrors provokes each of the nine errors over each wire, and
// expects the same error from all.
func TestAgent_NineErrors(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for _, p := range provocations {
		for _, w := range wires {
			t.Run(p.name+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				p.check(t, w.call(t, h, p.request(t, h)))
			})
		}
	}
}

func (p provocation) check(t *testing.T, e *errmap.Error) {
	t.Helper()
	if e == nil {
		t.Fatal("the call did not fail")
	}
	want := p.make()
	got := e.ErrorInfo()
	if e.Code() != want.Code() || e.Message() != want.Message() || got.GetReason() != want.Reason() || got.GetDomain() != "a2a-protocol.org" {
		t.Errorf("got %v, want %v", e, want)
	}
	metadata := maps.Clone(got.GetMetadata())
	for key, value := range p.metadata {
		if _, ok := metadata[key]; ok && value == "?" {
			metadata[key] = "?"
		}
	}
	if diff := cmp.Diff(p.metadata, metadata); diff != "" {
		t.Errorf("metadata: %s", diff)
	}
	if len(e.Details()) != 1 {
		t.Errorf("%d details, want the ErrorInfo alone", len(e.Details()))
	}
	if !errors.Is(e, want) || errmapa2a.Sentinel(e) != errmapa2a.Sentinel(want) {
		t.Errorf("%v is not %v", e, want)
	}
	if !e.Fill(proto.Clone(p.typed.(proto.Message))) {
		t.Errorf("%v is no %T", e, p.typed)
	}
}

// TestAgent_FailOnPurpose has the agent's work fail with each error, before a
// task exists, in a unary call and in a stream, over each wire.
func TestAgent_FailOnPurpose(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for _, make := range []func(...any) *errmap.Error{
		errmapa2a.TaskNotFound, errmapa2a.TaskNotCancelable, errmapa2a.PushNotificationNotSupported, errmapa2a.UnsupportedOperation,
		errmapa2a.ContentTypeNotSupported, errmapa2a.InvalidAgentResponse, errmapa2a.AuthenticatedExtendedCardNotConfigured,
		errmapa2a.ExtensionSupportRequired, errmapa2a.VersionNotSupported,
	} {
		p := provocation{make: make, typed: nil}
		want := make()
		for _, method := range []struct{ name, path string }{{"SendMessage", "/message:send"}, {"SendStreamingMessage", "/message:stream"}} {
			for _, w := range wires {
				t.Run(want.Reason()+"/"+method.name+"/"+w.name, func(t *testing.T) {
					t.Parallel()
					e := w.call(t, h, request{method.name, message("fail " + want.Reason()), versioned, http.MethodPost, method.path})
					if e == nil || e.Code() != want.Code() || e.Message() != want.Message() || !errors.Is(e, p.make()) {
						t.Errorf("got %v, want %v", e, want)
					}
				})
			}
		}
	}
}

// TestAgent_Hides holds that nothing of what is not for callers is in the bytes
// of any wire, and that the log has it with the id that the caller got.
func TestAgent_Hides(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for _, reason := range []string{"INTERNAL", "PANIC"} {
		for _, method := range []struct{ name, path string }{{"SendMessage", "/message:send"}, {"SendStreamingMessage", "/message:stream"}} {
			for _, w := range wires {
				t.Run(reason+"/"+method.name+"/"+w.name, func(t *testing.T) {
					t.Parallel()
					e := w.call(t, h, request{method.name, message("fail " + reason), versioned, http.MethodPost, method.path})
					if e.Code() != code.Code_INTERNAL || !strings.EqualFold(e.Message(), "internal error") {
						t.Errorf("got %v", e)
					}
					for _, part := range []string{"10.0.0.7", ":5432", "user=app", "goroutine", "purpose"} {
						if strings.Contains(string(errmap.EncodeStatusJSON(e)), part) {
							t.Errorf("%q is on the wire: %s", part, errmap.EncodeStatusJSON(e))
						}
					}
					if id := requestID(t, e); !strings.Contains(h.log.String(), "request_id="+id) {
						t.Errorf("the log does not have the id %q", id)
					}
				})
			}
		}
	}
	t.Cleanup(func() {
		if !strings.Contains(h.log.String(), "dial tcp 10.0.0.7:5432: user=app") {
			t.Error("the log does not have the text")
		}
	})
}
