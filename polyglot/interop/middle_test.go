package interop_test

import (
	"context"
	"net"
	"net/http"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/grpcreflect/v2"
	"github.com/a2aproject/a2a-go/v2/a2a"
	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/httpjson"
)

// serveMiddle serves on a free port what "errmap serve" cannot be made to do: a
// stream that fails after its first answer.
func serveMiddle() (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	url = "http://" + listener.Addr().String()
	rpc := errmapconnect.NewServer()
	rpc.Register(connect.Method{
		Spec: connect.Spec{
			Procedure:  "/" + service + "/SendStreamingMessage",
			Schema:     a2apb.File_a2av1_proto.Services().ByName("A2AService").Methods().ByName("SendStreamingMessage"),
			StreamType: connect.StreamTypeServer,
		},
		Handler: failInTheMiddle,
	})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)
	if err := server.Mount(mux, rpc, server.WithProfile(errmap.ProfileA2A)); err != nil {
		return "", nil, err
	}
	if err := httpjson.Mount(mux, rpc); err != nil {
		return "", nil, err
	}
	reflection := connect.NewServer()
	grpcreflect.Register(reflection, grpcreflect.WithNamer(grpcreflect.NamerFunc(func() []string { return []string{service} })))
	connecthttp.Mount(mux, reflection)
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(&a2a.AgentCard{
		Name: "middle", Description: "Fails in the middle.", Version: "1", Capabilities: a2a.AgentCapabilities{Streaming: true},
		SupportedInterfaces: []*a2a.AgentInterface{
			a2a.NewAgentInterface(url+"/", a2a.TransportProtocolJSONRPC),
			a2a.NewAgentInterface(listener.Addr().String(), a2a.TransportProtocolGRPC),
			a2a.NewAgentInterface(url, a2a.TransportProtocolHTTPJSON),
		},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}, Skills: []a2a.AgentSkill{},
	}))
	mux.HandleFunc("POST /other", answer(http.StatusBadRequest, "application/json", otherJSONRPC))
	mux.HandleFunc("POST /plain", answer(http.StatusOK, "application/json", otherJSONRPC))
	mux.HandleFunc("GET /other/tasks/nope", answer(http.StatusNotFound, "application/a2a+json", otherHTTPJSON))
	s := &http.Server{Handler: mux, Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = s.Serve(listener) }()
	return url, func() { _ = s.Close() }, nil
}

// What some servers answer and ours never do: a JSON-RPC error at another status
// than 200, one in JSON where a stream was asked for, and a content type that was
// not asked for.
const (
	otherInfo     = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}`
	otherJSONRPC  = `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Task not found","data":[` + otherInfo + `]}}`
	otherHTTPJSON = `{"error":{"code":404,"status":"NOT_FOUND","message":"Task not found","details":[` + otherInfo + `]}}`
)

func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func failInTheMiddle(_ context.Context, _ connect.Spec, s connect.ServerStream) error {
	request := new(a2apb.SendMessageRequest)
	if err := s.Receive(request); err != nil {
		return err
	}
	id := request.GetMessage().GetTaskId()
	err := s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{
		Id: id, ContextId: "c-1", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_WORKING},
	}}})
	if err != nil {
		return err
	}
	return errmapa2a.TaskNotFound(map[string]string{"taskId": id})
}
