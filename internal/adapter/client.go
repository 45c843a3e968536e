package adapter

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"

	"github.com/errmap/errmap/errmap"
)

// Client is the client's side of an adapter: how errors are read, and who is told.
type Client struct {
	Decode   []errmap.DecodeOption
	Observer errmap.Observer
}

// AddDecoding adds options of decoding.
func (c *Client) AddDecoding(opts []errmap.DecodeOption) {
	c.Decode = append(slices.Clip(c.Decode), opts...)
}

// Call is one call of a client. The error of a stream shows in each of its
// operations; the observer is told of the first.
type Call struct {
	Procedure string
	told      atomic.Bool
}

// Failed tells the observer that an operation of a call returned an error, which it
// returns. io.EOF, the end of a stream, is none.
func (c *Client) Failed(ctx context.Context, call *Call, wire errmap.Wire, err error) error {
	if c.Observer == nil || err == nil {
		return err
	}
	sent, ok := errors.AsType[*errmap.Error](err)
	if !ok && errors.Is(err, io.EOF) || call.told.Swap(true) {
		return err
	}
	c.Observer.Observe(ctx, errmap.Event{Procedure: call.Procedure, Wire: wire, Side: errmap.ClientSide, Err: err, Sent: sent})
	return err
}
