package errmap_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"

	connectv1 "connectrpc.com/connect"
	connectv2 "connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errmap/errmap/errmap"
)

// peer is a program without errmap that reads an error with its own library and
// writes it again; false where it cannot.
type peer struct {
	name  string
	wires string
	hop   func(p packet) (packet, bool)
}

var peers = []peer{
	{"encoding/json", "connect statusjson http problem jsonrpc/generic jsonrpc/a2a jsonrpc/mcp", func(p packet) (packet, bool) {
		var v any
		if json.Unmarshal(p.body, &v) != nil {
			return p, false
		}
		b, err := json.Marshal(v)
		return packet{status: p.status, body: b}, err == nil
	}},
	{"protojson", "statusjson", func(p packet) (packet, bool) {
		s := new(statuspb.Status)
		if protojson.Unmarshal(p.body, s) != nil {
			return p, false
		}
		b, err := protojson.MarshalOptions{Multiline: true}.Marshal(s)
		return packet{status: p.status, body: b}, err == nil
	}},
	// It drops the members that it does not know, which an error that carries has.
	{"a gateway with protojson", "http", func(p packet) (packet, bool) {
		var members struct{ Error map[string]json.RawMessage }
		if json.Unmarshal(p.body, &members) != nil || len(members.Error) > 4 {
			return p, false
		}
		var outer struct {
			Error struct {
				Code    int
				Message string
				Status  string
				Details json.RawMessage
			}
		}
		s := new(statuspb.Status)
		if json.Unmarshal(p.body, &outer) != nil || outer.Error.Details == nil || protojson.Unmarshal([]byte(`{"details":`+string(outer.Error.Details)+`}`), s) != nil {
			return p, false
		}
		details := make([]json.RawMessage, len(s.GetDetails()))
		for i, d := range s.GetDetails() {
			b, err := protojson.Marshal(d)
			if err != nil {
				return p, false
			}
			details[i] = b
		}
		b, err := json.Marshal(map[string]any{"error": map[string]any{
			"code": outer.Error.Code, "message": outer.Error.Message, "status": outer.Error.Status, "details": details,
		}})
		return packet{status: p.status, body: b}, err == nil
	}},
	{"grpc-go", "status", func(p packet) (packet, bool) {
		s := new(statuspb.Status)
		if proto.Unmarshal(p.body, s) != nil {
			return p, false
		}
		again, ok := status.FromError(status.FromProto(s).Err())
		if !ok {
			return p, false
		}
		b, err := proto.Marshal(again.Proto())
		return packet{body: b}, err == nil
	}},
	{"grpc-go over HTTP/2", "grpc", func(p packet) (packet, bool) {
		h := http.Header{}
		for name, values := range p.headers {
			h[http.CanonicalHeaderKey(name)] = values
		}
		number, err := strconv.ParseUint(h.Get("Grpc-Status"), 10, 31)
		if err != nil {
			return p, false
		}
		s := &statuspb.Status{Code: int32(number)}
		if values := h["Grpc-Message"]; len(values) > 0 {
			s.Message = errmap.PercentDecode(values[0])
		}
		if values := h["Grpc-Status-Details-Bin"]; len(values) > 0 {
			b, err := base64.RawStdEncoding.DecodeString(values[0])
			if err != nil || proto.Unmarshal(b, s) != nil {
				return p, false
			}
		}
		again := status.Convert(status.ErrorProto(s))
		b, err := proto.Marshal(again.Proto())
		return packet{headers: map[string][]string{
			"Grpc-Status":             {strconv.Itoa(int(codes.Code(again.Code())))},
			"Grpc-Message":            {errmap.PercentEncode(again.Message())},
			"Grpc-Status-Details-Bin": {base64.RawStdEncoding.EncodeToString(b)},
		}}, err == nil
	}},
	{"connect v1", "connect grpc", knownMembers(connectV1)},
	{"connect v2", "connect grpc", knownMembers(connectV2)},
}

// knownMembers keeps from a peer what it would drop: members that its wire does not
// have stand where they stood, and it knows no place for them.
func knownMembers(hop func(packet) (packet, bool)) func(packet) (packet, bool) {
	return func(p packet) (packet, bool) {
		var body struct {
			Details []map[string]json.RawMessage `json:"details"`
		}
		var members map[string]json.RawMessage
		if p.body == nil {
			return hop(p)
		}
		if json.Unmarshal(p.body, &members) != nil || json.Unmarshal(p.body, &body) != nil {
			return p, false
		}
		for _, name := range []string{"code", "message", "details"} {
			delete(members, name)
		}
		for _, d := range body.Details {
			delete(d, "debug")
			if len(d) > 2 {
				return p, false
			}
		}
		if len(members) > 0 {
			return p, false
		}
		return hop(p)
	}
}

// answer is an HTTP client whose server says always the same.
type answer packet

func (a answer) Do(r *http.Request) (*http.Response, error) { return a.RoundTrip(r) }

func (a answer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	response := &http.Response{
		StatusCode: a.status, ProtoMajor: 2, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(a.body)), Request: r,
	}
	if a.headers != nil {
		response.StatusCode, response.Trailer = 200, http.Header{}
		response.Header.Set("Content-Type", "application/grpc+proto")
		for name, values := range a.headers {
			response.Trailer[http.CanonicalHeaderKey(name)] = values
		}
	}
	return response, nil
}

// written returns what an error writer put into a response.
func written(p packet, write func(http.ResponseWriter, *http.Request) error) (packet, bool) {
	request := httptest.NewRequest(http.MethodPost, "/shop.v1.Cart/Ping", nil)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Connect-Protocol-Version", "1")
	if p.headers != nil {
		request.Header.Set("Content-Type", "application/grpc+proto")
	}
	recorder := httptest.NewRecorder()
	if write(recorder, request) != nil {
		return p, false
	}
	if p.headers == nil {
		return packet{status: recorder.Code, body: recorder.Body.Bytes()}, true
	}
	headers := maps.Clone(map[string][]string(recorder.Result().Header))
	maps.Copy(headers, recorder.Result().Trailer)
	return packet{headers: headers}, true
}

func connectV1(p packet) (packet, bool) {
	options := []connectv1.ClientOption{connectv1.WithProtoJSON()}
	if p.headers != nil {
		options = []connectv1.ClientOption{connectv1.WithGRPC()}
	}
	client := connectv1.NewClient[emptypb.Empty, emptypb.Empty](answer(p), "http://localhost/shop.v1.Cart/Ping", options...)
	_, err := client.CallUnary(context.Background(), connectv1.NewRequest(new(emptypb.Empty)))
	var wire *connectv1.Error
	if !errors.As(err, &wire) {
		return p, false
	}
	rebuilt := connectv1.NewError(wire.Code(), errors.New(wire.Message()))
	for _, d := range wire.Details() {
		rebuilt.AddDetail(d)
	}
	return written(p, func(w http.ResponseWriter, r *http.Request) error {
		return connectv1.NewErrorWriter().Write(w, r, rebuilt)
	})
}

func connectV2(p packet) (packet, bool) {
	options := []connecthttp.Option{connecthttp.WithProtoJSON()}
	if p.headers != nil {
		options = []connecthttp.Option{connecthttp.WithGRPC()}
	}
	client := connectv2.NewClient(connecthttp.NewTransport(answer(p), "http://localhost", options...))
	err := client.CallUnary(context.Background(), connectv2.Spec{Procedure: "/shop.v1.Cart/Ping"}, new(emptypb.Empty), new(emptypb.Empty))
	var wire *connectv2.Error
	if !errors.As(err, &wire) {
		return p, false
	}
	rebuilt := connectv2.NewError(wire.Code(), wire.Message())
	for _, d := range wire.Details() {
		rebuilt = rebuilt.WithDetail(d)
	}
	return written(p, func(w http.ResponseWriter, r *http.Request) error {
		return connecthttp.NewErrorWriter().Write(w, r, rebuilt)
	})
}

// A peer that reads with its own library and writes again loses nothing of an
// error, whatever it rode on before, where that library leaves a body's values
// as they are: so the generator keeps to numbers and text that do.
func TestProperty_peers_without_errmap(t *testing.T) {
	t.Parallel()
	failed := 0
	passed := map[string]int{}
	for i := range cases(t, 600) {
		g := newGenerator(seed(t)+3000, uint64(i))
		g.tame = true
		e, from, in := g.received()
		var way trail
		way.add(from.name, in, e)
		now := e
		for range 1 + g.IntN(6) {
			w := pick(g, allWires...)
			p := w.encode(now)
			way.add("to "+w.name, p, now)
			for _, k := range g.Perm(len(peers))[:3] {
				peer := peers[k]
				if !strings.Contains(" "+peer.wires+" ", " "+w.name+" ") {
					continue
				}
				if again, ok := peer.hop(p); ok {
					passed[peer.name]++
					p = again
					way.add("through "+peer.name, p, nil)
				}
			}
			back, err := w.decode(p)
			if err != nil {
				t.Fatalf("case %d: %v\n\t%s", i, err, way)
			}
			now = back
			way.add("as", p, now)
			if s := difference(e, now, semantically); s != "" {
				t.Errorf("case %d: %s\n\t%s", i, s, way)
				failed++
				break
			}
		}
		if failed > 3 {
			t.FailNow()
		}
	}
	for _, peer := range peers {
		if passed[peer.name] == 0 {
			t.Errorf("no error passed through %s", peer.name)
		}
	}
}

// A peer that changes what it does not understand, numbers and doubled names and
// lone surrogates, costs an error those and neither its code nor its message.
func TestProperty_peers_that_change_JSON(t *testing.T) {
	t.Parallel()
	for i := range cases(t, 500) {
		g := newGenerator(seed(t)+10_000, uint64(i))
		e, _, _ := g.received()
		for _, w := range allWires {
			if !w.json {
				continue
			}
			p, ok := peers[0].hop(w.encode(e))
			if !ok {
				continue // a number that no double is
			}
			back, err := w.decode(p)
			if err != nil || back.Code() != e.Code() || back.Message() != e.Message() {
				t.Fatalf("case %d, %s: %v in %s\n\tof %s\n\tas %s", i, w.name, err, p, describe(e), describe(back))
			}
			var want, got []string
			for _, d := range e.Details() {
				if _, ok := d.Value(); ok && strings.HasPrefix(string(d.Name()), "google.rpc.") {
					want = append(want, string(d.Name()))
				}
			}
			for _, d := range back.Details() {
				if strings.HasPrefix(string(d.Name()), "google.rpc.") {
					got = append(got, string(d.Name()))
				}
			}
			if len(got) < len(want) {
				t.Fatalf("case %d, %s: details %q became %q\n\tin %s", i, w.name, want, got, p)
			}
		}
	}
}

// sameJSON tells whether two JSON texts say the same to a decoder.
func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
