package negotiate_test

import (
	"testing"

	"github.com/errmap/errmap/internal/negotiate"
)

func TestQuality(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		accept []string
		media  string
		want   float64
	}{
		{nil, "application/json", 1},
		{[]string{"text/html"}, "application/json", 0},
		{[]string{"text/html, application/json"}, "application/json", 1},
		{[]string{"text/html", "Application/JSON ; Q=0.5"}, "application/json", 0.5},
		{[]string{"*/*;q=0.1, application/*;q=0.2"}, "application/json", 0.2},
		{[]string{"application/json;q=0, */*"}, "application/json", 0},
		{[]string{"application/json;q=nan"}, "application/json", 1},
		{[]string{"application/json;q=7"}, "application/json", 1},
		{[]string{"application/json;charset=utf-8;q=0.3"}, "application/json", 0.3},
	} {
		if got := negotiate.Quality(row.accept, row.media); got != row.want {
			t.Errorf("Quality(%q, %q) = %v, want %v", row.accept, row.media, got, row.want)
		}
	}
}

func TestPrefers(t *testing.T) {
	t.Parallel()
	const a2a, plain = "application/a2a+json", "application/json"
	for _, row := range []struct {
		accept []string
		want   bool
	}{
		{nil, false},
		{[]string{"*/*"}, false},
		{[]string{plain}, false},
		{[]string{a2a}, true},
		{[]string{"Application/A2A+JSON"}, true},
		{[]string{a2a + ", */*"}, true},
		{[]string{"*/*, " + a2a}, true},
		{[]string{a2a + ", " + plain}, true},
		{[]string{plain + ", " + a2a}, false},
		{[]string{plain + ";q=0.9", a2a}, true},
		{[]string{a2a + ";q=0.1, " + plain}, false},
		{[]string{a2a + ";q=0"}, false},
	} {
		if got := negotiate.Prefers(row.accept, a2a, plain); got != row.want {
			t.Errorf("Prefers(%q) = %v", row.accept, got)
		}
	}
}

func TestEncoding(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		accept []string
		want   bool
	}{
		{nil, false},
		{[]string{"gzip"}, true},
		{[]string{"br, GZIP;q=0.1"}, true},
		{[]string{"gzip;q=0, *"}, false},
		{[]string{"*"}, true},
		{[]string{"br"}, false},
	} {
		if got := negotiate.Encoding(row.accept, "gzip"); got != row.want {
			t.Errorf("Encoding(%q) = %v", row.accept, got)
		}
	}
}
