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
	textLeftOut     = "too many answers wait for their callers: the call was made, and its answer is left out"

	// busyDelay is when one would try again: answers that nobody takes are gone after
	// Times.Write, and others sooner.
	busyDelay = time.Second
)

// leftOut is the error of a call that was made and whose answer has no room. It has no
// delay: to try again would be to make the call twice.
func leftOut() *errmap.Error { return errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, textLeftOut) }

// busy is the error of a call that was not made, since its answer would have no room.
func busy() *errmap.Error {
	return errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, textBusy).
		WithDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(busyDelay)})
}
