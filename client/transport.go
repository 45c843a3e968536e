package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/jsonrpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// ProtocolName is what connect.CallInfo.Protocol says of a call through this
// transport.
const ProtocolName = errmapconnect.ProtocolNameJSONRPC

const (
	contentTypeJSON   = "application/json"
	contentTypeEvents = "text/event-stream"
)

// New returns a transport that sends calls to the JSON-RPC endpoint at url. It is
// safe for concurrent use. A nil client means http.DefaultClient; a client with
// a timeout of its own ends calls with DEADLINE_EXCEEDED.
func New(httpClient *http.Client, url string, opts ...Option) connect.Transport {
	if httpClient == nil {
		httpClient = http.DefaultClient
	}
	t := &transport{client: httpClient, url: url, options: newOptions(opts)}
	if t.batchMax > 0 {
		t.batcher = &batcher{transport: t, open: map[string]*batch{}}
	}
	return t
}

type transport struct {
	options
	client  *http.Client
	url     string
	last    atomic.Int64
	batcher *batcher
}

// NewClientStream opens a call; nothing is sent before its first Receive.
func (t *transport) NewClientStream(ctx context.Context, spec connect.Spec) (connect.ClientStream, error) {
	if spec.StreamType != connect.StreamTypeUnary && spec.StreamType != connect.StreamTypeServer {
		return nil, failed(connect.CodeUnimplemented, fmt.Sprintf("JSON-RPC has no form for the client streaming of %s", spec.Procedure), nil)
	}
	info, _ := connect.CallInfoForClientContext(ctx)
	if info == nil {
		info = new(connect.CallInfo)
	}
	info.Spec, info.Protocol, info.Codec = spec, ProtocolName, connect.CodecNameJSON
	info.RequestEncoding, info.ResponseEncoding = connect.CompressionNameIdentity, connect.CompressionNameIdentity
	ctx, cancel := context.WithCancel(ctx)
	return &stream{transport: t, ctx: ctx, cancel: cancel, spec: spec, info: info, sent: make(chan struct{})}, nil
}

// nextID returns an id that no other call of the transport has.
func (t *transport) nextID() jsonrpc.ID {
	return strconv.AppendInt(nil, t.last.Add(1), 10)
}

// post sends a body and returns the response, its body not yet read.
func (t *transport) post(ctx context.Context, header http.Header, body []byte, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return nil, failed(connect.CodeInternal, "the request cannot be made", err)
	}
	for key, values := range header {
		req.Header[key] = values
	}
	req.Header.Set("Content-Type", contentTypeJSON)
	req.Header.Set("Accept", accept)
	if deadline, ok := ctx.Deadline(); ok {
		req.Header.Set("Connect-Timeout-Ms", strconv.FormatInt(max(time.Until(deadline).Milliseconds(), 0), 10))
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return nil, localError(ctx, err)
	}
	return resp, nil
}

// readAll reads the body of a response within the limit, and closes it.
func (t *transport) readAll(ctx context.Context, resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	body, err := jsonrpc.ReadBody(nil, resp.Body, t.maxResponse)
	switch {
	case errors.Is(err, jsonrpc.ErrTooLarge) && resp.StatusCode/100 == 2:
		return nil, failed(connect.CodeResourceExhausted, fmt.Sprintf("the answer is larger than %d bytes", t.maxResponse), nil)
	case errors.Is(err, jsonrpc.ErrTooLarge):
		return nil, nil // the HTTP status is answer enough
	case err != nil:
		return nil, cutError(ctx, err)
	}
	return body, nil
}

// answer returns the result of a single response to the call of that id.
func (t *transport) answer(body []byte, id jsonrpc.ID, resp *http.Response) ([]byte, error) {
	var parser jsonrpc.Parser
	responses, err := parser.ParseResponses(body, jsonrpc.Rules{})
	if err != nil || responses.Batch {
		return nil, t.statusError(body, resp)
	}
	return t.outcome(&responses.Items[0], body, id, resp)
}

// outcome returns the result of a response, or its error.
func (t *transport) outcome(r *jsonrpc.Response, body []byte, id jsonrpc.ID, resp *http.Response) ([]byte, error) {
	anonymous := r.ID == nil || r.ID.IsNull()
	asked := !anonymous && r.ID.Key() == id.Key()
	switch {
	case !r.Versioned && !asked && resp.StatusCode/100 != 2:
		return nil, t.statusError(body, resp) // an error of what stands before the server
	case r.Error != nil && (anonymous || asked):
		return nil, t.responseError(r, resp)
	case r.Invalid != "":
		return nil, t.statusError(body, resp)
	case !asked:
		return nil, brokenError("the answer bears the id of another call", body, resp)
	}
	return r.Result, nil
}

func (t *transport) marshal(msg any) ([]byte, error) {
	m, ok := msg.(proto.Message)
	if !ok {
		return nil, failed(connect.CodeInternal, fmt.Sprintf("%T is no Protobuf message", msg), nil)
	}
	b, err := protojson.MarshalOptions{Resolver: t.catalog}.Marshal(m)
	if err != nil {
		return nil, failed(connect.CodeInternal, "the request has no JSON", err)
	}
	return jsonrpc.Compact(b), nil
}

func (t *transport) unmarshal(result []byte, msg any) error {
	m, ok := msg.(proto.Message)
	if !ok {
		return failed(connect.CodeInternal, fmt.Sprintf("%T is no Protobuf message", msg), nil)
	}
	if err := (protojson.UnmarshalOptions{Resolver: t.catalog, DiscardUnknown: true}).Unmarshal(result, m); err != nil {
		return protocolError("the result is not of the method's type", err)
	}
	return nil
}

// requestHeader returns what the caller set, without what is the transport's.
func requestHeader(info *connect.CallInfo) http.Header {
	h := http.Header{}
	for key, values := range info.RequestHeader().All() {
		switch key {
		case "Content-Type", "Content-Length", "Content-Encoding", "Accept", "Accept-Encoding", "Connect-Timeout-Ms", "Host", "Connection", "Transfer-Encoding":
		default:
			h[key] = values
		}
	}
	return h
}

// receiveHeader hands the header of a response to the caller.
func receiveHeader(info *connect.CallInfo, resp *http.Response) {
	for key, values := range resp.Header {
		if name, isTrailer := strings.CutPrefix(key, "Trailer-"); isTrailer {
			info.ResponseTrailer().SetValues(name, values)
			continue
		}
		info.ResponseHeader().SetValues(key, values)
	}
	if resp.Uncompressed {
		info.ResponseEncoding = connect.CompressionNameGzip
	}
}

// receiveTrailer hands the trailer of a response, whose body has been read to the
// end, to the caller.
func receiveTrailer(info *connect.CallInfo, resp *http.Response) {
	for key, values := range resp.Trailer {
		if len(values) > 0 {
			info.ResponseTrailer().SetValues(key, values)
		}
	}
}

// mediaType returns the media type of a response, "" where it has none.
func mediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}
