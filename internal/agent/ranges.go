package agent

import (
	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap/errmapa2a"
)

// maxPage is the largest page of tasks (A2A section 3.1.4).
const maxPage = 100

// checkRanges refuses a request whose numbers are out of the range that the
// specification gives them, and names every such field.
func checkRanges(m proto.Message) error {
	var found []*errdetails.BadRequest_FieldViolation
	outside := func(set *int32, low, high int32, field, description string) {
		if set != nil && (*set < low || high > 0 && *set > high) {
			found = append(found, &errdetails.BadRequest_FieldViolation{Field: field, Description: description, Reason: "OUT_OF_RANGE"})
		}
	}
	const history = "must not be negative"
	switch m := m.(type) {
	case *a2apb.ListTasksRequest:
		// The SDK's client sends 0 over gRPC where its caller sets none.
		outside(m.PageSize, 0, maxPage, "pageSize", "must be from 1 to 100")
		outside(m.HistoryLength, 0, 0, "historyLength", history)
	case *a2apb.GetTaskRequest:
		outside(m.HistoryLength, 0, 0, "historyLength", history)
	case *a2apb.SendMessageRequest:
		if c := m.GetConfiguration(); c != nil {
			outside(c.HistoryLength, 0, 0, "configuration.historyLength", history)
		}
	}
	if found == nil {
		return nil
	}
	return errmapa2a.InvalidParams(&errdetails.BadRequest{FieldViolations: found})
}

// badToken is the error of a page token that this agent did not make.
func badToken(cause error) error {
	return errmapa2a.InvalidParams(cause, &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
		{Field: "pageToken", Description: "must be a nextPageToken of this agent", Reason: "UNKNOWN_TOKEN"},
	}})
}
