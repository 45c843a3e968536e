package server

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/errmap"
)

// What is said of calls that are refused for what others do.
const (
	textManyCalls   = "too many calls at the same time"
	textManyStreams = "too many streams at the same time"
	textBusy        = "too many answers wait for their callers"

	// busyDelay is when one would try again: answers that nobody takes are gone after
	// Times.Write, and others sooner.
	busyDelay = time.Second
)

// busy is the error of a call for whose answer there is no room.
func (h *handler) busy() *errmap.Error {
	return errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, textBusy).
		WithDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(busyDelay)})
}
