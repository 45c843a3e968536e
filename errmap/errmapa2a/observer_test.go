package errmapa2a_test

import (
	"errors"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	"github.com/errmap/errmap/internal/adaptertest"
)

func TestWithObserver(t *testing.T) {
	t.Parallel()
	var here, there adaptertest.Events
	server := errmapa2a.ServerInterceptor(errmapa2a.WithGuard(adaptertest.Quiet()), errmapa2a.WithObserver(there.Observe))
	client := errmapa2a.ClientInterceptor(errmapa2a.WithObserver(here.Observe))
	ctx, call := a2asrv.NewCallContext(t.Context(), nil)
	sent := &a2asrv.Response{Err: errors.New(adaptertest.Secret)}
	if err := errors.Join(server.After(ctx, call, sent), server.After(ctx, call, &a2asrv.Response{})); err != nil {
		t.Fatal(err)
	}
	adaptertest.CheckHiddenEvent(t, there.Take(), errmap.ServerSide, "", 0)
	if err := client.After(t.Context(), &a2aclient.Response{Method: "SendMessage"}); err != nil {
		t.Fatal(err)
	}
	if err := client.After(t.Context(), &a2aclient.Response{Method: "SendMessage", Err: sent.Err}); err != nil {
		t.Fatal(err)
	}
	if events := here.Take(); len(events) != 1 || !events[0].Sent.Remote() || events[0].Procedure != "SendMessage" || events[0].Side != errmap.ClientSide {
		t.Errorf("told %+v", events)
	}
}
