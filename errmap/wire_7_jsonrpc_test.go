package errmap_test

import (
	"fmt"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
)

const (
	generic = "jsonrpc/generic"
	a2a     = "jsonrpc/a2a"
	mcp     = "jsonrpc/mcp"
	mcp2025 = "jsonrpc/mcp-2025-11-25"
)

const infoPrefix = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"`

func marker(code int) string {
	return fmt.Sprintf(`{"@type":"type.googleapis.com/google.rpc.Status","code":%d}`, code)
}

func TestWire_7_numbers_written(t *testing.T) {
	tea := teaCatalog(t)
	teapot := func(number int, more string) string {
		return fmt.Sprintf(`{"code":%d,"message":"m","data":[%s%s]}`, number, teaError("TEAPOT"), more)
	}
	http := `{"error":{"code":418,"status":"FAILED_PRECONDITION","message":"m","details":[` + teaError("TEAPOT") + `]}}`
	empty := `{"error":{"code":404,"status":"NOT_FOUND","message":"m","details":[` + teaError("EMPTY_POT") + `]}}`
	task := `{"error":{"code":404,"status":"NOT_FOUND","message":"m","details":[` + infoPrefix + `TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`
	runRows(t, []row{
		{rule: "generic writes every number of the catalogue", from: "http", in: http, to: generic, catalog: tea, want: teapot(-32050, ","+marker(9))},
		{rule: "a2a keeps the reserved range to itself", from: "http", in: http, to: a2a, catalog: tea, want: teapot(-31400, "")},
		{rule: "mcp keeps the reserved range to itself", from: "http", in: http, to: mcp, catalog: tea, want: teapot(-31400, "")},
		{rule: "outside the range a2a writes it", from: "http", in: empty, to: a2a, catalog: tea, want: `{"code":7001,"message":"m","data":[` + teaError("EMPTY_POT") + `,` + marker(5) + `]}`},
		{rule: "outside the range mcp writes it", from: "http", in: empty, to: mcp, catalog: tea, want: `{"code":7001,"message":"m","data":[` + teaError("EMPTY_POT") + `,` + marker(5) + `]}`},
		{rule: "a jsonrpc_code of 0 is none", from: "http", in: `{"error":{"code":404,"status":"NOT_FOUND","message":"m","details":[` + teaError("ZERO") + `]}}`, to: generic, catalog: tea, want: `{"code":-31404,"message":"m","data":[` + teaError("ZERO") + `]}`},
		{rule: "a2a errors under generic", from: "http", in: task, to: generic, want: `{"code":-32001,"message":"m","data":[` + infoPrefix + `TASK_NOT_FOUND","domain":"a2a-protocol.org"},` + marker(5) + `]}`},
		{rule: "a2a errors under a2a", from: "http", in: task, to: a2a, want: `{"code":-32001,"message":"m","data":[` + infoPrefix + `TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}`},
		{rule: "a2a errors under mcp", from: "http", in: task, to: mcp, want: `{"code":-31404,"message":"m","data":[` + infoPrefix + `TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}`},
		{rule: "a received number that reads back", from: generic, in: `{"code":-31404,"message":"m","data":[` + teaError("TEAPOT") + `]}`, to: generic, catalog: tea, want: teapot(-31404, ","+marker(9))},
		{rule: "a received number of nobody", from: generic, in: `{"code":4711,"message":"m"}`, to: a2a, want: `{"code":4711,"message":"m"}`},
		{rule: "a reserved number is repeated under a2a", from: generic, in: `{"code":-32050,"message":"m"}`, to: a2a, want: `{"code":-32050,"message":"m"}`},
		{rule: "and rides along under mcp", from: generic, in: `{"code":-32050,"message":"m"}`, to: mcp,
			want: `{"code":-32603,"message":"m","data":[` + marker(2) + `,{"@type":"type.googleapis.com/errmap.v1.Carried","received":[{"wire":"WIRE_JSONRPC","number":"-32050"}],"check":"rhQn8Q=="}]}`},
	})
}

func TestWire_7_code_read(t *testing.T) {
	t.Parallel()
	tea := teaCatalog(t)
	shelf := infoPrefix + `SHELF_FULL","domain":"gw.example.com"}`
	for _, test := range []struct {
		name, from, in string
		want           code.Code
	}{
		{"the marker beats all", generic, `{"code":-32050,"data":[` + teaError("TEAPOT") + `,` + marker(7) + `]}`, 7},
		{"the marker beats the profile", a2a, `{"code":-32001,"data":[` + marker(7) + `]}`, 7},
		{"the catalogue beats the number", generic, `{"code":-31401,"data":[` + teaError("TEAPOT") + `]}`, 9},
		{"an identity that nobody knows says nothing", generic, `{"code":-31401,"data":[` + shelf + `]}`, 16},
		{"the profile's own number", a2a, `{"code":-32002,"message":"m"}`, 9},
		{"which is another's under generic", generic, `{"code":-32002,"message":"m"}`, 2},
		{"a number of another domain is not read", generic, `{"code":-32050,"message":"m"}`, 2},
		{"the profile's own error without the number", a2a, `{"code":-31400,"data":[` + infoPrefix + `TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}`, 5},
		{"an integral float", generic, `{"code":-31404.0}`, 5},
		{"an exponent", generic, `{"code":-3.1404e4}`, 5},
		{"a numeric string", generic, `{"code":"-31404"}`, 5},
		{"a fraction", generic, `{"code":-31404.5}`, 2},
		{"beyond 2^53", generic, `{"code":9007199254740992}`, 2},
		{"missing", generic, `{"message":"m"}`, 2},
		{"null", generic, `{"code":null}`, 2},
		{"true", generic, `{"code":true,"message":"m"}`, 2},
		{"zero", generic, `{"code":0,"message":"m"}`, 2},
	} {
		e := decodeText(t, test.from, test.in, 0, errmap.WithCatalog(tea))
		if e.Code() != test.want {
			t.Errorf("%s: %s, want %v", test.name, describe(e), test.want)
		}
		for _, w := range allWires {
			back, err := w.decode(w.encode(e, errmap.WithCatalog(tea)), errmap.WithCatalog(tea))
			if err != nil || difference(e, back, exactly) != "" {
				t.Errorf("%s, %s: %s, %v", test.name, w.name, difference(e, back, exactly), err)
			}
		}
	}
	for in, want := range map[string]string{`{"code":-31404.5}`: "-31404.5", `{"code":9007199254740992}`: "9007199254740992", `{"code":"1e99"}`: "1e99", `{"code":0}`: "0"} {
		if r := decodeText(t, generic, in, 0).Received(); len(r) != 1 || r[0].Number != want {
			t.Errorf("%s is kept as %v", in, r)
		}
	}
}

func TestWire_7_code_marker(t *testing.T) {
	runRows(t, []row{
		{rule: "where the number does not say the code", from: "grpc", in: "grpc-status: 15\ngrpc-message: m", to: generic, want: `{"code":-32603,"message":"m","data":[` + marker(15) + `]}`},
		{rule: "not where it does", from: "grpc", in: "grpc-status: 13\ngrpc-message: m", to: generic, want: `{"code":-32603,"message":"m"}`},
		{rule: "last behind the details", from: "grpc", in: "grpc-status: 15\ngrpc-message: no stock\ngrpc-status-details-bin: " + vectorST9, to: generic, note: anyNotes,
			want: `{"code":4010,"message":"no stock","data":[` + jsonEI + `,` + jsonMYS + `,` + marker(15) + `]}`},
		{rule: "the last of the form is it wherever it stands", from: generic, in: `{"code":1,"data":[` + marker(7) + `,` + jsonRI + `,` + marker(5) + `,{}]}`, to: "connect", want: ``},
		{rule: "a marker that says nothing new goes", from: generic, in: `{"code":-31404,"message":"m","data":[` + marker(5) + `]}`, to: generic, want: `{"code":-31404,"message":"m"}`},
		{rule: "a detail of its form needs one behind it", from: "http", in: `{"error":{"code":404,"status":"NOT_FOUND","message":"m","details":[` + marker(7) + `]}}`, to: generic, want: `{"code":-31404,"message":"m","data":[` + marker(7) + `,` + marker(5) + `]}`},
		{rule: "a Status that says more is a detail", from: generic, in: `{"code":-31404,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.Status","code":7,"message":"x"}]}`, to: generic,
			want: `{"code":-31404,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.Status","code":7,"message":"x"}]}`},
		{rule: "so is one of a code outside 1 to 16", from: generic, in: `{"code":-31404,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.Status","code":17}]}`, to: "grpc",
			want: "grpc-status: 5\ngrpc-message: m\ngrpc-status-details-bin: CAUSAW0aKwoldHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlN0YXR1cxICCBE"},
		{rule: "members in either order", from: generic, in: `{"code":1,"message":"m","data":[{"code":5,"@type":"type.googleapis.com/google.rpc.Status"}]}`, to: "", want: ``},
	})
	if e := decodeText(t, generic, `{"code":1,"data":[`+marker(7)+`,`+jsonRI+`,`+marker(5)+`,{}]}`, 0); e.Code() != 5 || len(e.Details()) != 3 {
		t.Errorf("%s", describe(e))
	}
}

func TestWire_7_data(t *testing.T) {
	same := func(rule, profile, object string) row {
		return row{rule: rule, from: profile, in: object, to: profile, want: object}
	}
	var rows []row
	for _, number := range []int{-32700, -32600, -32601, -32602, -32603, -31404, 4711, 1} {
		for _, data := range []string{`"boom"`, `5`, `1.0`, `12345678901234567890123`, `true`, `false`, `null`, `{}`, `{"a":[1.0,{"b":null}]}`, `[1]`, `["a",{"b":1}]`, `[[]]`, `{"a":"\ud800"}`, `{"a":1,"a":2}`, `"\u00e9"`} {
			for _, profile := range []string{generic, a2a, mcp} {
				rows = append(rows, same(fmt.Sprintf("%s %d passes %s", profile, number, data), profile, fmt.Sprintf(`{"code":%d,"message":"m","data":%s}`, number, data)))
			}
		}
	}
	rows = append(rows,
		row{rule: "an empty array is nothing", from: generic, in: `{"code":-32602,"message":"m","data":[]}`, to: generic, want: `{"code":-32602,"message":"m"}`},
		same("absent stays absent", generic, `{"code":-32602,"message":"m"}`),
		row{rule: "a typed object alone is an array of one", from: generic, in: `{"code":-31404,"message":"m","data":` + jsonRI + `}`, to: generic, want: `{"code":-31404,"message":"m","data":[` + jsonRI + `]}`},
		same("details in order", generic, `{"code":-31404,"message":"m","data":[`+jsonRI+`,"text",`+jsonMYS+`,{"@type":"type.googleapis.com/acme.v9.Mystery","n":9007199254740993,"h":12345678901234567890123,"f":1.0}]}`),
		row{rule: "free-form data to Connect and back", from: generic, in: `{"code":-32602,"message":"m","data":{"n":1.0}}`, to: "connect",
			want: `{"code":"invalid_argument","message":"m","details":[{"type":"errmap.v1.Carried","value":"EgsqCXsibiI6MS4wfRoE3Wb5SQ"}]}`},
		row{rule: "inside a response", from: generic, in: `{"jsonrpc":"2.0","id":null,"error":{"code":-31404,"message":"m"}}`, to: generic, want: `{"code":-31404,"message":"m"}`},
		row{rule: "white space goes", from: generic, in: " { \"code\" : -31404 , \"message\" : \"m\" , \"data\" : [ 1 , 2 ] } ", to: generic, want: `{"code":-31404,"message":"m","data":[1,2]}`},
	)
	runRows(t, rows)
}

func TestWire_7_the_nine_of_A2A(t *testing.T) {
	info := func(reason, metadata string) string {
		return infoPrefix + reason + `","domain":"a2a-protocol.org"` + metadata + `}`
	}
	written := func(number int, reason, metadata string) string {
		return fmt.Sprintf(`{"code":%d,"message":"m","data":[%s]}`, number, info(reason, metadata))
	}
	rows := []row{}
	for number, reason := range map[int]string{
		-32001: "TASK_NOT_FOUND", -32002: "TASK_NOT_CANCELABLE", -32003: "PUSH_NOTIFICATION_NOT_SUPPORTED", -32004: "UNSUPPORTED_OPERATION",
		-32005: "CONTENT_TYPE_NOT_SUPPORTED", -32006: "INVALID_AGENT_RESPONSE", -32007: "EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32008: "EXTENSION_SUPPORT_REQUIRED", -32009: "VERSION_NOT_SUPPORTED",
	} {
		rows = append(rows, row{rule: "supplied for " + reason, from: a2a, in: fmt.Sprintf(`{"code":%d,"message":"m"}`, number), to: a2a, want: written(number, reason, "")})
	}
	const in = `{"code":-32001,"message":"m","data":%s}`
	for data, metadata := range map[string]string{
		`{"taskId":"t-1"}`:                          `{"taskId":"t-1"}`,
		`{"n":1.0,"b":true,"x":null,"o":{"a":[1]}}`: `{"b":"true","n":"1.0","o":"{\"a\":[1]}"}`,
		`"boom"`:        `{"data":"boom"}`,
		`5`:             `{"data":"5"}`,
		`["a",{"b":1}]`: `{"data":"[\"a\",{\"b\":1}]"}`,
		`{"data":"x"}`:  `{"data":"x"}`,
	} {
		rows = append(rows, row{rule: "free-form data " + data, from: a2a, in: fmt.Sprintf(in, data), to: a2a, want: written(-32001, "TASK_NOT_FOUND", `,"metadata":`+metadata)})
	}
	for _, data := range []string{`null`, `{}`, `[]`, `{"x":null}`} {
		rows = append(rows, row{rule: "nothing in " + data, from: a2a, in: fmt.Sprintf(in, data), to: a2a, want: written(-32001, "TASK_NOT_FOUND", "")})
	}
	rows = append(rows,
		row{rule: "typed objects are details and the rest is free-form", from: a2a, in: fmt.Sprintf(in, `[1,`+jsonRI+`,{"a":1}]`), to: a2a,
			want: fmt.Sprintf(in, `[`+info("TASK_NOT_FOUND", `,"metadata":{"data":"[1,{\"a\":1}]"}`)+`,`+jsonRI+`]`)},
		row{rule: "a key that is there stands", from: a2a, in: fmt.Sprintf(in, `[`+info("TASK_NOT_FOUND", `,"metadata":{"data":"old","data_2":"older"}`)+`,"new"]`), to: a2a,
			want: written(-32001, "TASK_NOT_FOUND", `,"metadata":{"data":"old","data_2":"older","data_3":"[\"new\"]"}`)},
		row{rule: "an ErrorInfo of another domain does not do", from: a2a, in: fmt.Sprintf(in, `[`+jsonEI+`]`), to: a2a, want: fmt.Sprintf(in, `[`+info("TASK_NOT_FOUND", "")+`,`+jsonEI+`]`)},
		row{rule: "a number that contradicts is not written again", from: a2a, in: fmt.Sprintf(in, `[`+info("VERSION_NOT_SUPPORTED", "")+`]`), to: a2a, want: written(-32009, "VERSION_NOT_SUPPORTED", ""), note: "which stands"},
		row{rule: "the reason before 1.0", from: a2a, in: written(-32007, "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED", ""), to: a2a, want: written(-32007, "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED", "")},
		row{rule: "under generic the nine are any numbers", from: generic, in: fmt.Sprintf(in, `{"taskId":"t-1"}`), to: generic, want: fmt.Sprintf(in, `{"taskId":"t-1"}`)},
		row{rule: "the standard five keep their data", from: a2a, in: `{"code":-32603,"message":"Internal error","data":"boom"}`, to: a2a, want: `{"code":-32603,"message":"Internal error","data":"boom"}`},
		row{rule: "the example of the command", from: a2a, in: `{"code":-32001,"message":"Task not found","data":{"taskId":"t-1"}}`, to: "connect",
			want: `{"code":"not_found","message":"Task not found","details":[{"type":"google.rpc.ErrorInfo","value":"Cg5UQVNLX05PVF9GT1VORBIQYTJhLXByb3RvY29sLm9yZxoNCgZ0YXNrSWQSA3QtMQ","debug":{"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t-1"}}}]}`},
	)
	runRows(t, rows)
}

// An ErrorInfo that stays JSON keeps its metadata as it is; what is free-form
// beside it is a detail.
func TestWire_7_free_form_data_beside_an_ErrorInfo_that_stays_JSON(t *testing.T) {
	t.Parallel()
	const info = infoPrefix + `TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"n":1.0}}`
	e := decodeText(t, a2a, `{"code":-32001,"message":"m","data":[`+info+`,"x"]}`, 0)
	d := e.Details()
	if len(d) != 2 || e.Code() != 5 {
		t.Fatal(describe(e))
	}
	if text, ok := d[0].JSON(); !ok || string(text) != info {
		t.Errorf("%s", describe(e))
	}
	if text, ok := d[1].JSON(); !ok || string(text) != `["x"]` {
		t.Errorf("%s", describe(e))
	}
	for _, w := range allWires {
		if back, p := hop(t, e, w); difference(e, back, exactly) != "" {
			t.Errorf("%s: %s in %s", w.name, difference(e, back, exactly), p)
		}
	}
}

// An element without a type beside one of the nine goes out as a Value, and is
// itself again on the next wire.
func TestWire_7_untyped_elements_under_a_number_of_the_nine(t *testing.T) {
	t.Parallel()
	e := decodeText(t, generic, `{"code":-31404,"message":"m","data":[`+infoPrefix+`TASK_NOT_FOUND","domain":"a2a-protocol.org"},{"n":1.0},{}]}`, 0)
	object := encodeText(t, a2a, e)
	back := decodeText(t, a2a, object, 0)
	if s := difference(e, back, exactly); s != "" {
		t.Errorf("%s in %s", s, object)
	}
}

func TestWire_7_MCP(t *testing.T) {
	const uri = `{"code":-32602,"message":"m","data":{"uri":"shop://a"}}`
	resource := infoPrefix + `RESOURCE_NOT_FOUND","domain":"modelcontextprotocol.io","metadata":{"uri":"shop://a"}}`
	runRows(t, []row{
		{rule: "a resource that was not found", from: mcp, in: uri, to: mcp, want: uri},
		{rule: "is NOT_FOUND elsewhere", from: mcp, in: uri, to: "http", want: `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + resource + `]}}`},
		{rule: "-32002 of the revision before is a bare code", from: mcp, in: `{"code":-32002,"message":"m","data":{"uri":"shop://a"}}`, to: mcp, want: `{"code":-31404,"message":"m","data":{"uri":"shop://a"}}`},
		{rule: "-32002 without data", from: mcp, in: `{"code":-32002,"message":"m"}`, to: mcp, want: `{"code":-31404,"message":"m"}`},
		{rule: "-32002 under its own revision", from: mcp2025, in: `{"code":-32002,"message":"m","data":{"uri":"shop://a"}}`, to: mcp2025, want: `{"code":-32002,"message":"m","data":{"uri":"shop://a"}}`},
		{rule: "-32002 from its own revision to the next", from: mcp2025, in: `{"code":-32002,"message":"m","data":{"uri":"shop://a"}}`, to: mcp, want: uri},
		{rule: "-32602 from there to the revision before", from: mcp, in: uri, to: mcp2025, want: `{"code":-32002,"message":"m","data":{"uri":"shop://a"}}`},
		{rule: "-32042 under its own revision", from: mcp2025, in: `{"code":-32042,"message":"m","data":{"elicitations":[]}}`, to: mcp2025, want: `{"code":-32042,"message":"m","data":{"elicitations":[]}}`},
		{rule: "-32602 of other data is plain", from: mcp, in: `{"code":-32602,"message":"m","data":{"uri":"shop://a","x":1}}`, to: "connect", not: "not_found"},
		{rule: "-32602 of a uri that is no string is plain", from: mcp, in: `{"code":-32602,"message":"m","data":{"uri":5}}`, to: mcp, want: `{"code":-32602,"message":"m","data":{"uri":5}}`},
		{rule: "-32602 without data is plain", from: mcp, in: `{"code":-32602,"message":"m"}`, to: mcp, want: `{"code":-32602,"message":"m"}`},
		{rule: "a header mismatch has no members", from: mcp, in: `{"code":-32020,"message":"m"}`, to: mcp, want: `{"code":-32020,"message":"m"}`},
		{rule: "capabilities", from: mcp, in: `{"code":-32021,"message":"m","data":{"requiredCapabilities":{"sampling":{}}}}`, to: mcp, want: `{"code":-32021,"message":"m","data":{"requiredCapabilities":{"sampling":{}}}}`},
		{rule: "versions", from: mcp, in: `{"code":-32022,"message":"m","data":{"supported":["a","b"],"requested":"c"}}`, to: mcp, want: `{"code":-32022,"message":"m","data":{"supported":["a","b"],"requested":"c"}}`},
		{rule: "required members are written empty", from: mcp, in: `{"code":-32022,"message":"m"}`, to: mcp, want: `{"code":-32022,"message":"m","data":{"supported":[],"requested":""}}`},
		{rule: "and read back as nothing", from: mcp, in: `{"code":-32022,"message":"m","data":{"supported":[],"requested":""}}`, to: "http",
			want: `{"error":{"code":400,"message":"m","status":"FAILED_PRECONDITION","details":[` + infoPrefix + `UNSUPPORTED_PROTOCOL_VERSION","domain":"modelcontextprotocol.io"}]}}`},
		{rule: "an error that says more has the whole array in details", from: "http", in: `{"error":{"code":404,"status":"NOT_FOUND","message":"m","details":[` + resource + `,` + jsonRI + `]}}`, to: mcp,
			want: `{"code":-32602,"message":"m","data":{"uri":"shop://a","details":[` + resource + `,` + jsonRI + `]}}`},
		{rule: "which alone is read", from: mcp, in: `{"code":-32602,"message":"m","data":{"uri":"other","details":[` + resource + `,` + jsonRI + `]}}`, to: "http",
			want: `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + resource + `,` + jsonRI + `]}}`, note: `member "uri" beside details`},
		{rule: "-32042 is FAILED_PRECONDITION and not kept", from: mcp, in: `{"code":-32042,"message":"m","data":{"elicitations":[]}}`, to: mcp, want: `{"code":-31400,"message":"m","data":{"elicitations":[]}}`},
		{rule: "under generic they are any numbers", from: generic, in: `{"code":-32042,"message":"m"}`, to: generic, want: `{"code":-32042,"message":"m"}`},
		{rule: "an error of MCP under generic", from: mcp, in: uri, to: generic, want: `{"code":-32602,"message":"m","data":[` + resource + `,` + marker(5) + `]}`},
	})
}

func TestWire_7_MCP_errors_made_here(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		e    *errmap.Error
		want string
	}{
		{errmap.New(&mcpv1.ResourceNotFoundError{Uri: "shop://a"}), `{"code":-32602,"message":"Resource not found","data":{"uri":"shop://a"}}`},
		{errmap.New(&mcpv1.ResourceNotFoundError{}), `{"code":-32602,"message":"Resource not found","data":{"uri":""}}`},
		{errmap.New(&mcpv1.HeaderMismatchError{}), `{"code":-32020,"message":"Header mismatch"}`},
		{errmap.New(&mcpv1.UnsupportedProtocolVersionError{Supported: []string{"1", "2"}, Requested: "3"}), `{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["1","2"],"requested":"3"}}`},
		{errmap.New(&mcpv1.MissingRequiredClientCapabilityError{}), `{"code":-32021,"message":"Missing required client capability","data":{"requiredCapabilities":{}}}`},
		{errmap.New(&mcpv1.ResourceNotFoundError{Uri: "shop://a"}).WithMessage("x").WithRetryDelay(0), `{"code":-32602,"message":"x","data":{"uri":"shop://a","details":[` + infoPrefix + `RESOURCE_NOT_FOUND","domain":"modelcontextprotocol.io","metadata":{"uri":"shop://a"}},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0s"}]}}`},
	} {
		if got := encodeText(t, mcp, test.e); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestProfile_HTTPStatus(t *testing.T) {
	t.Parallel()
	for number, want := range map[int64]int{-32601: 404, -32700: 400, -32600: 400, -32020: 400, -32021: 400, -32022: 400, -32602: 200, -32603: 200, -31404: 200, 4010: 200} {
		if got := errmap.ProfileMCP.HTTPStatus(number); got != want {
			t.Errorf("mcp %d: %d, want %d", number, got, want)
		}
		if a, b := errmap.ProfileGeneric.HTTPStatus(number), errmap.ProfileA2A.HTTPStatus(number); a != 200 || b != 200 {
			t.Errorf("generic and a2a %d: %d, %d", number, a, b)
		}
	}
}

// Methods have their bare names in A2A alone.
func TestProfile_BareMethods(t *testing.T) {
	t.Parallel()
	for _, p := range errmap.Profiles() {
		if got, want := p.BareMethods(), p == errmap.ProfileA2A; got != want {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
	}
}

func TestParseProfile(t *testing.T) {
	t.Parallel()
	for _, p := range errmap.Profiles() {
		if got, err := errmap.ParseProfile(p.String()); got != p || err != nil {
			t.Errorf("%s: %v, %v", p, got, err)
		}
	}
	if _, err := errmap.ParseProfile("A2A"); err == nil || err.Error() != `errmap: unknown profile "A2A": want generic, a2a, mcp or mcp-2025-11-25` {
		t.Errorf("%v", err)
	}
	if got := (errmap.Profile{}); got != errmap.ProfileGeneric {
		t.Errorf("the zero value is %s", got)
	}
}

// Under MCP nothing in the reserved range is written but the five and MCP's own,
// and no number is ever 0.
func TestWire_7_numbers_that_are_never_written(t *testing.T) {
	t.Parallel()
	for i := range cases(t, 500) {
		g := newGenerator(seed(t)+8000, uint64(i))
		e, _, in := g.received()
		for _, p := range []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP} {
			object, number := errmap.AppendJSONRPC([]byte("x"), e, p)
			reserved := number >= -32768 && number <= -32000
			legal := map[int64]bool{-32700: true, -32600: true, -32601: true, -32602: true, -32603: true, -32020: true, -32021: true, -32022: true}[number]
			if number == 0 || p == errmap.ProfileMCP && reserved && !legal || string(object[:8]) != `x{"code"` {
				t.Fatalf("case %d, %s: %s of %s", i, p, object, in)
			}
		}
	}
}
