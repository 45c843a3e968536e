package agent

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv/eventqueue"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
)

// errStopped ends the subscriptions that wait when the server stops. Work that runs
// then ends its task itself.
var errStopped = errmap.NewCode(code.Code_UNAVAILABLE, "the server is shutting down")

// SubscribeToTask implements [a2asrv.RequestHandler]. Where the SDK knows only
// tasks that are being worked on, this is of the task: it lasts from one piece of
// work to the next, until the task ends.
func (r rules) SubscribeToTask(ctx context.Context, req *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	if !r.streams {
		return r.RequestHandler.SubscribeToTask(ctx, req)
	}
	return func(yield func(a2a.Event, error) bool) {
		stored, err := r.store.Get(ctx, req.ID)
		switch {
		case err != nil:
			yield(nil, err)
			return
		case stored.Task.Status.State.Terminal():
			yield(nil, unsupported(stored.Task, nil))
			return
		}
		version := taskstore.TaskVersionMissing
		for over := false; !over; {
			if version, over = r.follow(ctx, req.ID, version, yield); ctx.Err() != nil && !over {
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// follow hands on what one piece of work does to a task, and before it the task
// itself, where something happened since the version. The subscription is over
// with the task, or with whoever reads it.
func (r rules) follow(
	ctx context.Context, id a2a.TaskID, since taskstore.TaskVersion, yield func(a2a.Event, error) bool,
) (version taskstore.TaskVersion, over bool) {
	next := r.queues.next(ctx, id)
	defer next.close()
	stored, err := r.store.Get(ctx, id)
	if err != nil {
		yield(nil, err)
		return since, true
	}
	if stored.Version.After(since) {
		if !yield(stored.Task, nil) || stored.Task.Status.State.Terminal() {
			return stored.Version, true
		}
		since = stored.Version
	}
	for {
		message, err := next.read(ctx, r.stopped)
		switch {
		case errors.Is(err, eventqueue.ErrQueueClosed), err != nil && ctx.Err() != nil:
			return since, false
		case err != nil:
			yield(nil, err)
			return since, true
		case message.TaskVersion != taskstore.TaskVersionMissing && !message.TaskVersion.After(since):
			continue
		}
		if message.TaskVersion != taskstore.TaskVersionMissing {
			since = message.TaskVersion
		}
		if !yield(message.Event, nil) || hasEnded(message.Event) {
			return since, true
		}
	}
}

func hasEnded(event a2a.Event) bool {
	switch event := event.(type) {
	case *a2a.Task:
		return event.Status.State.Terminal()
	case *a2a.TaskStatusUpdateEvent:
		return event.Status.State.Terminal()
	}
	return false
}

// queues are the SDK's event queues, which live as long as one piece of work, and
// the readers that wait for the next one.
type queues struct {
	eventqueue.Manager

	mu      sync.Mutex
	working map[a2a.TaskID]bool
	waiting map[a2a.TaskID]map[*reader]bool
}

func newQueues() *queues {
	return &queues{
		Manager: eventqueue.NewInMemoryManager(),
		working: make(map[a2a.TaskID]bool),
		waiting: make(map[a2a.TaskID]map[*reader]bool),
	}
}

// CreateWriter implements [eventqueue.Manager]: work on a task begins.
func (q *queues) CreateWriter(ctx context.Context, id a2a.TaskID) (eventqueue.Writer, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	writer, err := q.Manager.CreateWriter(ctx, id)
	if err != nil {
		return nil, err
	}
	q.working[id] = true
	for r := range q.waiting[id] {
		r.connect(ctx)
	}
	delete(q.waiting, id)
	return writer, nil
}

// Destroy implements [eventqueue.Manager]: work on a task is over.
func (q *queues) Destroy(ctx context.Context, id a2a.TaskID) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.working, id)
	return q.Manager.Destroy(ctx, id)
}

// next returns a reader of the work on a task, now or when it begins. It is to be
// closed.
func (q *queues) next(ctx context.Context, id a2a.TaskID) *reader {
	r := &reader{queues: q, id: id, ready: make(chan struct{})}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.working[id] {
		r.connect(ctx)
		return r
	}
	if q.waiting[id] == nil {
		q.waiting[id] = make(map[*reader]bool)
	}
	q.waiting[id][r] = true
	return r
}

// reader reads the events of one piece of work.
type reader struct {
	queues *queues
	id     a2a.TaskID
	ready  chan struct{} // closed when queue or err is set
	queue  eventqueue.Reader
	err    error
}

// connect gives the reader its queue. The lock of the queues is held.
func (r *reader) connect(ctx context.Context) {
	r.queue, r.err = r.queues.Manager.CreateReader(ctx, r.id)
	close(r.ready)
}

func (r *reader) read(ctx context.Context, stopped <-chan struct{}) (*eventqueue.Message, error) {
	select {
	case <-r.ready:
	default:
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-stopped:
			return nil, errStopped
		case <-r.ready:
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.queue.Read(ctx)
}

func (r *reader) close() {
	r.queues.mu.Lock()
	if waiting := r.queues.waiting[r.id]; waiting[r] {
		delete(waiting, r)
		if len(waiting) == 0 {
			delete(r.queues.waiting, r.id)
		}
	}
	r.queues.mu.Unlock()
	if r.queue != nil {
		_ = r.queue.Close() // the reader of a queue that is closed has nothing to lose
	}
}
