package agent_test

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/errordetails"
	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
)

// sdkClients are clients of the SDK, over each of its transports.
func (h *harness) sdkClients(t *testing.T, opts ...a2aclient.FactoryOption) map[a2a.TransportProtocol]*a2aclient.Client {
	t.Helper()
	opts = append(opts,
		a2aclient.WithJSONRPCTransport(h.http),
		a2aclient.WithTransport(a2a.TransportProtocolHTTPJSON, a2aclient.TransportFactoryFn(
			func(context.Context, *a2a.AgentCard, *a2a.AgentInterface) (a2aclient.Transport, error) {
				u, err := url.Parse(baseURL)
				return a2aclient.NewRESTTransport(u, h.http), err
			})),
		a2aclient.WithTransport(a2a.TransportProtocolGRPC, a2aclient.TransportFactoryFn(
			func(context.Context, *a2a.AgentCard, *a2a.AgentInterface) (a2aclient.Transport, error) {
				return a2agrpc.NewGRPCTransport(h.grpc), nil
			})))
	clients := make(map[a2a.TransportProtocol]*a2aclient.Client)
	for _, protocol := range []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolGRPC, a2a.TransportProtocolHTTPJSON} {
		client, err := a2aclient.NewFromEndpoints(t.Context(), []*a2a.AgentInterface{a2a.NewAgentInterface(baseURL, protocol)}, opts...)
		if err != nil {
			t.Fatal(err)
		}
		clients[protocol] = client
	}
	return clients
}

func userMessage(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
}

// drain returns the error that ends a stream.
func drain(events iter.Seq2[a2a.Event, error]) error {
	for _, err := range events {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestAgent_SDKClients holds that the SDK's own clients recognise each of the
// nine errors over their three transports, with its metadata.
func TestAgent_SDKClients(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	// Each call has a request of its own: the client writes into it.
	image := func() *a2a.SendMessageRequest {
		request := userMessage("hello")
		request.Message.Parts[0].MediaType = "image/png"
		return request
	}
	strict := func() *a2a.SendMessageRequest {
		request := userMessage("hello")
		request.Tenant = "strict"
		return request
	}
	done := h.task(t, versioned)
	tests := []struct {
		name     string
		call     func(context.Context, *a2aclient.Client) error
		want     error
		metadata map[string]string
	}{
		{"TaskNotFound", func(ctx context.Context, c *a2aclient.Client) error {
			_, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: "nope"})
			return err
		}, a2a.ErrTaskNotFound, map[string]string{"taskId": "nope"}},
		{"TaskNotFound in a stream", func(ctx context.Context, c *a2aclient.Client) error {
			return drain(c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: "nope"}))
		}, a2a.ErrTaskNotFound, map[string]string{"taskId": "nope"}},
		{"TaskNotCancelable", func(ctx context.Context, c *a2aclient.Client) error {
			_, err := c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: a2a.TaskID(done)})
			return err
		}, a2a.ErrTaskNotCancelable, map[string]string{"taskId": done}},
		{"PushNotificationNotSupported", func(ctx context.Context, c *a2aclient.Client) error {
			_, err := c.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: "t-1", URL: "https://example.com/push"})
			return err
		}, a2a.ErrPushNotificationNotSupported, nil},
		{"UnsupportedOperation in a stream", func(ctx context.Context, c *a2aclient.Client) error {
			ctx = a2aclient.AttachServiceParams(ctx, a2aclient.ServiceParams{"a2a-extensions": {strictExtension}})
			return drain(c.SendStreamingMessage(ctx, strict()))
		}, a2a.ErrUnsupportedOperation, nil},
		{"ContentTypeNotSupported", func(ctx context.Context, c *a2aclient.Client) error {
			_, err := c.SendMessage(ctx, image())
			return err
		}, a2a.ErrUnsupportedContentType, map[string]string{"mediaType": "image/png", "supported": "text/plain"}},
		{"InvalidAgentResponse", func(ctx context.Context, c *a2aclient.Client) error {
			return drain(c.SendStreamingMessage(ctx, userMessage("fail INVALID_AGENT_RESPONSE")))
		}, a2a.ErrInvalidAgentResponse, nil},
		{"ExtendedCardNotConfigured", func(ctx context.Context, c *a2aclient.Client) error {
			_, err := c.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
			return err
		}, a2a.ErrExtendedCardNotConfigured, nil},
		{"ExtensionSupportRequired", func(ctx context.Context, c *a2aclient.Client) error {
			_, err := c.SendMessage(ctx, strict())
			return err
		}, a2a.ErrExtensionSupportRequired, nil},
		{"VersionNotSupported in a stream", func(ctx context.Context, c *a2aclient.Client) error {
			return drain(c.SendStreamingMessage(ctx, userMessage("fail VERSION_NOT_SUPPORTED")))
		}, a2a.ErrVersionNotSupported, nil},
	}
	for protocol, client := range h.sdkClients(t) {
		for _, test := range tests {
			t.Run(test.name+"/"+string(protocol), func(t *testing.T) {
				t.Parallel()
				err := test.call(t.Context(), client)
				sdk, ok := errors.AsType[*a2a.Error](err)
				if !ok || !errors.Is(err, test.want) {
					t.Fatalf("got %v, want %v", err, test.want)
				}
				if want := errmapa2a.FromError(test.want).Message(); sdk.Message != want {
					t.Errorf("message %q, want %q", sdk.Message, want)
				}
				if diff := cmp.Diff(test.metadata, infoMetadata(sdk)); diff != "" {
					t.Errorf("metadata: %s", diff)
				}
			})
		}
	}
}

func infoMetadata(sdk *a2a.Error) map[string]string {
	for _, d := range sdk.TypedDetails {
		if d.TypeURL == errordetails.ErrorInfoType {
			m, _ := d.Value["metadata"].(map[string]string)
			return m
		}
	}
	return nil
}

// TestAgent_SDKClientInterceptor holds that what an SDK client receives is known
// as received, and found as what it is.
func TestAgent_SDKClientInterceptor(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for protocol, client := range h.sdkClients(t, a2aclient.WithCallInterceptors(errmapa2a.ClientInterceptor())) {
		_, unary := client.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "nope"})
		stream := drain(client.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: "nope"}))
		for name, err := range map[string]error{"unary": unary, "stream": stream} {
			e, ok := errors.AsType[*errmap.Error](err)
			if !ok || !e.Remote() || !errors.Is(err, a2a.ErrTaskNotFound) {
				t.Errorf("%s, %s: got %v", protocol, name, err)
			}
			if found, ok := errors.AsType[*a2av1.TaskNotFoundError](err); !ok || found.GetTaskId() != "nope" {
				t.Errorf("%s, %s: no TaskNotFoundError in %v", protocol, name, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		for event, err := range client.SendStreamingMessage(ctx, userMessage("wait 1m")) {
			if err == nil && event != nil {
				cancel()
				continue
			}
			if !errors.Is(err, context.Canceled) || errmap.From(err).Remote() {
				t.Errorf("%s: a canceled call ended with %v", protocol, err)
			}
		}
		cancel()
	}
}

// TestAgent_SDKClientTalks holds that the SDK's clients can do what they are for.
func TestAgent_SDKClientTalks(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for protocol, client := range h.sdkClients(t) {
		result, err := client.SendMessage(t.Context(), userMessage("hello"))
		task, ok := result.(*a2a.Task)
		if err != nil || !ok || task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) != 1 || task.Artifacts[0].Parts[0].Text() != "hello" {
			t.Errorf("%s: got %+v, %v", protocol, result, err)
			continue
		}
		got, err := client.GetTask(t.Context(), &a2a.GetTaskRequest{ID: task.ID})
		if err != nil || got.ID != task.ID {
			t.Errorf("%s: got %v, %v", protocol, got, err)
		}
		list, err := client.ListTasks(t.Context(), &a2a.ListTasksRequest{ContextID: task.ContextID})
		if err != nil || len(list.Tasks) != 1 {
			t.Errorf("%s: got %v, %v", protocol, list, err)
		}
		var states []a2a.TaskState
		for event, err := range client.SendStreamingMessage(t.Context(), userMessage("wait 1ms")) {
			if err != nil {
				t.Errorf("%s: %v", protocol, err)
				break
			}
			switch event := event.(type) {
			case *a2a.Task:
				states = append(states, event.Status.State)
			case *a2a.TaskStatusUpdateEvent:
				states = append(states, event.Status.State)
			}
		}
		if diff := cmp.Diff([]a2a.TaskState{a2a.TaskStateSubmitted, a2a.TaskStateWorking, a2a.TaskStateCompleted}, states); diff != "" {
			t.Errorf("%s: %s", protocol, diff)
		}
	}
}
