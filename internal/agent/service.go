package agent

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"

	"connectrpc.com/connect/v2"
	"github.com/a2aproject/a2a-go/v2/a2a"
	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1/pbconv"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errmap/errmap/errmap/errmapa2a"
)

// anonymous is the user of a request without a token.
const anonymous = "anonymous"

// agents are the request handlers of the SDK, by tenant; "" is that of every
// other tenant.
type agents map[string]a2asrv.RequestHandler

// serviceDescriptor is that of lf.a2a.v1.A2AService.
func serviceDescriptor() protoreflect.ServiceDescriptor {
	return a2apb.File_a2av1_proto.Services().ByName("A2AService")
}

// methods are the methods of the service, each with the SDK's conversions around
// the SDK's handler.
func (a agents) methods() []connect.Method {
	return []connect.Method{
		unary(a, "SendMessage", pbconv.FromProtoSendMessageRequest, a2asrv.RequestHandler.SendMessage, pbconv.ToProtoSendMessageResponse),
		stream(a, "SendStreamingMessage", pbconv.FromProtoSendMessageRequest, a2asrv.RequestHandler.SendStreamingMessage),
		unary(a, "GetTask", pbconv.FromProtoGetTaskRequest, a2asrv.RequestHandler.GetTask, pbconv.ToProtoTask),
		unary(a, "ListTasks", pbconv.FromProtoListTasksRequest, a2asrv.RequestHandler.ListTasks, pbconv.ToProtoListTasksResponse),
		unary(a, "CancelTask", pbconv.FromProtoCancelTaskRequest, a2asrv.RequestHandler.CancelTask, pbconv.ToProtoTask),
		stream(a, "SubscribeToTask", pbconv.FromProtoSubscribeToTaskRequest, a2asrv.RequestHandler.SubscribeToTask),
		unary(a, "CreateTaskPushNotificationConfig", pbconv.FromProtoTaskPushConfig, a2asrv.RequestHandler.CreateTaskPushConfig, pbconv.ToProtoTaskPushConfig),
		unary(a, "GetTaskPushNotificationConfig", pbconv.FromProtoGetTaskPushConfigRequest, a2asrv.RequestHandler.GetTaskPushConfig, pbconv.ToProtoTaskPushConfig),
		unary(a, "ListTaskPushNotificationConfigs", pbconv.FromProtoListTaskPushConfigRequest, a2asrv.RequestHandler.ListTaskPushConfigs, pbconv.ToProtoListTaskPushConfigResponse),
		unary(a, "GetExtendedAgentCard", pbconv.FromProtoGetExtendedAgentCardRequest, a2asrv.RequestHandler.GetExtendedAgentCard, pbconv.ToProtoAgentCard),
		unary(a, "DeleteTaskPushNotificationConfig", pbconv.FromProtoDeleteTaskPushConfigRequest, deletePushConfig,
			func(empty *emptypb.Empty) (*emptypb.Empty, error) { return empty, nil }),
	}
}

func deletePushConfig(h a2asrv.RequestHandler, ctx context.Context, req *a2a.DeleteTaskPushConfigRequest) (*emptypb.Empty, error) {
	return new(emptypb.Empty), h.DeleteTaskPushConfig(ctx, req)
}

// request is what every request message of the service is.
type request[T any] interface {
	*T
	proto.Message
	GetTenant() string
}

func unary[Req any, PReq request[Req], In, Out any, Res proto.Message](
	a agents, name protoreflect.Name, from func(PReq) (In, error),
	call func(a2asrv.RequestHandler, context.Context, In) (Out, error), to func(Out) (Res, error),
) connect.Method {
	return connect.Method{
		Spec: spec(name),
		Handler: func(ctx context.Context, _ connect.Spec, s connect.ServerStream) error {
			req, in, err := receive(s, from)
			if err != nil {
				return err
			}
			ctx, sdk := callContext(ctx)
			out, err := call(a.of(req.GetTenant()), ctx, in)
			if err != nil {
				return failed(err, req)
			}
			res, err := to(out)
			if err != nil {
				return err
			}
			sendExtensions(ctx, sdk)
			return s.Send(res)
		},
	}
}

func stream[Req any, PReq request[Req], In any](
	a agents, name protoreflect.Name, from func(PReq) (In, error),
	call func(a2asrv.RequestHandler, context.Context, In) iter.Seq2[a2a.Event, error],
) connect.Method {
	return connect.Method{
		Spec: spec(name),
		Handler: func(ctx context.Context, _ connect.Spec, s connect.ServerStream) error {
			req, in, err := receive(s, from)
			if err != nil {
				return err
			}
			ctx, sdk := callContext(ctx)
			for event, err := range call(a.of(req.GetTenant()), ctx, in) {
				if err != nil {
					return failed(err, req)
				}
				res, err := pbconv.ToProtoStreamResponse(event)
				if err != nil {
					return err
				}
				sendExtensions(ctx, sdk)
				if err := s.Send(res); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (a agents) of(tenant string) a2asrv.RequestHandler {
	if h, ok := a[tenant]; ok {
		return h
	}
	return a[""]
}

func spec(name protoreflect.Name) connect.Spec {
	service := serviceDescriptor()
	method := service.Methods().ByName(name)
	s := connect.Spec{Procedure: "/" + string(service.FullName()) + "/" + string(name), Schema: method}
	if method.IsStreamingServer() {
		s.StreamType = connect.StreamTypeServer
	}
	return s
}

// receive reads the request of a call, as the schema and as the SDK has it.
func receive[Req any, PReq request[Req], In any](s connect.ServerStream, from func(PReq) (In, error)) (PReq, In, error) {
	req := PReq(new(Req))
	var none In
	if err := s.Receive(req); err != nil {
		return nil, none, err
	}
	if err := checkRequired(req); err != nil {
		return nil, none, err
	}
	if err := checkRanges(req); err != nil {
		return nil, none, err
	}
	in, err := from(req)
	if err != nil {
		// The SDK's text tells of the caller's own request and of nothing else.
		return nil, none, errmapa2a.InvalidParams(err).WithMessage("Invalid parameters: " + err.Error())
	}
	return req, in, nil
}

// callContext gives the SDK the service parameters and the user of a call.
func callContext(ctx context.Context) (context.Context, *a2asrv.CallContext) {
	params := make(map[string][]string)
	token := ""
	if info, ok := connect.CallInfoForServerContext(ctx); ok {
		for key, values := range info.RequestHeader().All() {
			params[key] = values
		}
		token = info.RequestHeader().Get("Authorization")
	}
	// One header may name several extensions; the SDK compares whole values.
	if named, ok := params[http.CanonicalHeaderKey(a2a.SvcParamExtensions)]; ok {
		params[http.CanonicalHeaderKey(a2a.SvcParamExtensions)] = splitList(named)
	}
	ctx, sdk := a2asrv.NewCallContext(ctx, a2asrv.NewServiceParams(params))
	sdk.User = &a2asrv.User{Name: anonymous}
	if scheme, name, ok := strings.Cut(token, " "); ok && strings.EqualFold(scheme, "bearer") {
		sdk.User = a2asrv.NewAuthenticatedUser(name, nil)
	}
	return ctx, sdk
}

func sendExtensions(ctx context.Context, sdk *a2asrv.CallContext) {
	active := sdk.Extensions().ActivatedURIs()
	if info, ok := connect.CallInfoForServerContext(ctx); ok && len(active) > 0 {
		info.ResponseHeader().Set(a2a.SvcParamExtensions, strings.Join(active, ", "))
	}
}

func splitList(values []string) []string {
	var out []string
	for _, value := range values {
		for element := range strings.SplitSeq(value, ",") {
			if element = strings.TrimSpace(element); element != "" {
				out = append(out, element)
			}
		}
	}
	return out
}

// failed adds the task that a request was about to an error that the SDK returns
// without it. It says no more than the caller did, so a task that does not exist
// and one that is not theirs look alike.
func failed(err error, req proto.Message) error {
	id := taskID(req)
	if _, spoken := errors.AsType[*a2a.Error](err); spoken || id == "" {
		return err
	}
	data := map[string]string{"taskId": id}
	switch errmapa2a.Sentinel(err) {
	case a2a.ErrTaskNotFound:
		return errmapa2a.TaskNotFound(data, err)
	case a2a.ErrTaskNotCancelable:
		return errmapa2a.TaskNotCancelable(data, err)
	}
	return err
}

func taskID(req proto.Message) string {
	switch req := req.(type) {
	case *a2apb.SendMessageRequest:
		return req.GetMessage().GetTaskId()
	case interface{ GetTaskId() string }:
		return req.GetTaskId()
	case interface{ GetId() string }:
		return req.GetId()
	}
	return ""
}
