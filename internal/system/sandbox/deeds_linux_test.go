package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

func unixSockets(p *sandbox.Policy) { p.UnixSockets = true }

// deeds lists what a confined process must be able to do: a sandbox in which nothing works would pass every test of escapes.
var deeds = map[string]weapon{
	"read the working directory":  {run: func(s scene) error { return reads(s.path("work/main.go"), "package") }},
	"read what is protected":      {run: func(s scene) error { return reads(s.path("work/.git/config"), "") }},
	"list the working directory":  {run: func(scene) error { _, err := os.ReadDir("."); return err }},
	"write the working directory": {run: func(scene) error { return os.WriteFile("new", []byte("x"), 0o600) }},
	"chmod in it":                 {run: func(scene) error { return os.Chmod("main.go", 0o600) }},
	"write temporary files":       {run: func(s scene) error { return os.WriteFile(s.path("tmp/new"), nil, 0o600) }},
	"write the data directory":    {run: func(s scene) error { return appendTo(s.path("data/x")) }},
	"move between directories": {run: func(scene) error {
		return errors.Join(os.Mkdir("sub", 0o700), os.Rename("main.go", "sub/main.go"))
	}},
	"commit to Git": {run: func(scene) error {
		return errors.Join(os.WriteFile(".git/index.lock", nil, 0o600), os.Rename(".git/index.lock", ".git/index"))
	}},
	"remove a tree": {run: func(scene) error {
		return errors.Join(os.MkdirAll("a/b", 0o700), os.WriteFile("a/b/c", nil, 0o600), os.RemoveAll("a"))
	}},
	"read the system":    {run: func(scene) error { _, err := os.ReadDir("/usr/bin"); return err }},
	"read itself":        {run: func(s scene) error { return opens(s.path("bin/suite")) }},
	"read its own /proc": {run: func(scene) error { return reads("/proc/self/status", "NoNewPrivs:\t1") }},
	"have no capabilities": {run: func(scene) error {
		return reads("/proc/self/status", "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000")
	}},
	"gain no capabilities": {change: shell, mounts: true, run: func(scene) error { return reads("/proc/self/status", "CapBnd:\t0000000000000000") }},
	"write /dev/null":      {run: func(scene) error { return appendTo("/dev/null") }},
	"TCP":                  {run: func(s scene) error { return connects("tcp", s.TCP) }},
	"UDP":                  {run: func(s scene) error { return connects("udp", s.UDP) }},
	"TCP server":           {run: func(scene) error { return listens("tcp", "127.0.0.1:0") }},
	"pair of sockets": {run: func(scene) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		return err
	}},
	"pipe of programs": {change: shell, run: func(scene) error {
		out, err := exec.Command("/bin/sh", "-c", "ls | sort > sorted; cat sorted").CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}},
	"program of the working directory": {change: shell, run: func(scene) error {
		if err := os.WriteFile("tool", []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
			return err
		}
		return exec.Command("./tool").Run()
	}},
	// Without a process namespace the parent sends the signal: see restrictFiles.
	"signal to its own": {change: shell, mounts: true, run: signalFromOtherThread},
	"any file, without a sandbox for files": {change: func(p *sandbox.Policy) { *p = p.WithoutFiles() }, run: func(s scene) error {
		return errors.Join(os.WriteFile(s.path("home/new"), nil, 0o600), appendTo(s.path("work/.git/config")))
	}},
	"private shared memory": {change: shell, mounts: true, run: func(scene) error {
		name := fmt.Sprintf("/dev/shm/aura-suite-%d", os.Getpid())
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			return err
		}
		entries, err := os.ReadDir("/dev/shm")
		if err == nil && len(entries) != 1 {
			err = errors.New("it is not private")
		}
		return errors.Join(err, os.Remove(name))
	}},
	"socket, allowed":          {change: unixSockets, run: func(s scene) error { return connects("unix", s.path("work/socket")) }},
	"abstract socket, allowed": {change: unixSockets, run: func(s scene) error { return connects("unix", s.Abstract) }},
}

// TestUncovered checks that a process without namespaces reports what it lacks, and that a process with namespaces creates the
// missing directory.
func TestUncovered(t *testing.T) {
	t.Parallel()
	requireSupport(t)
	u := users()[0]
	for _, isolate := range isolations(t, weapon{}) {
		s := scene{Attack: "write the working directory", Base: u.layout(t), Isolate: isolate}
		if err := os.RemoveAll(s.path("work/.git/hooks")); err != nil {
			t.Fatal(err)
		}
		s.Policy = s.policy(sandbox.KindPlugin)
		o := u.play(t, s)
		if got := len(o.Report.Uncovered) == 0; got != isolate {
			t.Errorf("isolate = %t: uncovered %q", isolate, o.Report.Uncovered)
		}
		if _, err := os.Stat(s.path("work/.git/hooks")); (err == nil) != isolate {
			t.Errorf("isolate = %t: the missing directory: %v", isolate, err)
		}
		if _, err := os.Stat(filepath.Join(s.path("work"), "new")); err != nil {
			t.Error(err)
		}
	}
}

// TestMissing checks that a process reports missing paths that cannot be protected, and that it does not turn the working
// directory into a repository.
func TestMissing(t *testing.T) {
	t.Parallel()
	requireSupport(t)
	if !canIsolate() {
		testneed.Missing(t, testneed.Namespaces, "the system allows no namespaces with a /proc")
	}
	u := users()[0]
	s := scene{Attack: "write the working directory", Base: u.layout(t), Isolate: true}
	if err := errors.Join(os.RemoveAll(s.path("work/.aura")), os.RemoveAll(s.path("work/.git"))); err != nil {
		t.Fatal(err)
	}
	s.Policy = s.policy(sandbox.KindShell)
	s.Policy.Exposed = []string{s.path()}
	o := u.play(t, s)
	for _, name := range []string{"work/.aura", "work/.git"} {
		if want := s.path(name) + " does not exist, so what is made there is not protected"; !slices.Contains(o.Report.Missing, want) {
			t.Errorf("missing %q, want %q", o.Report.Missing, want)
		}
		if _, err := os.Lstat(s.path(name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
	if want := []string{s.path() + " cannot stay read-only, because the working directory is inside of it"}; !slices.Equal(o.Report.Uncovered, want) {
		t.Errorf("uncovered %q, want %q", o.Report.Uncovered, want)
	}
}

// TestUncoveredLink checks that a link in place of a protected directory is reported: the link itself can be replaced.
func TestUncoveredLink(t *testing.T) {
	t.Parallel()
	requireSupport(t)
	u := users()[0]
	s := scene{Attack: "write the working directory", Base: u.layout(t), Isolate: canIsolate()}
	if err := errors.Join(os.Rename(s.path("work/.aura"), s.path("work/real")), os.Symlink("real", s.path("work/.aura"))); err != nil {
		t.Fatal(err)
	}
	s.Policy = s.policy(sandbox.KindPlugin)
	o := u.play(t, s)
	if text := strings.Join(o.Report.Uncovered, "\n"); strings.Count(text, s.path("work/.aura")+" is a symbolic link") != 1 {
		t.Errorf("uncovered %s", text)
	}
}

// signalFromOtherThread kills a program from a thread other than the one that started it.
func signalFromOtherThread(scene) error {
	cmd := exec.Command("/bin/sleep", "60")
	runtime.LockOSThread()
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error)
	// This thread is locked, so the goroutine runs on another thread.
	go func() { done <- cmd.Process.Kill() }()
	return <-done
}
