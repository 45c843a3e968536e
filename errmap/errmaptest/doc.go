// Package errmaptest helps to test code that returns, receives or translates
// errors.
//
// [Diff] and [Equate] compare errors by what they say, for tests that use go-cmp:
//
//	if diff := errmaptest.Diff(&shopv1.StockEmptyError{Sku: "A1"}, err); diff != "" {
//		t.Errorf("Get (-want +got):\n%s", diff)
//	}
//
// [Vectors] are the cases that every implementation of the wire contract passes,
// in Go and in other languages; testdata/vectors/README.md tells their form.
package errmaptest
