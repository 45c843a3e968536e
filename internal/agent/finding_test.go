package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"

	"github.com/errmap/errmap/errmap/errmapa2a"
)

// A task that has ended takes no message and no subscription (A2A sections 3.1.1,
// 3.1.2 and 3.1.6), in whatever way it ended.
func TestFinding_P08_terminal_tasks(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for state, id := range map[string]string{
		"TASK_STATE_COMPLETED": h.task(t, versioned),
		"TASK_STATE_FAILED":    h.taskIn(t, "ask", "fail INTERNAL"),
		"TASK_STATE_CANCELED":  h.canceled(t),
	} {
		more := message("more")
		more.Message.TaskId = id
		for _, r := range []request{
			{"SendMessage", more, versioned, http.MethodPost, "/message:send"},
			{"SendStreamingMessage", more, versioned, http.MethodPost, "/message:stream"},
			{"SubscribeToTask", &a2apb.SubscribeToTaskRequest{Id: id}, versioned, http.MethodGet, "/tasks/" + id + ":subscribe"},
		} {
			for _, w := range wires {
				e := w.call(t, h, r)
				if !errors.Is(e, errmapa2a.UnsupportedOperation()) || e.Message() != "This operation is not supported" {
					t.Errorf("%s, %s over %s: %v", state, r.method, w.name, e)
					continue
				}
				if diff := cmp.Diff(map[string]string{"taskId": id, "state": state}, e.ErrorInfo().GetMetadata()); diff != "" {
					t.Errorf("%s, %s over %s: %s", state, r.method, w.name, diff)
				}
			}
		}
	}
}

// A task that waits for input streams: the task itself first, then what the next
// message does to it, until it ends (A2A section 3.1.6).
func TestFinding_P08_subscription_to_a_waiting_task(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for _, answers := range [][]string{{"7"}, {"ask", "7"}} {
		id := h.taskIn(t, "ask")
		got := make(chan []string, 1)
		begun := make(chan struct{})
		go func() { got <- h.watch(t, id, begun) }()
		<-begun
		for _, answer := range answers {
			h.say(t, id, answer)
		}
		want := []string{"TASK_STATE_INPUT_REQUIRED"}
		for range answers[1:] {
			want = append(want, "TASK_STATE_INPUT_REQUIRED")
		}
		want = append(want, "artifact", "TASK_STATE_COMPLETED")
		if diff := cmp.Diff(want, <-got); diff != "" {
			t.Errorf("%q: %s", answers, diff)
		}
	}
}

// A subscription ends with the server: to a task that waits it says why, and one
// that runs ends itself.
func TestFinding_P08_subscription_ends_with_the_server(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		task func(*harness) string
		want []string
	}{
		"waits": {func(h *harness) string { return h.say(t, "", "ask") },
			[]string{"TASK_STATE_INPUT_REQUIRED", "rpc error: code = Unavailable desc = the server is shutting down"}},
		"runs": {func(h *harness) string { return h.running(t) }, []string{"TASK_STATE_WORKING", "TASK_STATE_FAILED"}},
	} {
		h := newHarness(t)
		got := make(chan []string, 1)
		begun := make(chan struct{})
		id := test.task(h)
		go func() { got <- h.watch(t, id, begun) }()
		<-begun
		h.agent.Shutdown()
		if diff := cmp.Diff(test.want, <-got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What is not a caller's task is not there, running or waiting, whatever they ask
// (A2A section 13.1).
func TestFinding_P08_tasks_of_others(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	mine := metadata.AppendToOutgoingContext(t.Context(), "A2A-Version", "1.0", "Authorization", "Bearer alice")
	theirs := map[string]string{"A2A-Version": "1.0", "Authorization": "Bearer bob"}
	for _, text := range []string{"wait 1m", "ask"} {
		stream, err := a2apb.NewA2AServiceClient(h.grpc).SendStreamingMessage(mine, message(text))
		if err != nil {
			t.Fatal(err)
		}
		first, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Recv(); err != nil { // the task works, or asks
			t.Fatal(err)
		}
		id := first.GetTask().GetId()
		more := message("more")
		more.Message.TaskId = id
		for _, r := range []request{
			{"SendMessage", more, theirs, http.MethodPost, "/message:send"},
			{"SendStreamingMessage", more, theirs, http.MethodPost, "/message:stream"},
			{"SubscribeToTask", &a2apb.SubscribeToTaskRequest{Id: id}, theirs, http.MethodGet, "/tasks/" + id + ":subscribe"},
			{"CancelTask", &a2apb.CancelTaskRequest{Id: id}, theirs, http.MethodPost, "/tasks/" + id + ":cancel"},
		} {
			for _, w := range wires {
				ended := make(chan error, 1)
				go func() { ended <- w.call(t, h, r) }()
				select {
				case e := <-ended:
					if !errors.Is(e, errmapa2a.TaskNotFound()) {
						t.Errorf("%s of a task that does %q over %s: %v", r.method, text, w.name, e)
					}
				case <-time.After(5 * time.Second):
					t.Errorf("%s of a task that does %q over %s: it streams", r.method, text, w.name)
				}
			}
		}
	}
}

// A message to a task that is being worked on is not a fault of the agent.
func TestFinding_P08_message_to_a_running_task(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "A2A-Version", "1.0")
	stream, err := a2apb.NewA2AServiceClient(h.grpc).SendStreamingMessage(ctx, message("wait 1m"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	more := message("more")
	more.Message.TaskId = first.GetTask().GetId()
	for _, w := range wires {
		e := w.call(t, h, request{"SendMessage", more, versioned, http.MethodPost, "/message:send"})
		if !errors.Is(e, errmapa2a.UnsupportedOperation()) || e.ErrorInfo().GetMetadata()["state"] != "TASK_STATE_WORKING" {
			t.Errorf("%s: %v", w.name, e)
		}
	}
}

// Whoever prefers application/a2a+json gets it, on a success too.
func TestFinding_P09_media_type_of_a_success(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.task(t, versioned)
	for accept, want := range map[string]string{
		"":                     "application/json",
		"*/*":                  "application/json",
		"application/json":     "application/json",
		"application/a2a+json": "application/a2a+json",
		"application/a2a+json, application/json;q=0.9": "application/a2a+json",
		"application/a2a+json;q=0.1, application/json": "application/json",
	} {
		header := map[string]string{"A2A-Version": "1.0"}
		if accept != "" {
			header["Accept"] = accept
		}
		for path, status := range map[string]int{"/tasks/" + id: http.StatusOK, "/tasks/nope": http.StatusNotFound} {
			response, body := h.do(t, http.MethodGet, path, "", header)
			if response.StatusCode != status || response.Header.Get("Content-Type") != want || !json.Valid([]byte(body)) {
				t.Errorf("%q of %s: HTTP %d, %s, want %s", accept, path, response.StatusCode, response.Header.Get("Content-Type"), want)
			}
		}
	}
	header := map[string]string{"A2A-Version": "1.0", "Content-Type": "application/a2a+json"}
	if response, body := h.do(t, http.MethodPost, "/message:send", request{params: message("hello")}.json(t), header); response.StatusCode != http.StatusOK {
		t.Errorf("a request of the type: HTTP %d, %s", response.StatusCode, body)
	}
}

// The card is kept by caches, and is asked for again by its tag (A2A section 8.6).
func TestFinding_P13_card_caching(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	const path = "/.well-known/agent-card.json"
	full, body := h.do(t, http.MethodGet, path, "", nil)
	tag := full.Header.Get("ETag")
	if !strings.Contains(full.Header.Get("Cache-Control"), "max-age=") || !strings.HasPrefix(tag, `"`) || full.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %v", full.Header)
	}
	for match, status := range map[string]int{tag: http.StatusNotModified, "W/" + tag: http.StatusNotModified, `"x", ` + tag: http.StatusNotModified, "*": http.StatusNotModified, `"x"`: http.StatusOK} {
		response, answer := h.do(t, http.MethodGet, path, "", map[string]string{"If-None-Match": match})
		if response.StatusCode != status || response.Header.Get("ETag") != tag || response.Header.Get("Cache-Control") != full.Header.Get("Cache-Control") ||
			status == http.StatusNotModified && answer != "" || status == http.StatusOK && answer != body {
			t.Errorf("%s: HTTP %d, %v, %q", match, response.StatusCode, response.Header, answer)
		}
	}
	if response, answer := h.do(t, http.MethodHead, path, "", nil); response.StatusCode != http.StatusOK || response.Header.Get("ETag") != tag || answer != "" {
		t.Errorf("HEAD: HTTP %d, %v", response.StatusCode, response.Header)
	}
	if response, _ := h.do(t, http.MethodPost, path, "{}", nil); response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("POST: HTTP %d, %v", response.StatusCode, response.Header)
	}
	response, _ := h.do(t, http.MethodOptions, path, "", map[string]string{"Origin": "https://example.com", "Access-Control-Request-Method": "GET"})
	if response.StatusCode != http.StatusNoContent || response.Header.Get("Access-Control-Allow-Origin") != "*" || response.Header.Get("Access-Control-Allow-Headers") == "" {
		t.Errorf("OPTIONS: HTTP %d, %v", response.StatusCode, response.Header)
	}
	if again, _ := newHarness(t).do(t, http.MethodGet, path, "", nil); again.Header.Get("ETag") != tag {
		t.Error("the same card has another tag after a restart")
	}
}

// taskIn has the agent make a task of the first text, and say the others to it.
func (h *harness) taskIn(t *testing.T, first string, others ...string) string {
	t.Helper()
	id := h.say(t, "", first)
	for _, text := range others {
		h.say(t, id, text)
	}
	return id
}

// say sends a message to a task, or begins one, and returns its id.
func (h *harness) say(t *testing.T, id, text string) string {
	t.Helper()
	m := message(text)
	m.Message.TaskId = id
	m.Message.MessageId = "m-" + id + text
	ctx := metadata.AppendToOutgoingContext(t.Context(), "A2A-Version", "1.0")
	response, err := a2apb.NewA2AServiceClient(h.grpc).SendMessage(ctx, m)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return response.GetTask().GetId()
}

// canceled has the agent make a task that is canceled.
func (h *harness) canceled(t *testing.T) string {
	t.Helper()
	id := h.say(t, "", "ask")
	ctx := metadata.AppendToOutgoingContext(t.Context(), "A2A-Version", "1.0")
	if _, err := a2apb.NewA2AServiceClient(h.grpc).CancelTask(ctx, &a2apb.CancelTaskRequest{Id: id}); err != nil {
		t.Fatal(err)
	}
	return id
}

// watch subscribes to a task and returns what it sees until the stream ends.
func (h *harness) watch(t *testing.T, id string, begun chan<- struct{}) (seen []string) {
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "A2A-Version", "1.0"), 20*time.Second)
	defer cancel()
	begin := func() {
		if begun != nil {
			close(begun)
			begun = nil
		}
	}
	defer begin()
	stream, err := a2apb.NewA2AServiceClient(h.grpc).SubscribeToTask(ctx, &a2apb.SubscribeToTaskRequest{Id: id})
	if err != nil {
		t.Error(err)
		return nil
	}
	for {
		event, err := stream.Recv()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				seen = append(seen, err.Error())
			}
			return seen
		}
		switch {
		case event.GetTask() != nil:
			seen = append(seen, event.GetTask().GetStatus().GetState().String())
		case event.GetStatusUpdate() != nil:
			seen = append(seen, event.GetStatusUpdate().GetStatus().GetState().String())
		case event.GetArtifactUpdate() != nil:
			seen = append(seen, "artifact")
		}
		begin()
	}
}
