//go:build linux

package e2e

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

// project is a copy of the base project for a test that is written in Go. Everything that aura touches has its own
// directories.
type project struct {
	t   *testing.T
	dir string
	// bin is the directory of aura and its plugin host.
	bin     string
	runtime string
	// home is the user's home directory; the project has a link to it.
	home string
	// state is the directory of the project's state, below stateHome.
	state, stateHome string
	// user is the user that aura runs as; nil means the user who runs the tests.
	user *syscall.Credential
	// wrapper is a command that runs aura; it may be empty.
	wrapper []string
	// root is the directory that holds everything of the test, if it is not the parent directory of the project.
	root string
}

func newProject(t *testing.T) *project {
	t.Helper()
	p := &project{t: t, dir: filepath.Join(t.TempDir(), "project"), bin: quickBin}
	p.check(overlay("testdata/base", p.dir))
	p.check(os.Mkdir(filepath.Join(p.dir, ".tmp"), 0o755))
	var err error
	p.home, err = newHome(p.dir)
	p.check(err)
	p.runtime, err = os.MkdirTemp("", "ar") //nolint:usetesting // the path of a socket must be short
	p.check(err)
	p.stateHome, err = os.MkdirTemp("", "aura-state-") //nolint:usetesting // it must not lie in the test's own directory, beside the project
	p.check(err)
	p.state = state.Locate(p.stateHome, "", p.dir).Project
	t.Cleanup(func() {
		// Only a failed test leaves processes behind.
		for _, pid := range strays(p.dir) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		p.check(errors.Join(os.RemoveAll(p.runtime), os.RemoveAll(p.stateHome), os.RemoveAll(filepath.Dir(p.home))))
	})
	return p
}

func (p *project) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// write writes a file below the project.
func (p *project) write(name, content string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	p.check(os.MkdirAll(filepath.Dir(path), 0o755))
	p.check(os.WriteFile(path, []byte(content), 0o644))
}

// plugin writes a plugin.
func (p *project) plugin(name, manifest, source string) {
	p.t.Helper()
	dir := ".aura/plugins/" + name + "/"
	p.write(dir+"go.mod", "module "+name+"\n\ngo 1.26\n")
	p.write(dir+"plugin.yaml", manifest)
	p.write(dir+"main.go", source)
}

// read returns the content of a file below the project, or nil if the file does not exist.
func (p *project) read(name string) []byte {
	p.t.Helper()
	b, err := os.ReadFile(p.path(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	return b
}

// give changes the owner of the project to another user. aura then runs as that user.
func (p *project) give(id uint32) {
	p.t.Helper()
	p.user = &syscall.Credential{Uid: id, Gid: id}
	p.check(os.Chmod(bin, 0o755))
	for _, root := range []string{p.dir, p.runtime, p.stateHome, p.home} {
		p.check(filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, int(id), int(id)))
		}))
	}
	for dir := filepath.Dir(p.dir); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		p.check(os.Chmod(dir, 0o755))
	}
}

// command returns a command that runs aura with these arguments. Its output goes to files, so that waiting for the command
// waits only for aura to exit.
func (p *project) command(args ...string) *exec.Cmd {
	p.t.Helper()
	line := slices.Concat(p.wrapper, []string{filepath.Join(p.bin, "aura")}, args)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir = p.dir
	cmd.Env = []string{
		"PATH=" + p.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "PWD=" + p.dir,
		"HOME=" + p.home, "XDG_CACHE_HOME=" + filepath.Join(p.home, ".cache"), "XDG_RUNTIME_DIR=" + p.runtime,
		"XDG_STATE_HOME=" + p.stateHome, "AURA_TRUST=1", "AURA_DEMONSTRATION=1",
		"TMPDIR=" + filepath.Join(p.dir, ".tmp"), "GORACE=halt_on_error=1 exitcode=66 atexit_sleep_ms=0",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.user}
	return cmd
}

// aura is a running aura process.
type aura struct {
	*project
	cmd  *exec.Cmd
	done chan struct{}
}

// start starts aura. aura is killed at the end of the test if it has not exited.
func (p *project) start(args ...string) *aura {
	p.t.Helper()
	return p.startCommand(p.command(args...))
}

// startCommand starts aura as start does, with a command that the test changed.
func (p *project) startCommand(cmd *exec.Cmd) *aura {
	p.t.Helper()
	out, err := os.Create(filepath.Join(p.dir, "stdout.txt"))
	p.check(err)
	errs, err := os.Create(filepath.Join(p.dir, "stderr.txt"))
	p.check(err)
	cmd.Stdout, cmd.Stderr = out, errs
	p.check(errors.Join(cmd.Start(), out.Close(), errs.Close()))
	return p.running(cmd)
}

// running watches a started command.
func (p *project) running(cmd *exec.Cmd) *aura {
	a := &aura{project: p, cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		_ = cmd.Wait()
	}()
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-a.done
	})
	return a
}

// wait returns aura's exit code, or -1 if a signal killed it.
func (a *aura) wait() int {
	a.t.Helper()
	select {
	case <-a.done:
	case <-time.After(patience):
		a.t.Fatalf("aura did not end within %s\n%s", patience, a.stderr())
	}
	return a.cmd.ProcessState.ExitCode()
}

func (a *aura) signal(sig os.Signal) {
	a.t.Helper()
	a.check(a.cmd.Process.Signal(sig))
}

func (p *project) stdout() []byte { return p.read("stdout.txt") }
func (p *project) stderr() []byte { return p.read("stderr.txt") }

// run runs aura until it exits and fails the test unless it succeeds.
func (p *project) run(args ...string) {
	p.t.Helper()
	if code := p.start(args...).wait(); code != 0 {
		p.t.Fatalf("aura %q: exit code %d\n%s", args, code, p.stderr())
	}
}

// until waits until ok returns true.
func (p *project) until(what string, ok func() bool) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			p.t.Fatalf("waited %s for %s\n%s", patience, what, p.stderr())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// await waits until a file matches a pattern.
func (p *project) await(name, pattern string) {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	p.until(pattern+" in "+name, func() bool { return re.Match(p.read(name)) })
}

// wants checks that a text matches all patterns.
func (p *project) wants(text []byte, patterns ...string) {
	p.t.Helper()
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).Match(text) {
			p.t.Errorf("no %q in\n%s", pattern, text)
		}
	}
}

// pid asks a second aura for the process ID of a plugin.
func (p *project) pid(plugin string) int {
	p.t.Helper()
	cmd := p.command("plugins", "show", plugin, "--json")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		p.t.Fatalf("showing plugin %s: %v\n%s", plugin, err, errs.Bytes())
	}
	pid, err := pidIn(out.Bytes())
	if err != nil {
		p.t.Fatalf("reading the process of plugin %s: %v\n%s", plugin, err, out.Bytes())
	}
	return pid
}

// noProcess waits until no process of the project runs and no process has the file "hold" open.
func (p *project) noProcess() {
	p.t.Helper()
	p.until("the end of all processes", func() bool {
		return len(strays(p.dir)) == 0 && !held(filepath.Join(p.dir, "hold"))
	})
}

// noTrace waits for noProcess and checks that the runtime directory is empty.
func (p *project) noTrace() {
	p.t.Helper()
	p.noProcess()
	left, err := filepath.Glob(filepath.Join(p.runtime, "aura", "s-*"))
	p.check(err)
	if len(left) > 0 {
		p.t.Errorf("left behind: %v", left)
	}
}

// saved reads the only session of the project.
func (p *project) saved() session.Session {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.state, "sessions/*.jsonl"))
	p.check(err)
	if len(files) != 1 {
		p.t.Fatalf("%d sessions are saved, want 1", len(files))
	}
	s, err := session.Load(files[0])
	p.check(err)
	if s.Torn {
		p.t.Errorf("%s ends in the middle of a record", files[0])
	}
	return s
}

// complete checks that each tool call of a session has one result, so that the session can be continued.
func complete(t *testing.T, s session.Session) {
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

// path returns a path below the project, or name itself if it is absolute.
func (p *project) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, name)
}

// walk walks through the project, the home and aura's state.
func (p *project) walk(visit fs.WalkDirFunc) error {
	return errors.Join(filepath.WalkDir(p.dir, visit), filepath.WalkDir(p.home, visit), filepath.WalkDir(p.stateHome, visit))
}

// log returns the path of a plugin's log.
func (p *project) log(plugin string) string {
	return filepath.Join(p.state, "logs/plugins", plugin+".log")
}
