// Package program runs the programs of others beside a test.
package program

import (
	"bufio"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Run starts a program that is killed when the test ends. first waits for a pattern
// in its output, out returns all of it.
func Run(t *testing.T, command *exec.Cmd) (first func(pattern string) string, out func() string) {
	t.Helper()
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var text strings.Builder
	command.Stderr = writer(func(p []byte) {
		mu.Lock()
		defer mu.Unlock()
		text.Write(p)
	})
	if err := command.Start(); err != nil {
		t.Fatalf("%v: run make test-interop", err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := bufio.NewReader(stdout)
		for {
			line, err := lines.ReadString('\n')
			mu.Lock()
			text.WriteString(line)
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-read
		_ = command.Wait()
	})
	out = func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
	first = func(pattern string) string {
		t.Helper()
		re := regexp.MustCompile(pattern)
		for range 1000 {
			if m := re.FindStringSubmatch(out()); m != nil {
				return m[1]
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("no %s from %s: %s", pattern, command, out())
		return ""
	}
	return first, out
}

type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}
