package adapter

import "github.com/errmap/errmap/errmap"

// Contradicted returns the error of a gRPC call that ended with several statuses, of
// which Connect took the first for a success; nil where there is no other.
func Contradicted(trailer interface{ Values(name string) []string }, opts []errmap.DecodeOption) error {
	for _, value := range trailer.Values(errmap.HeaderGRPCStatus) {
		if value == "0" {
			continue
		}
		headers := map[string][]string{errmap.HeaderGRPCStatus: {value}}
		for _, name := range []string{errmap.HeaderGRPCMessage, errmap.HeaderGRPCDetails} {
			if values := trailer.Values(name); len(values) > 0 {
				headers[name] = values
			}
		}
		if e, err := errmap.DecodeGRPC(headers, opts...); err == nil {
			return e.WithRemote()
		}
	}
	return nil
}
