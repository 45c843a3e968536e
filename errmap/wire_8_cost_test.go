package errmap_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// Section 8: what rides along costs at most twice its own bytes and 160 more for each
// thing, and 12 for each plain detail; an error that every wire can say costs nothing.
func TestProperty_what_rides_costs_little(t *testing.T) {
	t.Parallel()
	rode := 0
	for i := range cases(t, 600) {
		g := newGenerator(seed(t)+11_000, uint64(i))
		e, _, in := g.received()
		for _, w := range allWires {
			with := w.encode(e)
			without := w.encode(e, errmap.WithoutCarried(), quiet)
			cost := with.size() - without.size()
			carried, plain, first := carriedIn(t, w.name, with, without)
			if carried == nil {
				if cost > 0 {
					t.Fatalf("case %d, %s: nothing rides and costs %d bytes: %s of %s", i, w.name, cost, with, in)
				}
				continue
			}
			rode++
			limit := 12*plain + first
			for _, r := range carried.GetReceived() {
				limit += 160 + 2*(len(r.GetNumber())+len(r.GetCodeText())+len(r.GetMembers())+len(r.GetUnknownFields()))
			}
			for _, d := range carried.GetDetails() {
				limit += 160 + 2*(len(d.GetTypeUrl())+len(d.GetValue())+len(d.GetJson()))
			}
			if cost > limit {
				t.Fatalf("case %d, %s: %d bytes, at most %d: %s\n\twithout %s\n\tof %s", i, w.name, cost, limit, with, without, in)
			}
		}
	}
	if rode == 0 {
		t.Error("nothing rode along")
	}
}

// carriedIn returns the Carried of an error that was written, nil where it has none,
// how many plain details stand beside it, and what the first thing that rides brings
// with it: in gRPC the third header, with the message once more, in an object of MCP's
// the details that the number alone says without them.
func carriedIn(t *testing.T, form string, with, without packet) (c *errmapv1.Carried, plain, first int) {
	t.Helper()
	c = new(errmapv1.Carried)
	switch form {
	case "grpc", "status":
		b := with.body
		if form == "grpc" {
			values := with.headers["grpc-status-details-bin"]
			if values == nil {
				return nil, 0, 0
			}
			if without.headers["grpc-status-details-bin"] == nil {
				first = len("grpc-status-details-bin") + 2*len(strings.Join(with.headers["grpc-message"], ""))
			}
			var err error
			if b, err = base64.RawStdEncoding.DecodeString(values[0]); err != nil {
				t.Fatal(err)
			}
		}
		s := new(statuspb.Status)
		if err := proto.Unmarshal(b, s); err != nil {
			t.Fatal(err)
		}
		place := carriedPlace(s)
		if place < 0 {
			return nil, 0, 0
		}
		return carriedOf(t, s), place, first
	case "connect":
		var body struct {
			Details []struct{ Type, Value string }
		}
		if err := json.Unmarshal(with.body, &body); err != nil {
			t.Fatal(err)
		}
		last := len(body.Details) - 1
		if last < 0 || body.Details[last].Type != "errmap.v1.Carried" {
			return nil, 0, 0
		}
		b, err := base64.RawStdEncoding.DecodeString(body.Details[last].Value)
		if err != nil {
			t.Fatal(err)
		}
		if err := proto.Unmarshal(b, c); err != nil {
			t.Fatal(err)
		}
		return c, last, 0
	}
	var body, inner map[string]json.RawMessage
	if err := json.Unmarshal(with.body, &body); err != nil {
		t.Fatal(err)
	}
	text := body["errmap"]
	if form == "http" && json.Unmarshal(body["error"], &inner) == nil {
		text = inner["errmap"]
	}
	var list []json.RawMessage
	var data json.RawMessage
	if strings.HasPrefix(form, "jsonrpc") {
		data = body["data"]
	}
	if json.Unmarshal(data, &inner) == nil && inner["details"] != nil { // an object of MCP's
		if data = inner["details"]; !bytes.Contains(without.body, []byte(`"details":[`)) {
			first = len(data) // whatever else rides with it, it brings all details
		}
	}
	if json.Unmarshal(data, &list) == nil && len(list) > 0 {
		text = bytes.Replace(list[len(list)-1], []byte(`"@type":"type.googleapis.com/errmap.v1.Carried",`), nil, 1)
		if len(text) == len(list[len(list)-1]) {
			return nil, 0, 0
		}
	}
	if protojson.Unmarshal(text, c) != nil || len(c.GetCheck()) < 4 {
		return nil, 0, 0 // another's
	}
	return c, (len(c.GetCheck()) - 4) / 8, max(first-len(text), 0)
}
