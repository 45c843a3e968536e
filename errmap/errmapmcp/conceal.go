package errmapmcp

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
)

const (
	// minSecret is how long a text must be to be looked for, in bytes: one that is
	// shorter occurs by chance.
	minSecret = 3
	// minQueryValue is that of a value in a query, which need not be a secret.
	minQueryValue = 8
	// maxSecrets is how many texts of one connection are remembered; tokens are
	// renewed, and the oldest are forgotten.
	maxSecrets = 64
)

// secrets are the texts of one connection that no error may show: session ids,
// credentials and what stands in the query of its URLs. They are safe for
// concurrent use.
type secrets struct {
	mu    sync.Mutex
	texts []string
}

// add remembers texts.
func (s *secrets) add(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		if len(text) < minSecret || slices.Contains(s.texts, text) {
			continue
		}
		s.texts = append(s.texts, text)
		if len(s.texts) > maxSecrets {
			s.texts = s.texts[1:]
		}
	}
}

// addURL remembers what of a URL is not for others.
func (s *secrets) addURL(u *url.URL) {
	s.add(u.RawQuery)
	for _, values := range u.Query() {
		for _, value := range values {
			if len(value) >= minQueryValue {
				s.add(value)
			}
		}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		s.add(password)
	}
}

// addRequest remembers what of a request is not for others.
func (s *secrets) addRequest(req *http.Request) {
	s.addURL(req.URL)
	s.add(req.Header.Get(headerSession), req.Header.Get("Cookie"))
	for _, cookie := range req.Cookies() {
		s.add(cookie.Value)
	}
	for _, name := range []string{"Authorization", "Proxy-Authorization"} {
		value := req.Header.Get(name)
		_, credentials, _ := strings.Cut(value, " ")
		s.add(value, credentials)
	}
}

// conceal returns an error by which no way leads to one of the secrets: err itself
// where none is in it.
func (s *secrets) conceal(err error) error {
	texts := s.all()
	if !tells(err, texts) {
		return err
	}
	// The longest first: one may hold another.
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(texts))
	for _, text := range texts {
		pairs = append(pairs, text, redacted)
	}
	hidden := &concealed{err, texts}
	return &concealedError{strings.NewReplacer(pairs...).Replace(err.Error()), func() *concealed { return hidden }}
}

// concealCause returns e with a cause that tells no secret.
func (s *secrets) concealCause(e *Error) *Error {
	cause := e.Cause()
	if !tells(cause, s.all()) {
		return e
	}
	return e.as(e.kind, WithCause(s.conceal(cause)))
}

// all returns the texts, which are the caller's.
func (s *secrets) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.texts)
}

// concealedError stands for an error whose text, or that of a link of it, has a
// secret. errors.Is and errors.As look through it, and what walks a chain ends at
// it.
type concealedError struct {
	text string
	// A closure, since printers that follow pointers do not look into it.
	hidden func() *concealed
}

// concealed is what a concealedError does not show.
type concealed struct {
	err   error
	texts []string // the secrets
}

// Error returns the text without the secrets.
func (e *concealedError) Error() string { return e.text }

// Is tells whether target is in the chain that is hidden.
func (e *concealedError) Is(target error) bool { return errors.Is(e.hidden().err, target) }

// As finds what is in the chain that is hidden, unless that tells a secret.
func (e *concealedError) As(target any) bool {
	hidden := e.hidden()
	if !errors.As(hidden.err, target) {
		return false
	}
	value := reflect.ValueOf(target).Elem() // errors.As has seen that it is a pointer
	if found, ok := value.Interface().(error); ok && tells(found, hidden.texts) {
		value.SetZero()
		return false
	}
	return true
}

// tells says whether one of the texts is in an error or in a link of its chain.
func tells(err error, texts []string) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	if slices.ContainsFunc(texts, func(secret string) bool { return strings.Contains(text, secret) }) {
		return true
	}
	switch wrapper := err.(type) { // a link, not a chain
	case interface{ Unwrap() error }:
		return tells(wrapper.Unwrap(), texts)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(wrapper.Unwrap(), func(member error) bool { return tells(member, texts) })
	}
	return false
}
