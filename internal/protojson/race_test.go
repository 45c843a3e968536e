package protojson_test

import (
	"sync"
	"testing"

	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// A codec that has compiled nothing yet is used by many at the same time.
func TestCodec_concurrently(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, mt := range messageTypes() {
				any := anyOf(mt, nil)
				codec.Message(mt.Descriptor())
				out, fidelity := codec.AppendAny(nil, any.GetTypeUrl(), nil, depth)
				if fidelity == protojson.None {
					continue
				}
				var tree jsontree.Tree
				if err := tree.Parse(out, depth); err != nil {
					t.Error(err)
				}
				if _, value, whole := codec.ReadAny(tree.Root()); !whole || !codec.Equal(any.GetTypeUrl(), value, nil) {
					t.Errorf("%s is read as %x (%t)", out, value, whole)
				}
			}
		})
	}
	group.Wait()
}
