package errmapmcp_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// childMode names the environment variable that makes the test binary a stdio
// server of a certain kind.
const childMode = "ERRMAPMCP_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(runChild(mode))
	}
	code := m.Run()
	http.DefaultClient.CloseIdleConnections()
	if left := eventually(leftovers); left != "" && code == 0 {
		fmt.Fprintln(os.Stderr, "left behind:\n"+left)
		code = 1
	}
	os.Exit(code)
}

// eventually waits for f to return "", and returns what it returns in the end.
func eventually(f func() string) string {
	var left string
	for range 100 {
		if left = f(); left == "" {
			return ""
		}
		time.Sleep(50 * time.Millisecond)
	}
	return left
}

// leftovers tells what goroutines of the package and of the SDK, and what child
// processes, are left.
func leftovers() string {
	buffer := make([]byte, 1<<20)
	buffer = buffer[:runtime.Stack(buffer, true)]
	var left []string
	for _, stack := range strings.Split(string(buffer), "\n\n")[1:] { // without this one
		if strings.Contains(stack, "errmap/errmapmcp") || strings.Contains(stack, "modelcontextprotocol/go-sdk") {
			left = append(left, stack)
		}
	}
	for _, child := range children() {
		left = append(left, fmt.Sprintf("child process %d", child))
	}
	return strings.Join(left, "\n\n")
}

// children returns the ids of the child processes, where the system has /proc.
func children() []int {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	var ids []int
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// The name, in parentheses, may hold spaces.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(os.Getpid()) {
			id, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			ids = append(ids, id)
		}
	}
	return ids
}
