package errmapmcp

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// terminateWait is how long a stdio server may take to end by itself, and
	// then again after SIGTERM, as the SDK has it.
	terminateWait = 5 * time.Second
	// exitWait is how long the end of a connection waits for the exit of the
	// server, to tell it.
	exitWait = 250 * time.Millisecond
	// orphanWait is how long what a server left running may hold its output.
	orphanWait = 500 * time.Millisecond
	// maxStderr is how much of the standard error is kept, in bytes.
	maxStderr = 4 << 10
)

// commandTransport runs a stdio server, as the SDK's CommandTransport does, and
// knows how it ended.
type commandTransport struct {
	command *exec.Cmd
	wait    time.Duration
	limit   int
	// acquire counts the server against the bound of the client; release gives
	// its place back when it is gone.
	acquire func() *Error
	release func()
}

// Connect starts the server.
func (t *commandTransport) Connect(context.Context) (mcp.Connection, error) {
	if e := t.acquire(); e != nil {
		return nil, &fault{e}
	}
	p, err := t.start()
	if err != nil {
		t.release()
		return nil, &fault{newError(KindTransport, ReasonStart, WithCause(err))}
	}
	return &commandConn{newLineConn(p.stdout, p.stdin, t.limit, p.explain), p}, nil
}

func (t *commandTransport) start() (*process, error) {
	p := &process{command: t.command, wait: t.wait, exited: make(chan struct{})}
	if p.wait <= 0 {
		p.wait = terminateWait
	}
	if t.command.Stdout != nil {
		return nil, errors.New("errmapmcp: the command has a Stdout of its own")
	}
	stdin, err := t.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Not StdoutPipe: Wait would close it with the last answer still in it.
	stdout, theirs, err := os.Pipe()
	if err != nil {
		_ = stdin.Close()
		return nil, err
	}
	t.command.Stdout = theirs
	if t.command.Stderr == nil {
		t.command.Stderr = &p.stderr
	}
	if t.command.WaitDelay == 0 {
		t.command.WaitDelay = orphanWait
	}
	p.stdin, p.stdout = stdin, stdout
	err = t.command.Start()
	_ = theirs.Close()
	if err != nil {
		_, _ = stdin.Close(), stdout.Close()
		return nil, err
	}
	go func() {
		p.waitErr = t.command.Wait()
		t.release()
		close(p.exited)
		// What the server itself wrote is in the pipe by now; only a child of
		// its own can hold it open.
		time.AfterFunc(orphanWait, func() { _ = stdout.Close() })
	}()
	return p, nil
}

// commandConn is the connection to a stdio server. Closing it ends the server.
type commandConn struct {
	*lineConn
	process *process
}

// Close closes the standard input of the server, waits for it to exit, and kills
// it in the end. It returns what exec.Cmd.Wait returned.
func (c *commandConn) Close() error {
	_ = c.process.stdin.Close()
	err := c.process.end()
	_ = c.lineConn.Close()
	return err
}

// process is a stdio server that runs.
type process struct {
	command *exec.Cmd
	wait    time.Duration
	stdin   io.WriteCloser
	stdout  *os.File
	stderr  tail
	exited  chan struct{}
	waitErr error // once exited is closed
}

// end makes the process exit, and waits until it has.
func (p *process) end() error {
	if p.within(p.wait) {
		return p.waitErr
	}
	if p.command.Process.Signal(syscall.SIGTERM) == nil && p.within(p.wait) {
		return p.waitErr
	}
	_ = p.command.Process.Kill()
	<-p.exited
	return p.waitErr
}

// within tells whether the process exits in that time.
func (p *process) within(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// explain returns why the connection ended: with the exit of the server where it
// exits now.
func (p *process) explain(err error) *Error {
	if e := inChain(err); e != nil {
		return e
	}
	if !p.within(exitWait) {
		return ioError(err, false)
	}
	opts := []ErrorOption{WithCause(err), WithData(DataExitCode, p.command.ProcessState.ExitCode())}
	if p.waitErr != nil {
		opts[0] = WithCause(p.waitErr)
	}
	if text := p.stderr.String(); text != "" {
		opts = append(opts, WithData(DataStderr, NewSecret(text)))
	}
	reason := NewReason(tokenExit, int64(p.command.ProcessState.ExitCode()))
	if status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		reason = NewReason(tokenSignal, int64(status.Signal()))
	}
	return newError(KindConnectionDown, reason, opts...)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write keeps the end of p.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - maxStderr; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// String returns what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
