//go:build unix

package platform_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// The variables by which a make target names the directory of the programs, and the program that runs them: wine, or nothing if
// the kernel starts them.
const (
	binVariable    = "AURA_PLATFORM_BIN"
	runnerVariable = "AURA_PLATFORM_RUNNER"
)

// patience is how long one command may take. It is generous, because emulated programs are slow and machines are busy.
const patience = 4 * time.Minute

// machine is what runs aura.
type machine struct {
	bin, runner string
}

func given(t *testing.T) machine {
	t.Helper()
	m := machine{os.Getenv(binVariable), os.Getenv(runnerVariable)}
	if m.bin == "" {
		testneed.Missing(t, testneed.Platform, binVariable+" is not set: use make platform-arm64 or make platform-windows")
	}
	return m
}

// windows reports whether the programs are those for Windows. Nothing else needs a program that runs them.
func (m machine) windows() bool { return m.runner != "" }

// command returns aura in a directory, as a command that leads a process group.
func (m machine) command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	program := filepath.Join(m.bin, "aura")
	if m.windows() {
		args = append([]string{program + ".exe"}, args...)
		program = m.runner
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "AURA_TRUST=1", "WINEDEBUG=-all", "DISPLAY=")
	if !m.windows() {
		state := filepath.Join(dir, "..", "state")
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+state, "XDG_CACHE_HOME="+state, "HOME="+state)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Minute
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// said is what a command printed and its exit status.
type said struct {
	out, err string
	status   int
}

func (m machine) run(t *testing.T, dir string, args ...string) said {
	t.Helper()
	cmd := m.command(t, dir, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	timer := time.AfterFunc(patience, func() { _ = cmd.Cancel() })
	err := cmd.Run()
	timer.Stop()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatalf("aura %v: %v\n%s", args, err, &errs)
	}
	plain := func(b bytes.Buffer) string { return strings.ReplaceAll(b.String(), "\r\n", "\n") }
	return said{plain(out), plain(errs), cmd.ProcessState.ExitCode()}
}

// want reports an error unless the command ended with a status and printed all texts, to either stream.
func (s said) want(t *testing.T, status int, texts ...string) {
	t.Helper()
	if s.status != status {
		t.Errorf("the exit status is %d, want %d", s.status, status)
	}
	for _, text := range texts {
		if !strings.Contains(s.out+s.err, text) {
			t.Errorf("%q is missing", text)
		}
	}
	if t.Failed() {
		t.Logf("standard output:\n%s\nstandard error:\n%s", s.out, s.err)
	}
}

// project writes a project: a model that follows a script, a plugin that counts its calls, and the given files.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	all := map[string]string{
		".aura/config/providers/test.yaml": "test: {type: script, file: talk.yaml}\n",
		".aura/config/talk.yaml": "model: {name: talker, context_length: 8192, capabilities: [tools]}\nturns:\n" +
			"  - {text: One., tool_calls: [{name: Ls, arguments: {path: .}}]}\n" +
			"  - {text: Two., tool_calls: [{name: Write, arguments: {path: a.txt, content: x}}]}\n  - text: All done.\n",
	}
	maps.Copy(all, plugin("witness", `var calls int

func BeforeChat(_ context.Context, _ sdk.BeforeChatContext) (sdk.Result, error) {
	calls++
	return sdk.Result{Notice: fmt.Sprintf("witness saw call %d", calls)}, nil
}
`))
	maps.Copy(all, files)
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// plugin returns the files of a plugin with a body that uses context, fmt, os and the SDK.
func plugin(name, body string) map[string]string {
	dir := ".aura/plugins/" + name + "/"
	return map[string]string{
		dir + "go.mod":      "module " + name + "\n\ngo 1.25\n",
		dir + "plugin.yaml": "description: For a test\n",
		dir + "main.go": "package " + name + "\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"os\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\n" +
			"var _ = fmt.Sprint(os.Args)\n\n" + body,
	}
}

func TestVersion(t *testing.T) {
	m := given(t)
	m.run(t, t.TempDir(), "version").want(t, 0, "aura")
}

// TestDemonstration does what a newcomer does: a script inside aura plays the model, and an example is checked.
func TestDemonstration(t *testing.T) {
	m := given(t)
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "..", "examples", "crash"))); err != nil {
		t.Fatal(err)
	}
	m.run(t, dir, "run", "--provider", "demonstration", "What is here?").want(t, 0, `> Ls {"path":"."}`)
	m.run(t, dir, "plugins", "check", filepath.FromSlash("plugins/crash-demo")).want(t, 0)
}

// TestPlugins holds a conversation with a plugin and tools. Neither of these systems can confine them, which aura reports once.
func TestPlugins(t *testing.T) {
	m := given(t)
	dir := project(t, nil)
	got := m.run(t, dir, "run", "--health", "go")
	got.want(t, 0, "All done.", "witness saw call 3", "the sandbox is not enforced on this system")
	if n := strings.Count(got.err, "not enforced on this system"); n != 1 {
		t.Errorf("reported %d times", n)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a.txt")); string(text) != "x" {
		t.Errorf("the tool wrote %q, %v", text, err)
	}
	m.run(t, dir, "plugins", "check", filepath.FromSlash(".aura/plugins/witness")).want(t, 0)
}

// TestCrash ends the process of a plugin. aura starts it again, and the other plugin keeps its state.
func TestCrash(t *testing.T) {
	m := given(t)
	dir := project(t, plugin("bad", `var calls int

func AfterToolExecution(_ context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	calls++
	if c.Stats.ToolCalls == 1 {
		os.Exit(3)
	}
	return sdk.Result{Notice: fmt.Sprintf("bad served tool call %d as call %d of its process", c.Stats.ToolCalls, calls)}, nil
}
`))
	m.run(t, dir, "run", "--unsafe-plugins", "--health", "go").want(t, 0, "All done.", "witness saw call 3",
		`plugin "bad" is restarted now: AfterToolExecution: the plugin's process died (exit status 3)`, "bad served tool call 2 as call 1 of its process")
}

// TestHooks runs shell hooks, which no shell of the system interprets.
func TestHooks(t *testing.T) {
	m := given(t)
	dir := project(t, map[string]string{".aura/config/hooks/guard.yaml": "guard:\n  event: pre\n  matcher: Write\n" +
		"  command: |\n    if [ \"$(echo a b | while read x y; do echo $y; done)\" = b ]; then echo \"leave $FILE alone\" >&2; exit 2; fi\n"})
	m.run(t, dir, "hooks", "run", "guard", "--tool", "Write", "--input", `{"path":"a.txt","content":"x"}`).want(t, 0, "hook guard blocks the call", "leave ")
	m.run(t, dir, "run", "go").want(t, 0, "All done.")
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err == nil {
		t.Error("the hook did not block the call")
	}
}

// TestRequired refuses to start where a sandbox is required and cannot be had, and reports why.
func TestRequired(t *testing.T) {
	m := given(t)
	dir := project(t, map[string]string{".aura/config/sandbox/sandbox.yaml": "sandbox: {required: true}\n"})
	got := m.run(t, dir, "run", "go")
	got.want(t, 1, "sandbox.required is set and this system cannot enforce a sandbox")
	if strings.Contains(got.err, "witness") {
		t.Errorf("the plugin ran:\n%s", got.err)
	}
	if got := m.run(t, dir, "doctor"); !strings.Contains(got.out, "sandbox") || got.status == 0 {
		t.Errorf("the doctor ends with %d:\n%s", got.status, got.out)
	}
}

// TestInterrupt presses Ctrl-C while a plugin hangs. aura ends, with the plugin's process.
func TestInterrupt(t *testing.T) {
	m := given(t)
	dir := project(t, plugin("hangs", `func AfterToolExecution(_ context.Context, _ sdk.AfterToolContext) (sdk.Result, error) {
	if err := os.WriteFile("hanging", nil, 0o600); err != nil {
		return sdk.Result{}, err
	}
	select {}
}
`))
	cmd := m.command(t, dir, "run", "--unsafe-plugins", "go")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(patience, func() { _ = cmd.Cancel() })
	defer timer.Stop()
	var printed strings.Builder
	lines := bufio.NewScanner(pipe)
	var talking bool
	for !talking && lines.Scan() {
		printed.WriteString(lines.Text() + "\n")
		talking = strings.Contains(lines.Text(), "witness saw call 1")
	}
	if !talking {
		_ = cmd.Wait()
		t.Fatalf("aura ended before Ctrl-C:\n%s", &printed)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(pipe)
	printed.Write(rest)
	// A second error says only that the process ended by itself.
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); err != nil || status == 0 || status == -1 {
		t.Errorf("ended with %d, %v:\n%s", status, err, &printed)
	}
}
