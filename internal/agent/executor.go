package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// The words that a message begins with to have something other than an echo.
const (
	wordAsk  = "ask"
	wordWait = "wait"
	wordFail = "fail"
)

// maxWait is the longest that a task waits.
const maxWait = time.Minute

// upstreamText is what no caller may ever read.
const upstreamText = "dial tcp 10.0.0.7:5432: user=app"

// failures are what "fail <reason>" returns, as an agent built on the SDK would:
// the sentinels of the SDK, and the faults that must not speak.
var failures = map[string]error{
	"TASK_NOT_FOUND":                     a2a.ErrTaskNotFound,
	"TASK_NOT_CANCELABLE":                a2a.ErrTaskNotCancelable,
	"PUSH_NOTIFICATION_NOT_SUPPORTED":    a2a.ErrPushNotificationNotSupported,
	"UNSUPPORTED_OPERATION":              a2a.ErrUnsupportedOperation,
	"CONTENT_TYPE_NOT_SUPPORTED":         a2a.ErrUnsupportedContentType,
	"INVALID_AGENT_RESPONSE":             a2a.ErrInvalidAgentResponse,
	"EXTENDED_AGENT_CARD_NOT_CONFIGURED": a2a.ErrExtendedCardNotConfigured,
	"EXTENSION_SUPPORT_REQUIRED":         a2a.ErrExtensionSupportRequired,
	"VERSION_NOT_SUPPORTED":              a2a.ErrVersionNotSupported,
	"INVALID_PARAMS":                     a2a.ErrInvalidParams,
	"UNAUTHENTICATED":                    a2a.ErrUnauthenticated,
	"INTERNAL":                           errors.New(upstreamText),
}

// executor is the agent's work: it echoes, asks, waits, and fails when told to.
type executor struct {
	stopped <-chan struct{} // closed when the server ends
}

// Execute implements [a2asrv.AgentExecutor].
func (x executor) Execute(ctx context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if named, ok := a2asrv.ExtensionsFrom(ctx); ok && named.Requested(strictExtension()) {
			named.Activate(strictExtension())
		}
		text, err := readText(ec.Message)
		if err != nil {
			yield(nil, err)
			return
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		switch word {
		case wordFail:
			x.fail(ec, strings.TrimSpace(rest), yield)
		case wordAsk:
			x.ask(ec, yield)
		case wordWait:
			x.wait(ctx, ec, strings.TrimSpace(rest), yield)
		default:
			x.echo(ec, text, yield)
		}
	}
}

// Cancel implements [a2asrv.AgentExecutor].
func (x executor) Cancel(_ context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCanceled, nil), nil)
	}
}

func (x executor) echo(ec *a2asrv.ExecutorContext, text string, yield func(a2a.Event, error) bool) {
	if ec.StoredTask == nil && !yield(a2a.NewSubmittedTask(ec, ec.Message), nil) {
		return
	}
	if !yield(a2a.NewArtifactEvent(ec, a2a.NewTextPart(text)), nil) {
		return
	}
	yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCompleted, nil), nil)
}

// ask has the task wait for another message.
func (x executor) ask(ec *a2asrv.ExecutorContext, yield func(a2a.Event, error) bool) {
	if ec.StoredTask == nil && !yield(a2a.NewSubmittedTask(ec, ec.Message), nil) {
		return
	}
	question := a2a.NewMessageForTask(a2a.MessageRoleAgent, ec, a2a.NewTextPart("And then?"))
	yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateInputRequired, question), nil)
}

func (x executor) wait(ctx context.Context, ec *a2asrv.ExecutorContext, rest string, yield func(a2a.Event, error) bool) {
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 || d > maxWait {
		yield(nil, a2a.NewError(a2a.ErrInvalidParams, fmt.Sprintf("say how long to wait, up to %v, such as \"wait 5s\"", maxWait)))
		return
	}
	if ec.StoredTask == nil && !yield(a2a.NewSubmittedTask(ec, ec.Message), nil) {
		return
	}
	if !yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateWorking, nil), nil) {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCompleted, nil), nil)
	case <-ctx.Done():
	case <-x.stopped:
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateFailed, nil), nil)
	}
}

func (x executor) fail(ec *a2asrv.ExecutorContext, reason string, yield func(a2a.Event, error) bool) {
	switch err := failures[reason]; {
	case reason == "PANIC":
		panic(upstreamText)
	case reason == "INVALID_AGENT_RESPONSE" && ec.StoredTask == nil:
		// The SDK's own rule finds this one: a task must come before its status.
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateWorking, nil), nil)
	case err != nil:
		yield(nil, fmt.Errorf("failing on purpose: %w", err))
	default:
		yield(nil, a2a.NewError(a2a.ErrInvalidParams, "the agent fails with one of: "+strings.Join(failureNames(), ", ")))
	}
}

func failureNames() []string {
	names := []string{"PANIC"}
	for name := range failures {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// readText returns the text of a message, whose parts must all be text.
func readText(m *a2a.Message) (string, error) {
	var texts []string
	for _, part := range m.Parts {
		text, ok := part.Content.(a2a.Text)
		if !ok || part.MediaType != "" && part.MediaType != mediaText {
			return "", a2a.NewError(a2a.ErrUnsupportedContentType, "").
				WithErrorInfoMeta(map[string]string{"mediaType": part.MediaType, "supported": mediaText})
		}
		texts = append(texts, string(text))
	}
	return strings.Join(texts, "\n"), nil
}
