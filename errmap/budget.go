package errmap

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"sort"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
)

// fitGRPC takes parts out of an error until its headers are within the budget,
// in the order of docs/wire.md section 5, and says in notes what went. Only the
// code is never taken.
func fitGRPC(e *Error, o *encodeOptions) GRPCHeaders {
	f := &fitter{options: o, e: e.changed(func(*Error) {})}
	quiet := *o
	quiet.note = nil
	f.options = &quiet
	f.e.details = slices.Clone(f.e.details)
	for _, step := range []func(){
		f.dropText, f.dropDebug, f.dropHelp, f.dropLargest,
		f.cutMessage, f.cutMetadata, f.dropRest, f.dropRetry, f.dropIdentity,
	} {
		if f.fits() {
			break
		}
		step()
	}
	if o.note == nil {
		slog.Warn("parts of an error did not fit into gRPC headers", "budget", o.budget, "notes", []string(f.notes))
	}
	o.noted(f.notes)
	return encodeGRPC(f.e, f.options)
}

type fitter struct {
	e       *Error
	options *encodeOptions
	notes   notes
}

func (f *fitter) fits() bool { return encodeGRPC(f.e, f.options).size() <= f.options.budget }

// dropText drops the JSON text of what rides along.
func (f *fitter) dropText() {
	received := slices.Clone(f.e.received)
	for i, r := range received {
		if r.CodeText != "" || len(r.Members) > 0 {
			f.notes.add("over budget: JSON received on the %s wire dropped", r.Wire)
			received[i].CodeText, received[i].Members = "", nil
		}
	}
	f.e.received = slices.DeleteFunc(received, Received.empty)
	for i, d := range f.e.details {
		if d.json == nil {
			continue
		}
		f.notes.add("over budget: JSON of detail %d (%s) dropped", i, d.Name())
		known, ok := knownPart(f.options.catalog, d)
		if d.typeURL == "" || !ok {
			known = RawDetail{typeURL: dropped}
		}
		f.e.details[i] = known
	}
	f.sweep()
}

// dropped marks details that go.
const dropped = "dropped"

func (f *fitter) sweep() {
	f.e.details = slices.DeleteFunc(f.e.details, func(d RawDetail) bool { return d.typeURL == dropped })
}

func (f *fitter) drop(match func(RawDetail) bool) {
	for i, d := range f.e.details {
		if match(d) {
			f.notes.add("over budget: detail %s of %d bytes dropped", d.Name(), len(d.value))
			f.e.details[i].typeURL = dropped
		}
	}
	f.sweep()
}

func (f *fitter) dropDebug() {
	f.drop(func(d RawDetail) bool { return d.Name() == nameDebugInfo })
}

func (f *fitter) dropHelp() {
	f.drop(func(d RawDetail) bool { return d.Name() == nameHelp || d.Name() == "google.rpc.LocalizedMessage" })
}

// least applies the fewest of n steps, which shrink an error ever more, that make
// it fit, or all of them.
func (f *fitter) least(n int, apply func(steps int)) (steps int) {
	steps = min(1+sort.Search(n, func(i int) bool { apply(i + 1); return f.fits() }), n)
	apply(steps)
	return steps
}

// dropLargest drops the details that are left but for ErrorInfo and RetryInfo,
// the largest first, only as many as need to go.
func (f *fitter) dropLargest() {
	all := f.e.details
	var order []int
	for i, d := range all {
		if d.Name() != nameErrorInfo && d.Name() != nameRetryInfo {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(all[b].value), len(all[a].value)) })
	n := f.least(len(order), func(n int) {
		gone := make(map[int]bool, n)
		for _, i := range order[:n] {
			gone[i] = true
		}
		f.e.details = nil
		for i, d := range all {
			if !gone[i] {
				f.e.details = append(f.e.details, d)
			}
		}
	})
	for _, i := range order[:n] {
		f.notes.add("over budget: detail %s of %d bytes dropped", all[i].Name(), len(all[i].value))
	}
}

// cutMessage shortens the message to what fits, down to nothing.
func (f *fitter) cutMessage() {
	whole := f.e.message
	low, high := 0, len(whole) // low fits or is 0; above high nothing fits
	for low < high {
		middle := (low + high + 1) / 2
		if f.e.message = cutRunes(whole, middle); f.fits() {
			low = middle
		} else {
			high = middle - 1
		}
	}
	f.e.message = cutRunes(whole, low)
	f.notes.add("over budget: message of %d bytes cut to %d", len(whole), len(f.e.message))
}

// cutMetadata drops entries of ErrorInfo metadata, the largest first.
func (f *fitter) cutMetadata() {
	for i, d := range f.e.details {
		info := new(errdetails.ErrorInfo)
		if d.Name() != nameErrorInfo || proto.Unmarshal(d.value, info) != nil {
			continue
		}
		keys := make([]string, 0, len(info.GetMetadata()))
		for key := range info.GetMetadata() {
			keys = append(keys, key)
		}
		slices.SortFunc(keys, func(a, b string) int {
			return cmp.Or(cmp.Compare(len(b)+len(info.Metadata[b]), len(a)+len(info.Metadata[a])), cmp.Compare(a, b))
		})
		whole := info.Metadata
		n := f.least(len(keys), func(n int) {
			info.Metadata = maps.Clone(whole)
			for _, key := range keys[:n] {
				delete(info.Metadata, key)
			}
			if cut, err := detailOf(info); err == nil {
				f.e.details[i].value = cut.value
			}
		})
		for _, key := range keys[:n] {
			f.notes.add("over budget: metadata %q of %d bytes dropped", clip(key, 64), len(whole[key]))
		}
		if f.fits() {
			return
		}
	}
}

// dropRest drops what else rides along.
func (f *fitter) dropRest() {
	for _, r := range f.e.received {
		f.notes.add("over budget: what the %s wire said dropped", r.Wire)
	}
	f.e.received = nil
	f.options.withoutCarried = true // a number that only it says goes too
}

func (f *fitter) dropRetry() { f.drop(func(d RawDetail) bool { return d.Name() == nameRetryInfo }) }

func (f *fitter) dropIdentity() { f.drop(func(RawDetail) bool { return true }) }
