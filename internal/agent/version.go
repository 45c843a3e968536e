package agent

import (
	"context"
	"strings"

	"connectrpc.com/connect/v2"
	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/errmap/errmap/errmap/errmapa2a"
)

// unversioned is the version of a request that names none (A2A section 3.6).
const unversioned = "0.3"

// checkVersion refuses requests of another version of A2A than the one that is
// served, before anything of them is read: a message of 0.3 would be taken for
// a malformed one of 1.0.
func checkVersion(next connect.ServerFunc) connect.ServerFunc {
	return func(ctx context.Context, spec connect.Spec, stream connect.ServerStream) error {
		version := unversioned
		if info, ok := connect.CallInfoForServerContext(ctx); ok {
			if named := strings.TrimSpace(info.RequestHeader().Get(a2a.SvcParamVersion)); named != "" {
				version = named
			}
		}
		if !isServed(version) {
			return errmapa2a.VersionNotSupported(map[string]string{"version": version, "supported": string(a2a.Version)})
		}
		return next(ctx, spec, stream)
	}
}

// isServed compares major and minor; a patch number says nothing.
func isServed(version string) bool {
	if version == string(a2a.Version) {
		return true
	}
	patch, ok := strings.CutPrefix(version, string(a2a.Version)+".")
	return ok && patch != "" && strings.Trim(patch, "0123456789") == ""
}
