//go:build linux

package harness

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/system/state"
)

// Project is a copy of the base project for a test that is written in Go. Everything that aura touches has its own
// directories.
type Project struct {
	T   *testing.T
	Dir string
	// Bin is the directory of aura and its plugin host.
	Bin     string
	Runtime string
	// Home is the user's home directory; the project has a link to it.
	Home string
	// State is the directory of the project's state, below stateHome.
	State, StateHome string
	// User is the user that aura runs as; nil means the user who runs the tests.
	User *syscall.Credential
	// Wrapper is a command that runs aura; it may be empty.
	Wrapper []string
	// Root is the directory that holds everything of the test, if it is not the parent directory of the project.
	Root string
}

// NewProject creates a copy of the base project, which the end of the test removes.
func NewProject(t *testing.T) *Project {
	t.Helper()
	p := &Project{T: t, Dir: filepath.Join(t.TempDir(), "project"), Bin: QuickBin}
	p.Check(Overlay("../testdata/base", p.Dir))
	p.Check(os.Mkdir(filepath.Join(p.Dir, ".tmp"), 0o755))
	var err error
	p.Home, err = newHome(p.Dir)
	p.Check(err)
	p.Runtime, err = os.MkdirTemp("", "ar") //nolint:usetesting // the path of a socket must be short
	p.Check(err)
	p.StateHome, err = os.MkdirTemp("", "aura-state-") //nolint:usetesting // it must not lie in the test's own directory, beside the project
	p.Check(err)
	p.State = state.Locate(p.StateHome, "", p.Dir).Project
	t.Cleanup(func() {
		// Only a failed test leaves processes behind.
		for _, pid := range Strays(p.Dir) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		p.Check(errors.Join(os.RemoveAll(p.Runtime), os.RemoveAll(p.StateHome), os.RemoveAll(filepath.Dir(p.Home))))
	})
	return p
}

// Check ends the test if there is an error.
func (p *Project) Check(err error) {
	p.T.Helper()
	if err != nil {
		p.T.Fatal(err)
	}
}

// Write writes a file below the project.
func (p *Project) Write(name, content string) {
	p.T.Helper()
	path := filepath.Join(p.Dir, name)
	p.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	p.Check(os.WriteFile(path, []byte(content), 0o644))
}

// Plugin writes a plugin.
func (p *Project) Plugin(name, manifest, source string) {
	p.T.Helper()
	dir := ".aura/plugins/" + name + "/"
	p.Write(dir+"go.mod", "module "+name+"\n\ngo 1.26\n")
	p.Write(dir+"plugin.yaml", manifest)
	p.Write(dir+"main.go", source)
}

// Read returns the content of a file below the project, or nil if the file does not exist.
func (p *Project) Read(name string) []byte {
	p.T.Helper()
	b, err := os.ReadFile(p.Path(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.T.Fatal(err)
	}
	return b
}

// Give changes the owner of the project to another user. aura then runs as that user.
func (p *Project) Give(id uint32) {
	p.T.Helper()
	p.User = &syscall.Credential{Uid: id, Gid: id}
	p.Check(os.Chmod(Bin, 0o755))
	for _, root := range []string{p.Dir, p.Runtime, p.StateHome, p.Home} {
		p.Check(filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, int(id), int(id)))
		}))
	}
	for dir := filepath.Dir(p.Dir); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		p.Check(os.Chmod(dir, 0o755))
	}
}

// Command returns a command that runs aura with these arguments. Its output goes to files, so that waiting for the command
// waits only for aura to exit.
func (p *Project) Command(args ...string) *exec.Cmd {
	p.T.Helper()
	line := slices.Concat(p.Wrapper, []string{filepath.Join(p.Bin, "aura")}, args)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir = p.Dir
	cmd.Env = []string{
		"PATH=" + p.Bin + string(os.PathListSeparator) + os.Getenv("PATH"), "PWD=" + p.Dir,
		"HOME=" + p.Home, "XDG_CACHE_HOME=" + filepath.Join(p.Home, ".cache"), "XDG_RUNTIME_DIR=" + p.Runtime,
		"XDG_STATE_HOME=" + p.StateHome, "AURA_TRUST=1", "AURA_DEMONSTRATION=1",
		"TMPDIR=" + filepath.Join(p.Dir, ".tmp"), "GORACE=halt_on_error=1 exitcode=66 atexit_sleep_ms=0",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.User}
	return cmd
}

// Aura is a running aura process.
type Aura struct {
	*Project
	Cmd  *exec.Cmd
	Done chan struct{}
}

// Start starts aura. aura is killed at the end of the test if it has not exited.
func (p *Project) Start(args ...string) *Aura {
	p.T.Helper()
	return p.StartCommand(p.Command(args...))
}

// StartCommand starts aura as Start does, with a command that the test changed.
func (p *Project) StartCommand(cmd *exec.Cmd) *Aura {
	p.T.Helper()
	out, err := os.Create(filepath.Join(p.Dir, "stdout.txt"))
	p.Check(err)
	errs, err := os.Create(filepath.Join(p.Dir, "stderr.txt"))
	p.Check(err)
	cmd.Stdout, cmd.Stderr = out, errs
	p.Check(errors.Join(cmd.Start(), out.Close(), errs.Close()))
	return p.Running(cmd)
}

// Running watches a started command.
func (p *Project) Running(cmd *exec.Cmd) *Aura {
	a := &Aura{Project: p, Cmd: cmd, Done: make(chan struct{})}
	go func() {
		defer close(a.Done)
		_ = cmd.Wait()
	}()
	p.T.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-a.Done
	})
	return a
}

// Wait returns aura's exit code, or -1 if a signal killed it.
func (a *Aura) Wait() int {
	a.T.Helper()
	select {
	case <-a.Done:
	case <-time.After(Patience):
		a.T.Fatalf("aura did not end within %s\n%s", Patience, a.Stderr())
	}
	return a.Cmd.ProcessState.ExitCode()
}

// Signal sends a signal to aura.
func (a *Aura) Signal(sig os.Signal) {
	a.T.Helper()
	a.Check(a.Cmd.Process.Signal(sig))
}

// Stdout returns what the last started aura has written to its standard output.
func (p *Project) Stdout() []byte { return p.Read("stdout.txt") }

// Stderr returns what the last started aura has written to its standard error.
func (p *Project) Stderr() []byte { return p.Read("stderr.txt") }

// Run runs aura until it exits and fails the test unless it succeeds.
func (p *Project) Run(args ...string) {
	p.T.Helper()
	if code := p.Start(args...).Wait(); code != 0 {
		p.T.Fatalf("aura %q: exit code %d\n%s", args, code, p.Stderr())
	}
}

// Until waits until ok returns true.
func (p *Project) Until(what string, ok func() bool) {
	p.T.Helper()
	deadline := time.Now().Add(Patience)
	for !ok() {
		if time.Now().After(deadline) {
			p.T.Fatalf("waited %s for %s\n%s", Patience, what, p.Stderr())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Await waits until a file matches a pattern.
func (p *Project) Await(name, pattern string) {
	p.T.Helper()
	re := regexp.MustCompile(pattern)
	p.Until(pattern+" in "+name, func() bool { return re.Match(p.Read(name)) })
}

// Wants checks that a text matches all patterns.
func (p *Project) Wants(text []byte, patterns ...string) {
	p.T.Helper()
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).Match(text) {
			p.T.Errorf("no %q in\n%s", pattern, text)
		}
	}
}

// PID asks a second aura for the process ID of a plugin.
func (p *Project) PID(plugin string) int {
	p.T.Helper()
	cmd := p.Command("plugins", "show", plugin, "--json")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		p.T.Fatalf("showing plugin %s: %v\n%s", plugin, err, errs.Bytes())
	}
	pid, err := PIDIn(out.Bytes())
	if err != nil {
		p.T.Fatalf("reading the process of plugin %s: %v\n%s", plugin, err, out.Bytes())
	}
	return pid
}

// NoProcess waits until no process of the project runs and no process has the file "hold" open.
func (p *Project) NoProcess() {
	p.T.Helper()
	p.Until("the end of all processes", func() bool {
		return len(Strays(p.Dir)) == 0 && !Held(filepath.Join(p.Dir, "hold"))
	})
}

// NoTrace waits for NoProcess and checks that the runtime directory is empty.
func (p *Project) NoTrace() {
	p.T.Helper()
	p.NoProcess()
	left, err := filepath.Glob(filepath.Join(p.Runtime, "aura", "s-*"))
	p.Check(err)
	if len(left) > 0 {
		p.T.Errorf("left behind: %v", left)
	}
}

// Saved reads the only session of the project.
func (p *Project) Saved() session.Session {
	p.T.Helper()
	files, err := filepath.Glob(filepath.Join(p.State, "sessions/*.jsonl"))
	p.Check(err)
	if len(files) != 1 {
		p.T.Fatalf("%d sessions are saved, want 1", len(files))
	}
	s, err := session.Load(files[0])
	p.Check(err)
	if s.Torn {
		p.T.Errorf("%s ends in the middle of a record", files[0])
	}
	return s
}

// Complete checks that each tool call of a session has one result, so that the session can be continued.
func Complete(t *testing.T, s session.Session) {
	t.Helper()
	open := map[string]bool{}
	for _, m := range s.Messages {
		for _, call := range m.ToolCalls {
			open[call.ID] = true
		}
		if m.Role == llm.RoleTool {
			if !open[m.ToolCallID] {
				t.Errorf("a result belongs to no call: %q", m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without a result: %v", open)
	}
}

// Path returns a path below the project, or name itself if it is absolute.
func (p *Project) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Dir, name)
}

// Walk walks through the project, the home and aura's state.
func (p *Project) Walk(visit fs.WalkDirFunc) error {
	return errors.Join(filepath.WalkDir(p.Dir, visit), filepath.WalkDir(p.Home, visit), filepath.WalkDir(p.StateHome, visit))
}

// Log returns the path of a plugin's log.
func (p *Project) Log(plugin string) string {
	return filepath.Join(p.State, "logs/plugins", plugin+".log")
}

// Script sets the turns of the scripted model.
func (p *Project) Script(turns string) {
	p.T.Helper()
	p.Write(".aura/config/talk.yaml",
		"model: {name: talker, family: script, parameter_count: 8000000000, context_length: 20000, capabilities: [tools, thinking]}\nturns:\n"+turns)
}

// Aura runs aura until it exits, with any exit code, and returns its output.
func (p *Project) Aura(args ...string) []byte {
	p.T.Helper()
	p.Start(args...).Wait()
	return slices.Concat(p.Stdout(), p.Stderr())
}

// Find returns the files of aura that match a pattern. At least one file must exist.
func (p *Project) Find(pattern string) []string {
	p.T.Helper()
	var found []string
	p.Check(p.Walk(func(path string, _ fs.DirEntry, err error) error {
		if ok, _ := filepath.Match(pattern, filepath.Base(path)); ok {
			found = append(found, path)
		}
		return err
	}))
	if len(found) == 0 {
		p.T.Fatalf("there is no %s", pattern)
	}
	return found
}
