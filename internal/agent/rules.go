package agent

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"

	"github.com/errmap/errmap/errmap/errmapa2a"
)

// rules are those of A2A that the SDK's handler does not keep: a task that is not
// the caller's does not exist for any operation (section 13.1), one that has ended
// takes neither a message (3.1.1, 3.1.2) nor a subscription (3.1.6), and one that
// waits for input can be subscribed to (3.1.6).
//
// They stand below the SDK's own checks of required extensions, which come first.
type rules struct {
	a2asrv.RequestHandler
	store   taskstore.Store
	queues  *queues
	streams bool            // the capability
	stopped <-chan struct{} // closed when the server ends
}

// SendMessage implements [a2asrv.RequestHandler]. The SDK sends the whole history,
// however much was asked for (section 3.2.4).
func (r rules) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	if err := r.addressee(ctx, req); err != nil {
		return nil, err
	}
	result, err := r.RequestHandler.SendMessage(ctx, req)
	if task, ok := result.(*a2a.Task); ok && req.Config != nil && req.Config.HistoryLength != nil {
		if n := *req.Config.HistoryLength; n < len(task.History) {
			shorter := *task // which others may be reading
			shorter.History = task.History[len(task.History)-n:]
			result = &shorter
		}
	}
	return result, r.refused(ctx, req, err)
}

// SendStreamingMessage implements [a2asrv.RequestHandler].
func (r rules) SendStreamingMessage(ctx context.Context, req *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if r.streams {
			if err := r.addressee(ctx, req); err != nil {
				yield(nil, err)
				return
			}
		}
		for event, err := range r.RequestHandler.SendStreamingMessage(ctx, req) {
			if !yield(event, r.refused(ctx, req, err)) {
				return
			}
		}
	}
}

// CancelTask implements [a2asrv.RequestHandler].
func (r rules) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	if _, err := r.store.Get(ctx, req.ID); err != nil {
		return nil, err
	}
	return r.RequestHandler.CancelTask(ctx, req)
}

// ListTasks implements [a2asrv.RequestHandler]. To the SDK a page token that it
// did not make is a body that is no JSON.
func (r rules) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	response, err := r.RequestHandler.ListTasks(ctx, req)
	if errors.Is(err, a2a.ErrParseError) && req.PageToken != "" {
		return nil, badToken(err)
	}
	return response, err
}

// addressee is the error of a message to a task that is not the caller's.
func (r rules) addressee(ctx context.Context, req *a2a.SendMessageRequest) error {
	if req.Message == nil || req.Message.TaskID == "" {
		return nil
	}
	_, err := r.store.Get(ctx, req.Message.TaskID)
	return err
}

// The SDK has no sentinel for these two, which it makes of a message to a task
// that is being worked on, or canceled.
const (
	executing = "task execution is already in progress"
	canceling = "task cancelation is in progress"
)

// refused returns the error of a message that its task does not take, as the
// standard has it. The SDK answers for a task that has ended as for parameters
// that are wrong, and for one that is being worked on as for a fault.
func (r rules) refused(ctx context.Context, req *a2a.SendMessageRequest, err error) error {
	if err == nil || req.Message == nil || req.Message.TaskID == "" {
		return err
	}
	busy := strings.HasSuffix(err.Error(), executing) || strings.HasSuffix(err.Error(), canceling)
	if !busy && !errors.Is(err, a2a.ErrInvalidParams) {
		return err
	}
	stored, notFound := r.store.Get(ctx, req.Message.TaskID)
	if notFound != nil || !busy && !stored.Task.Status.State.Terminal() {
		return err
	}
	return unsupported(stored.Task, err)
}

// unsupported is the error of an operation that a task does not support in the
// state that it is in.
func unsupported(task *a2a.Task, cause error) error {
	data := map[string]string{"taskId": string(task.ID), "state": task.Status.State.String()}
	return errmapa2a.UnsupportedOperation(data, cause)
}
