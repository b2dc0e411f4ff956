//go:build linux

package fleet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// fleetLab is a server, and a place for workers and batches.
type fleetLab struct {
	t   *testing.T
	dir string
	url string
	// bin is the directory of the programs.
	bin string
	// server is the process of the server. serverEnded is closed when it has ended.
	server      *exec.Cmd
	serverEnded chan struct{}
}

// fleetModel is the file of the scripted model.
const fleetModel = "config/config/mine.yaml"

// answerAtOnce makes the scripted model of the workers that start from now on answer without delays.
func (l *fleetLab) answerAtOnce(script string) {
	l.t.Helper()
	l.write(fleetModel, strings.ReplaceAll(script, "delay: 1h, ", ""))
}

// newFleetLab starts a server. script is what the scripted model of all workers says, serve holds more arguments of the server.
func newFleetLab(t *testing.T, script string, serve ...string) *fleetLab {
	t.Helper()
	dir, err := os.MkdirTemp(harness.OutsideRoot, "aura-fleet-") //nolint:usetesting // it lies where no policy grants anything
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l := &fleetLab{t: t, dir: dir, bin: harness.QuickBin}
	l.write("config/config/providers/mine.yaml", "mine: {type: script, file: mine.yaml}\n")
	l.write(fleetModel, script)
	for _, sub := range []string{"home", "state"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	server, lines := l.begin(append([]string{"fleet", "serve", "--listen", "127.0.0.1:0"}, serve...)...)
	l.server, l.serverEnded = server, make(chan struct{})
	for line := range lines {
		if rest, ok := strings.CutPrefix(line, "listening on "); ok {
			l.url = rest
		}
		if line == "ready" {
			go func() {
				for range lines { // the rest of the output is not needed
				}
				close(l.serverEnded)
			}()
			return l
		}
	}
	t.Fatal("the server is not ready")
	return nil
}

func (l *fleetLab) write(name, content string) string {
	l.t.Helper()
	path := filepath.Join(l.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		l.t.Fatal(err)
	}
	return path
}

func (l *fleetLab) environ() []string {
	return []string{
		"HOME=" + filepath.Join(l.dir, "home"), "XDG_STATE_HOME=" + filepath.Join(l.dir, "state"), "PATH=" + harness.ProgramPath(harness.QuickBin), "AURA_FLEET_SERVER=" + l.url,
		"TMPDIR=" + os.TempDir(), "GOGC=400", "OFFERED=value of the worker", "GIT_CONFIG_GLOBAL=" + os.DevNull,
	}
}

func (l *fleetLab) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(l.bin, "aura"), args...)
	cmd.Env, cmd.Dir = l.environ(), l.dir
	return cmd
}

// start starts a command that runs until the end of the test, and returns its lines.
func (l *fleetLab) start(args ...string) <-chan string {
	l.t.Helper()
	_, lines := l.begin(args...)
	return lines
}

func (l *fleetLab) begin(args ...string) (*exec.Cmd, <-chan string) {
	l.t.Helper()
	cmd := l.command(args...)
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	lines := make(chan string, 10_000)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		_ = w.Close()
		close(ended)
	}()
	l.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	return cmd, lines
}

// run runs a command that must succeed.
func (l *fleetLab) run(args ...string) string {
	l.t.Helper()
	out, err := l.try(args...)
	if err != nil {
		l.t.Fatalf("aura %v: %v\n%s", args, err, out)
	}
	return out
}

func (l *fleetLab) try(args ...string) (string, error) {
	var out bytes.Buffer
	cmd := l.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// workArgs are the arguments of a worker that uses the lab's configuration.
func (l *fleetLab) workArgs(more ...string) []string {
	return append([]string{"fleet", "work", "--home", "", "--config", filepath.Join(l.dir, "config"), "--dir", filepath.Join(l.dir, "work"), "--local-git"}, more...)
}

// drain works until no task is left.
func (l *fleetLab) drain(more ...string) string {
	l.t.Helper()
	return l.run(l.workArgs(append([]string{"--until-empty"}, more...)...)...)
}

type fleetResult struct {
	Task, Status, Class, Error, Final, Patch string
	Requests, Attempt, Deaths                int
	Files                                    []string
}

func (l *fleetLab) results(batch string) map[string]fleetResult {
	l.t.Helper()
	out := map[string]fleetResult{}
	for line := range strings.Lines(l.run("fleet", "results", batch, "--json")) {
		var r fleetResult
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			l.t.Fatalf("%v: %s", err, line)
		}
		out[r.Task] = r
	}
	return out
}

const fleetScript = `turns:
  - text: writing
    tool_calls: [{name: Write, arguments: {path: out/answer.md, content: "42\n"}}]
  - text: finished
`

// TestFleetStory submits a batch, works on it, looks at its results in all forms, and removes it.
func TestFleetStory(t *testing.T) {
	t.Parallel()
	l := newFleetLab(t, fleetScript)
	l.write("src/main.go", "package main\n")
	file := l.write("story.yaml", `batch: story
defaults: {provider: mine}
tasks:
  - {id: a, prompts: [do it], collect: ["**/*.md"]}
  - {id: b, prompts: [do it, and again], workspace: {dir: src}}
`)
	if out := l.run("fleet", "submit", file); !strings.Contains(out, "batch story: 2 tasks queued") {
		t.Errorf("got %s", out)
	}
	if out := l.run("fleet", "submit", file); !strings.Contains(out, "was submitted before") {
		t.Errorf("got %s", out)
	}
	if out := l.run("fleet", "status"); !strings.Contains(out, "story") || !strings.Contains(out, "no worker runs") {
		t.Errorf("got %s", out)
	}
	l.drain()
	got := l.results("story")
	a, b := got["a"], got["b"]
	if a.Status != "done" || a.Final != "finished" || a.Requests != 2 || !slices.Equal(a.Files, []string{"out/answer.md"}) || !strings.Contains(a.Patch, "+42") {
		t.Errorf("got %+v", a)
	}
	if b.Status != "done" || b.Requests != 3 || strings.Contains(b.Patch, "main.go") || !strings.Contains(b.Patch, "+42") {
		t.Errorf("got %+v", b)
	}
	l.run("fleet", "results", "story", "--output", "saved")
	for name, want := range map[string]string{"a/files/out/answer.md": "42\n", "a/final.md": "finished\n", "b/patch.diff": "out/answer.md", "b/journal.jsonl": "and again", "a/result.json": `"done"`} {
		if data, err := os.ReadFile(filepath.Join(l.dir, "saved", name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %v: %s", name, err, data)
		}
	}
	if out := l.run("fleet", "logs", "story", "a"); !strings.Contains(out, "assistant: finished") || !strings.Contains(out, "tool Write") {
		t.Errorf("got %s", out)
	}
	if out := l.run("fleet", "status", "story", "--json"); !strings.Contains(out, `"done": 2`) {
		t.Errorf("got %s", out)
	}
	if out := l.run("fleet", "status", "story", "--watch"); !strings.Contains(out, "2 of 2 tasks ended") {
		t.Errorf("got %s", out)
	}
	if out := l.run("__complete", "fleet", "results", "story", ""); !strings.Contains(out, "a\t") || !strings.Contains(out, "b\t") {
		t.Errorf("got %s", out)
	}
	if out := l.run("fleet", "retry", "story", "a"); !strings.Contains(out, "1 task of batch story queued again") {
		t.Errorf("got %s", out)
	}
	if out := l.run("fleet", "cancel", "story"); !strings.Contains(out, "1 task of batch story canceled") {
		t.Errorf("got %s", out)
	}
	if r := l.results("story")["a"]; r.Status != "canceled" {
		t.Errorf("got %+v", r)
	}
	if out, err := l.try("fleet", "rm", "story"); err == nil || !strings.Contains(out, "--yes") {
		t.Errorf("got %v: %s", err, out)
	}
	l.run("fleet", "rm", "--yes", "story")
	if out := l.run("fleet", "status"); strings.Contains(out, "story") {
		t.Errorf("got %s", out)
	}
}

// TestFleetContinues kills a worker in the middle of a task. The next one repeats no finished turn, and has the files of the first.
func TestFleetContinues(t *testing.T) {
	t.Parallel()
	const script = `continue: true
turns:
  - tool_calls: [{name: Bash, arguments: {command: "echo 1 >>turns"}}]
  - tool_calls: [{name: Bash, arguments: {command: "echo 2 >>turns"}}]
  - {delay: 1h, tool_calls: [{name: Bash, arguments: {command: "echo 3 >>turns"}}]}
  - text: finished
`
	l := newFleetLab(t, script, "--takeover", "3s")
	l.run("fleet", "submit", l.write("go.jsonl", `{"id":"a","prompts":["do it"],"provider":"mine","collect":["turns"]}`+"\n"))
	worker, lines := l.begin(l.workArgs("--name", "first")...)
	// The third model call has begun when its request is in the log. The checkpoint was stored before the log was sent.
	logs := l.start("fleet", "logs", "go", "a", "--follow", "--json")
	for line := range logs {
		if strings.Contains(line, `"type":"request"`) && strings.Contains(line, `"iteration":3`) {
			break
		}
	}
	if err := worker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for range lines { // until the worker is gone
	}
	l.answerAtOnce(script)
	l.drain("--name", "second")
	r := l.results("go")["a"]
	if r.Status != "done" || r.Final != "finished" || r.Attempt != 2 || r.Deaths != 1 {
		t.Errorf("got %+v", r)
	}
	l.run("fleet", "results", "go", "--output", "saved")
	data, err := os.ReadFile(filepath.Join(l.dir, "saved/a/files/turns"))
	if err != nil || string(data) != "1\n2\n3\n" {
		t.Errorf("the turns are %q, %v", data, err)
	}
	// Four turns, and the call that was under way once more.
	if r.Requests < 4 || r.Requests > 5 {
		t.Errorf("%d model calls", r.Requests)
	}
}

// TestFleetHandsBack ends a worker by SIGTERM. Its task is continued elsewhere at once, and nobody counts a death.
func TestFleetHandsBack(t *testing.T) {
	t.Parallel()
	const script = `continue: true
turns:
  - tool_calls: [{name: Bash, arguments: {command: "echo 1 >>turns"}}]
  - {delay: 1h, tool_calls: [{name: Bash, arguments: {command: "echo 2 >>turns"}}]}
  - text: finished
`
	l := newFleetLab(t, script)
	l.run("fleet", "submit", l.write("back.jsonl", `{"id":"a","prompts":["do it"],"provider":"mine"}`+"\n"))
	worker, lines := l.begin(l.workArgs("--grace", "0s")...)
	for line := range l.start("fleet", "logs", "back", "a", "--follow", "--json") {
		if strings.Contains(line, `"iteration":2`) {
			break
		}
	}
	if err := worker.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	text := ""
	for line := range lines {
		text += line + "\n"
	}
	if !strings.Contains(text, "handed back") {
		t.Errorf("the worker says:\n%s", text)
	}
	l.answerAtOnce(script)
	l.drain()
	if r := l.results("back")["a"]; r.Status != "done" || r.Attempt != 2 || r.Deaths != 0 {
		t.Errorf("got %+v", r)
	}
}

// TestFleetBadTasks runs tasks that cannot succeed. Each fails with its class, and nothing of them runs.
func TestFleetBadTasks(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "git")
	l := newFleetLab(t, fleetScript)
	repo := filepath.Join(l.dir, "repo")
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main", repo}, {"-C", repo, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "x"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	l.write("trusted/.aura/config/hooks/mark.yaml", "mark: {event: pre, command: \"touch ran\"}\n")
	file := l.write("bad.yaml", fmt.Sprintf(`batch: bad
defaults: {provider: mine}
env: [OFFERED]
tasks:
  - {id: gone, prompts: [x], workspace: {git: "file://%[1]s", ref: gone}}
  - {id: nowhere, prompts: [x], workspace: {git: "file://%[1]s-no"}}
  - {id: hash, prompts: [x], workspace: {dir: trusted}, trust: %[2]s}
  - {id: noprovider, prompts: [x], provider: nobody}
  - {id: safe, prompts: [x], workspace: {dir: trusted}, collect: [ran]}
`, repo, strings.Repeat("ab", 32)))
	l.run("fleet", "submit", file)
	l.drain("--allow-trusted")
	got := l.results("bad")
	for id, class := range map[string]string{"gone": "workspace", "nowhere": "workspace", "hash": "trust", "noprovider": "failed"} {
		if r := got[id]; r.Status != "failed" || r.Class != class || r.Error == "" {
			t.Errorf("%s: %+v", id, r)
		}
	}
	if r := got["safe"]; r.Status != "done" || len(r.Files) != 0 {
		t.Errorf("a workspace that is not trusted ran its hook: %+v", r)
	}
	missing := l.write("env.yaml", "batch: env\nenv: [NOT_THERE]\ntasks:\n  - {id: a, prompts: [x], provider: mine}\n")
	l.run("fleet", "submit", missing)
	l.drain()
	if r := l.results("env")["a"]; r.Class != "environment" || !strings.Contains(r.Error, "NOT_THERE") {
		t.Errorf("got %+v", r)
	}
	// One bad task in 10,000: nothing is queued.
	var lines strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&lines, "{\"id\":\"t%d\",\"prompts\":[%q]}\n", i, map[bool]string{true: "", false: "x"}[i == 5000])
	}
	out, err := l.try("fleet", "submit", l.write("many.jsonl", lines.String()))
	if err == nil || !strings.Contains(out, "many.jsonl:5001") || strings.Contains(l.run("fleet", "status"), "many") {
		t.Errorf("got %v: %s", err, out)
	}
	wrong := l.command("fleet", "status")
	wrong.Env = append(wrong.Env, "AURA_FLEET_TOKEN=guess")
	if out, err := wrong.CombinedOutput(); err == nil || !strings.Contains(string(out), "refused the credentials") {
		t.Errorf("got %v: %s", err, out)
	}
}

// TestFleetTrust runs the configuration of a workspace that the batch trusts, bound to the hash of the packed directory.
func TestFleetTrust(t *testing.T) {
	t.Parallel()
	l := newFleetLab(t, fleetScript)
	l.write("trusted/.aura/config/hooks/mark.yaml", "mark: {event: pre, command: \"touch ran\"}\n")
	l.write("trusted/.aura/config/providers/theirs.yaml", "theirs: {type: script, file: theirs.yaml}\n")
	l.write("trusted/.aura/config/theirs.yaml", fleetScript)
	l.run("fleet", "submit", l.write("trust.yaml", "batch: trust\ntrust: true\ntasks:\n  - {id: a, prompts: [x], provider: theirs, workspace: {dir: trusted}, collect: [ran]}\n"))
	// A worker must permit it.
	l.run("fleet", "work", "--home", "", "--dir", filepath.Join(l.dir, "work"), "--until-empty")
	if r := l.results("trust")["a"]; r.Status != "failed" || r.Class != "trust" || !strings.Contains(r.Error, "--allow-trusted") || len(r.Files) > 0 {
		t.Errorf("got %+v", r)
	}
	l.run("fleet", "retry", "trust")
	// Without --config, the configuration of the workspace counts.
	l.run("fleet", "work", "--home", "", "--dir", filepath.Join(l.dir, "work"), "--until-empty", "--allow-trusted")
	if r := l.results("trust")["a"]; r.Status != "done" || !slices.Equal(r.Files, []string{"ran"}) {
		t.Errorf("got %+v", r)
	}
}

// TestFleetSlowsDown has a provider that asks to slow down. The task is put back, and succeeds later.
func TestFleetSlowsDown(t *testing.T) {
	t.Parallel()
	l := newFleetLab(t, `continue: true
turns:
  - tool_calls: [{name: Bash, arguments: {command: "echo 1 >>turns"}}]
  - error: {type: rate_limit, message: slow down}
`)
	l.run("fleet", "submit", l.write("slow.jsonl", `{"id":"a","prompts":["do it"],"provider":"mine"}`+"\n"))
	_, lines := l.begin(l.workArgs()...)
	for line := range lines {
		if strings.Contains(line, "the provider asks to slow down") {
			break
		}
	}
	l.write("config/config/mine.yaml", "turns: [{text: finished}]\n")
	l.run("fleet", "results", "slow", "--wait")
	if r := l.results("slow")["a"]; r.Status != "done" || r.Final != "finished" || r.Attempt < 2 || r.Deaths != 0 {
		t.Errorf("got %+v", r)
	}
}
