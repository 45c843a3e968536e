package bench

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"github.com/a2aproject/a2a-go/v2/a2a"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"

	"github.com/errmap/errmap/errmap"
)

// anew makes the detail and the error of errmap.
func anew() *errmap.Error {
	return errmap.NewCode(code.Code_NOT_FOUND, "Task not found").WithDetail(newInfo())
}

func newInfo() *errdetails.ErrorInfo {
	return &errdetails.ErrorInfo{
		Reason: "TASK_NOT_FOUND", Domain: "a2a-protocol.org",
		Metadata: map[string]string{"taskId": "t-1", "attempt": "2"},
	}
}

// Both sides make detail, map and error in the loop, and write them.
func BenchmarkAnew(b *testing.B) {
	b.Run("gRPC", func(b *testing.B) {
		sides(b,
			side{"errmap", func() { errmap.EncodeGRPC(anew()) }},
			side{"grpc-go New, WithDetails, Marshal, base64", func() {
				grpcHeaders(must(status.New(codes.NotFound, "Task not found").WithDetails(protoadapt.MessageV1Of(newInfo()))).Proto())
			}})
	})
	b.Run("JSON-RPC", func(b *testing.B) {
		sides(b,
			side{"errmap", func() { errmap.EncodeJSONRPC(anew(), errmap.ProfileA2A) }},
			side{"a2a-go", func() {
				e := a2a.NewError(a2a.ErrTaskNotFound, "Task not found").WithErrorInfoMeta(map[string]string{"taskId": "t-1", "attempt": "2"})
				must(json.Marshal(toJSONRPCError(e)))
			}})
	})
	b.Run("Connect", func(b *testing.B) {
		d, write := &discard{header: http.Header{}}, connectWriter()
		sides(b,
			side{"errmap", func() { writeConnect(d, anew()) }},
			side{"connect v2 ErrorWriter", func() {
				write(connect.NewError(connect.CodeNotFound, "Task not found").WithDetail(detail(newInfo())))
			}})
	})
}

// A proxy reads an error and writes it again, with free data of a kibibyte.
func BenchmarkHop(b *testing.B) {
	members := `{"` + strings.Repeat(`name":"value","count":12345,"list":[1,2,3],"`, 22) + `end":true}`
	text := `"` + strings.Repeat("free text ", 102) + `"`
	for name, data := range map[string]string{"string": text, "object": distinct(members)} {
		b.Run(name, func(b *testing.B) {
			object := []byte(`{"code":-32001,"message":"Task not found","data":` + data + `}`)
			sides(b,
				side{"errmap", func() {
					errmap.EncodeJSONRPC(must(errmap.DecodeJSONRPC(object, errmap.ProfileGeneric)), errmap.ProfileGeneric)
				}},
				side{"encoding json, raw data", func() {
					var e struct {
						Code    int             `json:"code"`
						Message string          `json:"message"`
						Data    json.RawMessage `json:"data,omitempty"`
					}
					if err := json.Unmarshal(object, &e); err != nil {
						panic(err)
					}
					must(json.Marshal(e))
				}})
		})
		b.Run(name+" in a Struct", func(b *testing.B) {
			value := data
			if name == "string" {
				value = `{"text":` + data + `}`
			}
			object := []byte(`{"code":-32001,"message":"Task not found","data":[{"@type":"type.googleapis.com/google.protobuf.Struct","value":` + value + `}]}`)
			sides(b,
				side{"errmap", func() {
					errmap.EncodeJSONRPC(must(errmap.DecodeJSONRPC(object, errmap.ProfileA2A)), errmap.ProfileA2A)
				}},
				side{"a2a-go", func() {
					e := new(a2aError)
					if err := json.Unmarshal(object, e); err != nil {
						panic(err)
					}
					must(json.Marshal(toJSONRPCError(fromJSONRPCError(e))))
				}})
		})
	}
}

// distinct gives the members of an object names of their own.
func distinct(object string) string {
	var b strings.Builder
	for i, part := range strings.Split(object, `":`) {
		if i > 0 {
			b.WriteString(string(rune('a'+i%26)) + string(rune('a'+i/26)) + `":`)
		}
		b.WriteString(part)
	}
	return b.String()
}
