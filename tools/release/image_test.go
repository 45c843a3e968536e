package main

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The image has the command alone, runs it as a user that is not root, and asks it
// for its health. The container shares the network of this machine, for it is run
// without a daemon.
func TestImage(t *testing.T) {
	buildah := strings.Fields(os.Getenv("BUILDAH"))
	if len(buildah) == 0 {
		t.Fatal("BUILDAH names no buildah: run make release-check in the root")
	}
	c := command{dir: t.TempDir()}
	run := func(args ...string) string {
		t.Helper()
		return c.run(t, buildah[0], append(buildah[1:], args...)...)
	}
	var image struct {
		Docker struct {
			Config struct {
				User, WorkingDir string
				Entrypoint, Cmd  []string
				Healthcheck      struct{ Test []string }
				ExposedPorts     map[string]any
			}
		}
	}
	if err := json.Unmarshal([]byte(run("inspect", "--type", "image", "errmap:check")), &image); err != nil {
		t.Fatal(err)
	}
	config := image.Docker.Config
	if config.User != "65532:65532" {
		t.Errorf("it runs as %q", config.User)
	}
	if want := []string{"CMD", "/errmap", "health", "http://127.0.0.1:8080"}; !slices.Equal(config.Healthcheck.Test, want) {
		t.Errorf("its health is %q, want %q", config.Healthcheck.Test, want)
	}
	if _, ok := config.ExposedPorts["8080/tcp"]; !ok || !slices.Equal(config.Entrypoint, []string{"/errmap"}) || len(config.Cmd) == 0 {
		t.Errorf("it runs %q %q and exposes %v", config.Entrypoint, config.Cmd, config.ExposedPorts)
	}

	if c, err := net.Dial("tcp", "127.0.0.1:8080"); err == nil {
		c.Close()
		t.Fatal("something else listens on port 8080, which the image's own server and probe are tried on")
	}
	container := strings.TrimSpace(run("from", "--pull-never", "errmap:check"))
	t.Cleanup(func() { c.try(context.Background(), buildah[0], append(buildah[1:], "rm", container)...) }) //nolint:errcheck // a leftover does not matter
	inside := append(slices.Clone(buildah[1:]), "run", "--isolation", "chroot", container, "--")
	out := c.run(t, buildah[0], append(inside, "/errmap", "--version")...)
	if !strings.HasPrefix(out, "errmap ") {
		t.Errorf("errmap --version says %q", out)
	}

	// Nobody is there yet, and then somebody is.
	health := append(slices.Clone(inside), config.Healthcheck.Test[1:]...)
	if stdout, stderr, err := c.try(t.Context(), buildah[0], health...); err == nil {
		t.Errorf("it is healthy before it runs: %s%s", stdout, stderr)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	server := exec.CommandContext(ctx, buildah[0], append(inside, append(slices.Clone(config.Entrypoint), config.Cmd...)...)...)
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	server.WaitDelay = 10 * time.Second
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		stdout, stderr, err := c.try(t.Context(), buildah[0], health...)
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("it is not healthy: %v\n%s%s", err, stdout, stderr)
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	// It is the process of another user.
	status := read(t, "/proc/"+child(t, server.Process.Pid, "/errmap")+"/status")
	if !strings.Contains(status, "Uid:\t65532\t65532\t65532\t65532\n") {
		t.Errorf("errmap runs as\n%s", status)
	}
	stop()
	server.Wait() //nolint:errcheck // it was interrupted
}

// child is the process below another one that runs a program.
func child(t *testing.T, parent int, program string) string {
	t.Helper()
	parents := make(map[string]string)
	var found []string
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("no /proc on this system")
	}
	for _, e := range entries {
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 {
			parents[e.Name()] = fields[1]
		}
		if line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline"); err == nil && strings.HasPrefix(string(line), program+"\x00") {
			found = append(found, e.Name())
		}
	}
	for _, pid := range found {
		for at := pid; at != "" && at != "0"; at = parents[at] {
			if at == strconv.Itoa(parent) {
				return pid
			}
		}
	}
	t.Fatalf("no %s runs below process %d", program, parent)
	return ""
}
