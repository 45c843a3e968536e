package main

// goal is what one row is to show: errmap against one peer, both at the same work.
type goal struct {
	bench, title string
	ours         string  // the row of errmap; "" is "errmap"
	against      string  // the row of the peer; "" where it is time a byte
	both         string  // what both sides do
	wanted       float64 // at most: a ratio, or nanoseconds a byte
	allocs       float64 // at most; 0 for no goal
}

const (
	prebuilt  = "each writes an error that it has"
	reads     = "each reads its own text of the same error"
	writesOut = "each writes header, status and body of an error that it has"
	anew      = "each makes detail, map and error, and writes them"
	struct1K  = "each reads and writes a Struct with 1 KB"
	raw1K     = "each reads and writes 1 KB that it does not look into"
)

// goals are the rows of the first table, in its order.
var goals = func() []goal {
	all := []goal{
		{"ErrorToJSONRPC", "error to JSON-RPC", "", "a2a-go", prebuilt, 0.08, 1},
		{"JSONRPCToError", "JSON-RPC to error", "", "a2a-go", "each reads the same bytes and asks which error it is", 0.15, 8},
		{"ErrorToConnect", "error to Connect", "", "connect v2 ErrorWriter", writesOut, 0.10, 3},
		{"ConnectToError", "Connect to error", "", "protojson Status", reads, 0.15, 8},
		{"ErrorToGRPC", "error to gRPC headers", "", "grpc-go Marshal, base64", prebuilt, 0, 0},
		{"GRPCToError", "gRPC headers to error", "", "grpc-go base64, Unmarshal, Details", "each reads the same base64", 0, 0},
		{"MessageToJSONRPC", "annotated message to JSON-RPC", "", "a2a-go", "each makes its error and writes it", 0.15, 6},
		{"JSONRPCToMessage", "JSON-RPC to typed message", "", "a2a-go", "each reads an error and finds it by its type", 0.25, 15},
		{"GoodCall", "good call through the handler", "", "connect v2, its own JSON", "one request of HTTP, in process", 0.65, 20},
		{"FailingCall", "failing call through the handler", "", "connect v2, its own JSON", "one request of HTTP, in process", 0.25, 28},
		{"Anew/gRPC", "made anew, to gRPC", "", "grpc-go New, WithDetails, Marshal, base64", anew, 0.35, 0},
		{"Anew/JSON-RPC", "made anew, to JSON-RPC", "", "a2a-go", anew, 0.2, 0},
		{"Anew/Connect", "made anew, to Connect", "", "connect v2 ErrorWriter", anew, 0.15, 0},
		{"Hop/object", "JSON-RPC to JSON-RPC, an object", "", "encoding json, raw data", raw1K, 0.6, 0},
		{"Hop/string", "JSON-RPC to JSON-RPC, a string", "", "encoding json, raw data", raw1K, 0.8, 0},
		{"Hop/object in a Struct", "JSON-RPC to JSON-RPC, an object", "", "a2a-go", struct1K, 0.5, 0},
		{"Hop/string in a Struct", "JSON-RPC to JSON-RPC, a string", "", "a2a-go", struct1K, 0.5, 0},
		{"Is/made", "errors.Is of an error made here", "", "errors.As", "each finds it one link down", 1, 0},
		{"Is/read", "errors.Is of an error that was read", "", "errors.As", "each finds it one link down", 1, 0},
		{"Client/good call", "good call of the client", "", "connect v2, JSON", "the same stub, the answer there at once", 1, 0},
		{"Gateway/good", "good call through the gateway", "gateway, JSON-RPC", "direct, Connect", "a call in process; the gateway's is one more hop", 1.15, 0},
		{"Gateway/failing", "failing call through the gateway", "gateway, JSON-RPC", "direct, Connect", "a call in process; the gateway's is one more hop", 1.15, 0},
	}
	encode := func(bench, title string, wanted, connect float64, names ...string) {
		for _, name := range names {
			if name == "Connect" {
				all = append(all, goal{bench + name + " encode", title + " to Connect", "", "connect v2 ErrorWriter", writesOut, connect, 0})
			} else {
				all = append(all, goal{bench + name + " encode", title + " to " + name, "", "protojson Status", prebuilt, wanted, 0})
			}
		}
	}
	decode := func(bench, title string, wanted float64, names ...string) {
		for _, name := range names {
			all = append(all, goal{bench + name + " decode", title + " from " + name, "", "protojson Status", reads, wanted, 0})
		}
	}
	forms := []string{"JSON-RPC", "HTTP", "problem", "Status", "Connect"}
	for _, fields := range []string{"3 fields", "12 fields"} {
		encode("Own/"+fields+", ", "own type of "+fields, 0.2, 0.25, forms...)
		decode("Own/"+fields+", ", "own type of "+fields, 0.25, forms...)
	}
	encode("Info/", "an ErrorInfo alone", 0.3, 0, "HTTP", "problem", "Status")
	decode("Info/", "an ErrorInfo alone", 0.2, "HTTP")
	decode("Info/", "an ErrorInfo alone", 0.3, "problem", "Status")
	for _, ride := range []string{"private number", "HTTP status", "member", "free data", "unlinked type"} {
		encode("Rides/"+ride+", ", ride, 0.5, 0.45, forms...)
		decode("Rides/"+ride+", ", ride, 0.6, forms...)
		all = append(all, goal{"Rides/" + ride + ", gRPC encode", ride + " to gRPC", "", "errmap, nothing rides", prebuilt, 6, 0})
	}
	texts := []string{"ASCII", "percent signs", "Latin letters", "Chinese", "emoji", "control characters"}
	for _, text := range texts {
		encode("Text/"+text+", ", "100 KB of "+text, 0.5, 0, "JSON-RPC")
		decode("Text/"+text+", ", "100 KB of "+text, 0.5, "JSON-RPC")
	}
	for _, text := range texts {
		for _, way := range []string{"encode", "decode"} {
			all = append(all, goal{"GRPCMessage", "grpc-message, " + way + ", " + text, text + ", " + way, "", "100 KB of text; the figure is ns a byte", 1.5, 0})
		}
	}
	return all
}()
