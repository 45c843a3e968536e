package bench

import (
	"syscall"
	"testing"
)

// measure reports allocations and, when what it returned is called, the processor's
// time of each turn, collector included. The clock's time also has what others do
// on the machine meanwhile.
//
//	defer measure(b)()
func measure(b *testing.B) func() {
	b.ReportAllocs()
	begin := processor()
	return func() { b.ReportMetric(float64(processor()-begin)/float64(b.N), "cpu-ns/op") }
}

// processor returns the nanoseconds that this process has computed.
func processor() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// side is one of those that do the work of a row.
type side struct {
	name string
	run  func()
}

// sides measures each of them, one right after the other: a machine's speed drifts.
func sides(b *testing.B, all ...side) {
	for _, s := range all {
		b.Run(s.name, func(b *testing.B) { loop(b, s.run) })
	}
}

func loop(b *testing.B, f func()) {
	f() // what is made once, as the catalogue is
	defer measure(b)()
	for b.Loop() {
		f()
	}
}
