package agent_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
)

// A route that is not there is not a task that is not there.
func TestField_109_any_404_taken_as_task_not_found(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	response, body := h.do(t, http.MethodGet, "/no/such/route", "", versioned)
	for name, answer := range map[string]string{
		"of our server": body,
		"of a router":   "<html>404 page not found</html>",
		"of an API":     `{"error":{"code":404,"status":"NOT_FOUND","message":"no such route"}}`,
	} {
		e, err := errmap.DecodeHTTP([]byte(answer), errmap.WithHTTPStatus(response.StatusCode))
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != http.StatusNotFound || e.Reason() != "" || errmapa2a.Sentinel(e) != nil || e.Is(errmapa2a.TaskNotFound()) {
			t.Errorf("%s: HTTP %d, %v", name, response.StatusCode, e)
		}
	}
}

// Data is an array of typed objects or absent, and standard errors have no reason
// of A2A's.
func TestField_111_form_of_data(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"fail TASK_NOT_FOUND"}]}}}`: `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Task not found","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"fail INVALID_PARAMS"}]}}}`: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid parameters"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}`:       `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params must be an object with the fields of lf.a2a.v1.GetTaskRequest"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":7}}`: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: not a lf.a2a.v1.GetTaskRequest: `,
	} {
		if _, got := h.do(t, http.MethodPost, "/", body, versioned); got != want && !(strings.HasSuffix(want, ": ") && strings.HasPrefix(got, want) && !strings.Contains(got, `"data"`)) {
			t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
		}
	}
}

// Each error has its ErrorInfo over gRPC and HTTP, and the status of its code.
func TestField_112_error_info_over_grpc_and_http(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for _, p := range provocations {
		r := p.request(t, h)
		p.check(t, viaGRPC(t, h, r))
		body := ""
		if r.verb == http.MethodPost {
			body = r.json(t)
		}
		header := map[string]string{"Accept": "application/a2a+json, text/event-stream"}
		for key, value := range r.header {
			header[key] = value
		}
		response, answer := h.do(t, r.verb, r.path, body, header)
		want := errmap.HTTPStatus(p.make().Code())
		if r.descriptor().IsStreamingServer() && response.StatusCode == http.StatusOK {
			t.Errorf("%s: the stream began: %s", p.name, answer)
		}
		if response.StatusCode != want || response.Header.Get("Content-Type") != "application/a2a+json" || !strings.Contains(answer, p.make().Reason()) {
			t.Errorf("%s: HTTP %d, %s, %s; want %d", p.name, response.StatusCode, response.Header.Get("Content-Type"), answer, want)
		}
	}
	if errmap.HTTPStatus(errmapa2a.TaskNotCancelable().Code()) != http.StatusBadRequest {
		t.Error("TaskNotCancelable is not 400")
	}
}

// Metadata survives being read and written on another binding.
func TestField_113_metadata_survives(t *testing.T) {
	t.Parallel()
	const object = `{"code":-32001,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND",` +
		`"domain":"a2a-protocol.org","metadata":{"taskId":"t-1","attempt":2,"last":true,"big":12345678901234567890,"none":null}}]}`
	e, err := errmap.DecodeJSONRPC([]byte(object), errmap.ProfileA2A)
	if err != nil {
		t.Fatal(err)
	}
	s := e.Status()
	s.Details = s.Details[:1] // what a peer reads that knows nothing of what rides along
	plain, err := errmap.FromStatus(s)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"taskId": "t-1", "attempt": "2", "last": "true", "big": "12345678901234567890"}
	for name, e := range map[string]*errmap.Error{"read": e, "over gRPC": plain} {
		if diff := cmp.Diff(want, e.ErrorInfo().GetMetadata()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A result that looks like an error is a result, and ours never is one.
func TestField_116_failure_inside_result(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for _, p := range provocations {
		r := p.request(t, h)
		body := `{"jsonrpc":"2.0","id":1,"method":"` + r.method + `","params":` + r.json(t) + `}`
		_, answer := h.do(t, http.MethodPost, "/", body, r.header)
		var response map[string]json.RawMessage
		if err := json.Unmarshal([]byte(answer), &response); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		if _, both := response["result"]; both || response["error"] == nil {
			t.Errorf("%s: %s", p.name, answer)
		}
	}
	e, err := errmap.DecodeJSONRPC([]byte(`{"jsonrpc":"2.0","id":1,"result":{"error":{"code":-32001,"message":"x"}}}`), errmap.ProfileA2A)
	if err == nil {
		t.Errorf("a result was read as the error %v", e)
	}
}

// Who may not see a task is told the same as if it did not exist.
func TestField_119_existence_is_not_revealed(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	mine := map[string]string{"A2A-Version": "1.0", "Authorization": "Bearer alice"}
	theirs := map[string]string{"A2A-Version": "1.0", "Authorization": "Bearer bob"}
	id := h.task(t, mine)
	other := strings.Repeat("0", len(id))
	if e := viaGRPC(t, h, request{method: "GetTask", params: &a2apb.GetTaskRequest{Id: id}, header: mine}); e != nil {
		t.Fatalf("the owner is told %v", e)
	}
	for _, method := range []string{"GetTask", "CancelTask", "SubscribeToTask"} {
		var there, nowhere request
		for r, id := range map[*request]string{&there: id, &nowhere: other} {
			*r = request{method: method, header: theirs, verb: http.MethodGet, path: "/tasks/" + id}
			switch method {
			case "GetTask":
				r.params = &a2apb.GetTaskRequest{Id: id}
			case "CancelTask":
				r.params, r.verb, r.path = &a2apb.CancelTaskRequest{Id: id}, http.MethodPost, r.path+":cancel"
			case "SubscribeToTask":
				r.params, r.path = &a2apb.SubscribeToTaskRequest{Id: id}, r.path+":subscribe"
			}
		}
		for _, w := range wires {
			got, want := w.call(t, h, there), w.call(t, h, nowhere)
			if got == nil || want == nil {
				t.Fatalf("%s over %s: %v and %v", method, w.name, got, want)
			}
			if a, b := strings.ReplaceAll(string(errmap.EncodeStatusJSON(got)), id, other), string(errmap.EncodeStatusJSON(want)); a != b {
				t.Errorf("%s over %s:\nthere   %s\nnowhere %s", method, w.name, a, b)
			}
		}
	}
}

// Nothing follows the last event of a stream.
func TestField_120_error_after_the_final_event(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	header := map[string]string{"A2A-Version": "1.0", "Accept": "text/event-stream"}
	r := request{"SendStreamingMessage", message("wait 1ms"), versioned, http.MethodPost, "/message:stream"}
	body := `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":` + r.json(t) + `}`
	for name, answer := range map[string]string{
		"jsonrpc": second(h.do(t, http.MethodPost, "/", body, header)),
		"http":    second(h.do(t, http.MethodPost, "/message:stream", r.json(t), header)),
	} {
		var events []string
		for line := range strings.Lines(answer) {
			if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok {
				events = append(events, data)
			}
		}
		if len(events) != 3 || !strings.Contains(events[2], "TASK_STATE_COMPLETED") || strings.Contains(answer, `"error"`) {
			t.Errorf("%s:\n%s", name, answer)
		}
	}
	h.agent.Shutdown()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "A2A-Version", "1.0")
	stream, err := a2apb.NewA2AServiceClient(h.grpc).SendStreamingMessage(ctx, proto.CloneOf(message("wait 0s")))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = stream.Recv()
	}
	if err.Error() != "EOF" {
		t.Errorf("grpc: the stream ended with %v", err)
	}
}

func second(_ *http.Response, body string) string { return body }
