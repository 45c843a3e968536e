package errmapmcp

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

// redacted is all that is ever shown of a secret.
const redacted = "#Secret<redacted>"

// Secret holds a text that must not be shown, such as a token or a session id.
// It shows as "#Secret<redacted>" through every verb of fmt, through log/slog,
// encoding/json and whatever else marshals text; only Reveal gives it away. It
// is immutable and safe for concurrent use. The zero Secret holds the empty text
// and shows the same.
//
// A Secret must not stand in an unexported field that is printed: fmt then sees
// no method of it. It shows an address in that case, still not the text.
type Secret struct {
	// A closure, since printers that follow pointers do not look into it.
	reveal func() string
}

// NewSecret returns the secret of a text.
func NewSecret(text string) Secret { return Secret{func() string { return text }} }

// Reveal returns the text.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// Equal tells whether other holds the same text, in a time that does not depend
// on where they differ.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// IsZero tells whether the text is empty.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// String returns "#Secret<redacted>".
func (Secret) String() string { return redacted }

// GoString returns "#Secret<redacted>".
func (Secret) GoString() string { return redacted }

// Format writes "#Secret<redacted>", whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue returns "#Secret<redacted>".
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns "#Secret<redacted>".
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalBinary returns "#Secret<redacted>".
func (Secret) MarshalBinary() ([]byte, error) { return []byte(redacted), nil }

// UnmarshalText takes the text in, so that a secret can be read from a
// configuration.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}
