package bench

import (
	_ "unsafe" // for go:linkname

	_ "github.com/a2aproject/a2a-go/v2/a2asrv" // links the functions below
	"github.com/a2aproject/a2a-go/v2/errordetails"
)

// a2aError has the layout of the error object inside a2a-go, whose two
// conversions its servers and clients call, and which it does not export.
type a2aError struct {
	Code    int                   `json:"code"`
	Message string                `json:"message"`
	Data    []*errordetails.Typed `json:"data,omitempty"`
}

//go:linkname toJSONRPCError github.com/a2aproject/a2a-go/v2/internal/jsonrpc.ToJSONRPCError
func toJSONRPCError(err error) *a2aError

//go:linkname fromJSONRPCError github.com/a2aproject/a2a-go/v2/internal/jsonrpc.FromJSONRPCError
func fromJSONRPCError(e *a2aError) error
