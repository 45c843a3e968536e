package errmap_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
)

// maxFuzzed keeps fuzzers to bodies that are read quickly.
const maxFuzzed = 1 << 16

// seeds gives a fuzz target the bytes of random errors as they are written and
// as peers write them, n of each kind.
func seeds(f *testing.F, w wire, n int, add func(p packet)) {
	f.Helper()
	g := newGenerator(99, 1)
	for range n {
		add(g.input(w))
		e, _, _ := g.received()
		add(w.encode(e))
		add(w.encode(g.made()))
	}
}

// checkRead checks what a decoder made of foreign bytes: written on its own wire
// and on two others it comes back as the same error.
func checkRead(t *testing.T, e *errmap.Error, err error, w wire) {
	t.Helper()
	if err != nil {
		if e != nil {
			t.Fatalf("an error and %v", err)
		}
		return
	}
	if e.Number() == 0 || !utf8.ValidString(e.Message()) {
		t.Fatalf("read as %s", describe(e))
	}
	others := []wire{w, allWires[int(uint32(e.Number())%uint32(len(allWires)))], allWires[len(e.Message())%len(allWires)]}
	now := e
	for _, w := range others {
		back, p := hop(t, now, w)
		if s := difference(e, back, exactly); s != "" {
			t.Fatalf("%s: %s\n\tread %s\n\tas   %s\n\tback %s", w.name, s, describe(e), p, describe(back))
		}
		now = back
	}
}

func fuzzBody(f *testing.F, name string) {
	var w wire
	for _, w = range allWires {
		if w.name == name {
			break
		}
	}
	seeds(f, w, 8, func(p packet) { f.Add(p.status, p.body) })
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if len(body) > maxFuzzed || status < 0 || status > 999 {
			t.Skip()
		}
		e, err := w.decode(packet{status: status, body: body})
		checkRead(t, e, err, w)
	})
}

func FuzzDecodeConnect(f *testing.F)         { fuzzBody(f, "connect") }
func FuzzDecodeStatusJSON(f *testing.F)      { fuzzBody(f, "statusjson") }
func FuzzDecodeHTTP(f *testing.F)            { fuzzBody(f, "http") }
func FuzzDecodeProblem(f *testing.F)         { fuzzBody(f, "problem") }
func FuzzDecodeJSONRPC_generic(f *testing.F) { fuzzBody(f, "jsonrpc/generic") }
func FuzzDecodeJSONRPC_a2a(f *testing.F)     { fuzzBody(f, "jsonrpc/a2a") }
func FuzzDecodeJSONRPC_mcp(f *testing.F)     { fuzzBody(f, "jsonrpc/mcp") }

func FuzzDecodeGRPC(f *testing.F) {
	seeds(f, allWires[1], 10, func(p packet) {
		h := http.Header{}
		for name, values := range p.headers {
			h[http.CanonicalHeaderKey(name)] = values
		}
		bin, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(h.Get("Grpc-Status-Details-Bin"), "="))
		if err == nil {
			f.Add(h.Get("Grpc-Status"), h.Get("Grpc-Message"), bin, false)
		}
	})
	f.Add("5", "m", []byte("CAUSBGdvbmU="), true)
	f.Fuzz(func(t *testing.T, status, message string, details []byte, verbatim bool) {
		if len(details) > maxFuzzed || len(message) > maxFuzzed {
			t.Skip()
		}
		bin := base64.StdEncoding.EncodeToString(details)
		if verbatim {
			bin = string(details)
		}
		e, err := errmap.DecodeGRPC(map[string][]string{"Grpc-Status": {status}, "grpc-message": {message}, "grpc-status-details-bin": {bin}})
		checkRead(t, e, err, allWires[1])
		if err != nil {
			return
		}
		fitted := errmap.EncodeGRPC(e, errmap.WithBudget(200), quiet)
		size := 0
		for name, values := range fitted.Map() {
			size += len(name) + len(values[0]) + 32 // as HTTP/2 counts a line
		}
		if size > 200 {
			t.Fatalf("%d bytes, the budget was 200: %s", size, fitted)
		}
		cut, err := errmap.DecodeGRPC(fitted.Map())
		if err != nil || cut.Code() != e.Code() {
			t.Fatalf("%s of %s: %v, %v", fitted, describe(e), cut, err)
		}
	})
}

func FuzzFromStatus(f *testing.F) {
	seeds(f, allWires[2], 20, func(p packet) { f.Add(p.body) })
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > maxFuzzed {
			t.Skip()
		}
		s := new(statuspb.Status)
		if proto.Unmarshal(b, s) != nil {
			return
		}
		e, err := errmap.FromStatus(s)
		checkRead(t, e, err, allWires[2])
	})
}

func FuzzFromMap(f *testing.F) {
	for p := range errmap.Profiles() {
		seeds(f, allWires[6+p], 5, func(in packet) { f.Add(p, in.body) })
	}
	f.Fuzz(func(t *testing.T, profile int, body []byte) {
		if len(body) > maxFuzzed || profile < 0 || profile >= len(errmap.Profiles()) {
			t.Skip()
		}
		p := errmap.Profiles()[profile]
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		var m map[string]any
		if d.Decode(&m) != nil {
			return
		}
		e, err := errmap.FromMap(m, p)
		checkRead(t, e, err, rpcWire(p))
		if err != nil {
			return
		}
		back, err := errmap.FromMap(errmap.ToMap(e, p), p)
		if err != nil {
			t.Fatal(err)
		}
		// A map has no order, so JSON comes back as encoding/json spells it.
		if s := difference(e, back, semantically); s != "" {
			t.Fatalf("%s\n\tread %s\n\tback %s", s, describe(e), describe(back))
		}
	})
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, s := range []string{"7", "0", "-1", "007", "99999999999999999999", "Wed, 21 Oct 2026 07:28:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "1.5", "", " 3 ", "+5"} {
		f.Add(s, int64(1_790_000_000))
	}
	f.Fuzz(func(t *testing.T, value string, now int64) {
		received := time.Unix(now%(1<<36), 0)
		delay, ok := errmap.ParseRetryAfter(value, received)
		if delay < 0 || !ok && delay != 0 {
			t.Fatalf("%q: %v, %v", value, delay, ok)
		}
		if !ok {
			return
		}
		e := errmap.NewCode(14, "m").WithRetryDelay(delay)
		again, ok := errmap.ParseRetryAfter(e.RetryAfter(), received)
		if !ok || again < delay || again-delay >= time.Second {
			t.Fatalf("%q is %v, written %q, read %v", value, delay, e.RetryAfter(), again)
		}
	})
}
