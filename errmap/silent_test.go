package errmap_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errmap/errmap/errmap"
)

// What stands for a mistake of the program, or for an error that is for nobody, is
// hidden and logged as what it stands for.
func TestGuard_Outgoing_stand_ins(t *testing.T) {
	t.Parallel()
	var typedNil *errmap.Error
	for name, row := range map[string]struct {
		err  error
		logs string
	}{
		"a message without the option": {errmap.New(&emptypb.Empty{}), "google.protobuf.Empty"},
		"any Go error":                 {errmap.From(errors.New("dial tcp 10.0.0.7")), "dial tcp 10.0.0.7"},
		"OK":                           {errmap.NewCode(code.Code_OK, "all is well"), "a nil *errmap.Error was returned as an error; OK is no error"},
		"a typed nil":                  {typedNil, "a nil *errmap.Error was returned as an error; OK is no error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var logged errmap.Report
			g := errmap.NewGuard(errmap.WithLog(func(_ context.Context, r errmap.Report) { logged = r }))
			e := g.Outgoing(t.Context(), row.err)
			if logged.Err == nil || !strings.Contains(logged.Err.Error(), row.logs) {
				t.Errorf("logged %v, want %q", logged.Err, row.logs)
			}
			info, ok := errmap.Detail[*errdetails.RequestInfo](e)
			if e.Message() != "internal error" || !ok || info.GetRequestId() != logged.ID {
				t.Errorf("the caller gets %v with %v", e, info)
			}
			// A second guard, of a mount, leaves what the first made.
			if again := g.Outgoing(t.Context(), e); again != e {
				t.Errorf("again: %v", again)
			}
		})
	}
}
