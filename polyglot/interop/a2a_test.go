package interop_test

import (
	"context"
	"errors"
	"iter"
	"net"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1/pbconv"
	"github.com/a2aproject/a2a-go/v2/errordetails"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/results"
)

// TestInterop_A2AGo holds what the SDK for Go shows over its three transports:
// the error and its message, and of the details the metadata alone.
func TestInterop_A2AGo(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() { tell(t, "a2a-go, client", results.Go(t, "github.com/a2aproject/a2a-go/v2"), a2aWires, shown) })
	for _, protocol := range []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolGRPC, a2a.TransportProtocolHTTPJSON} {
		clients := map[target]*a2aclient.Client{agent: newSDKClient(t, agent, protocol), middle: newSDKClient(t, middle, protocol)}
		for _, r := range rows {
			t.Run(r.Name+"/"+string(protocol), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), rowKey{}, r), timeout)
				defer cancel()
				answers, err := viaSDK(ctx, clients[r.target()], r.message(t), r.method().IsStreamingServer())
				if answers != r.After {
					t.Errorf("%d answers before the error, want %d", answers, r.After)
				}
				e, ok := errors.AsType[*a2a.Error](err)
				if !ok || !strings.EqualFold(e.Message, r.Message) {
					t.Fatalf("got %v, want %q", err, r.Message)
				}
				if r.Reason == "" {
					checkOther(t, protocol, r, e)
					return
				}
				if a2a.ErrorReason(e.Err) != r.Reason {
					t.Errorf("got %v, want %s", e.Err, r.Reason)
				}
				// Reason and domain are its own, which it adds to the metadata received.
				var want []*errordetails.Typed
				if r.Metadata != nil {
					want = append(want, errordetails.NewErrorInfo(r.Reason, domain, r.Metadata))
				}
				if diff := cmp.Diff(want, e.TypedDetails); diff != "" {
					t.Errorf("details: %s", diff)
				}
			})
		}
	}
}

// TestFinding_P08_A2AGo holds that the SDK watches a task that waits for input,
// until another of its clients has brought it to its end.
func TestFinding_P08_A2AGo(t *testing.T) {
	t.Parallel()
	for _, protocol := range []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolGRPC, a2a.TransportProtocolHTTPJSON} {
		t.Run(string(protocol), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			client := newSDKClient(t, agent, protocol)
			asks := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("ask"))
			result, err := client.SendMessage(ctx, &a2a.SendMessageRequest{Message: asks})
			task, ok := result.(*a2a.Task)
			if err != nil || !ok || task.Status.State != a2a.TaskStateInputRequired {
				t.Fatalf("got %+v, %v", result, err)
			}
			var states []a2a.TaskState
			for event, err := range client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: task.ID}) {
				if err != nil {
					t.Fatal(err)
				}
				switch event := event.(type) {
				case *a2a.Task:
					states = append(states, event.Status.State)
					answer := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("7"))
					answer.TaskID = task.ID
					if _, err := client.SendMessage(ctx, &a2a.SendMessageRequest{Message: answer}); err != nil {
						t.Fatal(err)
					}
				case *a2a.TaskStatusUpdateEvent:
					states = append(states, event.Status.State)
				}
			}
			if diff := cmp.Diff([]a2a.TaskState{a2a.TaskStateInputRequired, a2a.TaskStateCompleted}, states); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestInterop_A2AGoLoses holds what the SDK does not read.
func TestInterop_A2AGoLoses(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	for name, test := range map[string]struct {
		at   *a2a.AgentInterface
		want error
		text string
	}{
		"a JSON-RPC error at 400":         {a2a.NewAgentInterface(middle.url+"/other", a2a.TransportProtocolJSONRPC), nil, "unexpected HTTP status: 400 Bad Request"},
		"the type application/a2a+json":   {a2a.NewAgentInterface(middle.url+"/other", a2a.TransportProtocolHTTPJSON), a2a.ErrServerError, a2a.ErrServerError.Error()},
		"a gRPC server that is not there": {a2a.NewAgentInterface(closed.Addr().String(), a2a.TransportProtocolGRPC), a2a.ErrInternalError, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := a2aclient.NewFromEndpoints(t.Context(), []*a2a.AgentInterface{test.at},
				a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Destroy() })
			_, err = client.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "nope"})
			if err == nil || !strings.Contains(err.Error(), test.text) || errors.Is(err, a2a.ErrTaskNotFound) {
				t.Fatalf("got %v, want %q", err, test.text)
			}
			if test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if e, ok := errors.AsType[*a2a.Error](err); ok && len(e.TypedDetails) > 0 {
				t.Errorf("the client shows details: %v", e.TypedDetails)
			}
		})
	}
}

// TestInterop_A2AGoPlainError holds why "errmap serve" sends the error of a stream
// as its one event, and not in JSON: to this SDK that is a stream without events,
// which ended well.
func TestInterop_A2AGoPlainError(t *testing.T) {
	t.Parallel()
	client, err := a2aclient.NewFromEndpoints(t.Context(), []*a2a.AgentInterface{a2a.NewAgentInterface(middle.url+"/plain", a2a.TransportProtocolJSONRPC)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Destroy() })
	for event, err := range client.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: "nope"}) {
		t.Errorf("got %v, %v", event, err)
	}
}

func newSDKClient(t *testing.T, at target, protocol a2a.TransportProtocol) *a2aclient.Client {
	t.Helper()
	card, err := agentcard.DefaultResolver.Resolve(t.Context(), at.url)
	if err != nil {
		t.Fatal(err)
	}
	client, err := a2aclient.NewFromCard(t.Context(), card,
		a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{protocol}}),
		a2aclient.WithCallInterceptors(versions{}),
		a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Destroy() })
	return client
}

// checkOther holds what becomes of errors that have no reason: over HTTP+JSON all
// of them are internal errors, and over gRPC they have no details.
func checkOther(t *testing.T, protocol a2a.TransportProtocol, r row, e *a2a.Error) {
	t.Helper()
	want := map[string]error{"INVALID_ARGUMENT": a2a.ErrInvalidParams, "INTERNAL": a2a.ErrInternalError, "UNAUTHENTICATED": a2a.ErrUnauthenticated}[r.Code]
	details := r.Details
	switch protocol {
	case a2a.TransportProtocolHTTPJSON:
		want = a2a.ErrInternalError
	case a2a.TransportProtocolGRPC:
		details = []string{}
	}
	if e.Err != want {
		t.Errorf("got %v, want %v", e.Err, want)
	}
	types := []string{}
	for _, d := range e.TypedDetails {
		types = append(types, strings.TrimPrefix(d.TypeURL, "type.googleapis.com/"))
	}
	if diff := cmp.Diff(details, types); diff != "" {
		t.Errorf("details: %s", diff)
	}
}

type rowKey struct{}

// versions sets the headers of the row: the client's own version is 1.0
// whatever its caller says.
type versions struct {
	a2aclient.PassthroughInterceptor
}

func (versions) Before(ctx context.Context, request *a2aclient.Request) (context.Context, any, error) {
	r, _ := ctx.Value(rowKey{}).(row)
	for name, value := range r.headers() {
		request.ServiceParams[name] = []string{value}
	}
	return ctx, nil, nil
}

func viaSDK(ctx context.Context, client *a2aclient.Client, request proto.Message, stream bool) (answers int, err error) {
	switch request := request.(type) {
	case *a2apb.GetTaskRequest:
		return call(ctx, client.GetTask, pbconv.FromProtoGetTaskRequest, request)
	case *a2apb.CancelTaskRequest:
		return call(ctx, client.CancelTask, pbconv.FromProtoCancelTaskRequest, request)
	case *a2apb.TaskPushNotificationConfig:
		return call(ctx, client.CreateTaskPushConfig, pbconv.FromProtoTaskPushConfig, request)
	case *a2apb.GetExtendedAgentCardRequest:
		return call(ctx, client.GetExtendedAgentCard, pbconv.FromProtoGetExtendedAgentCardRequest, request)
	case *a2apb.SubscribeToTaskRequest:
		return callStream(ctx, client.SubscribeToTask, pbconv.FromProtoSubscribeToTaskRequest, request)
	case *a2apb.SendMessageRequest:
		if stream {
			return callStream(ctx, client.SendStreamingMessage, pbconv.FromProtoSendMessageRequest, request)
		}
		return call(ctx, client.SendMessage, pbconv.FromProtoSendMessageRequest, request)
	default:
		return 0, errors.New("no method of the client takes this")
	}
}

func call[M, Q, A any](ctx context.Context, method func(context.Context, Q) (A, error), from func(M) (Q, error), m M) (answers int, err error) {
	request, err := from(m)
	if err != nil {
		return 0, err
	}
	_, err = method(ctx, request)
	return 0, err
}

func callStream[M, Q any](ctx context.Context, method func(context.Context, Q) iter.Seq2[a2a.Event, error], from func(M) (Q, error), m M) (answers int, err error) {
	request, err := from(m)
	if err != nil {
		return 0, err
	}
	for _, err := range method(ctx, request) {
		if err != nil {
			return answers, err
		}
		answers++
	}
	return answers, nil
}
