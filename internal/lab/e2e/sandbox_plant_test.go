//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/system/state"
)

// plant is an attack in two steps: confined code puts an object at a path, and aura, which is not confined, finds the object
// there. The attack does harm if anything is written in the home directory.
type plant struct {
	// inside reports whether aura's state is located in the project.
	inside bool
	// source is the source of a plugin named keeper; it may be empty.
	source string
	// given is a command line of the user's before the first session.
	given string
	// line is the command line of Bash in the first session. STATE is replaced by the project's state.
	line string
	// prompts are the following prompts of the same session. next are the command lines of aura afterwards. @dir is replaced by the project, SERVER
	// by the URL of a server that requires a password.
	prompts []string
	next    [][]string
	// placed is a command line that succeeds if the object is in place.
	placed string
	// kept lists the runs in which the object cannot be put in place.
	kept []string
	// told is a pattern of what aura prints about the object if there is a sandbox.
	told string
	// toldBare is a pattern of what aura prints about the object if there are no namespaces.
	toldBare string
	// asked reports whether aura has consent only for the project's directory when it finds the object.
	asked bool
	// alone reports whether only the sandbox prevents the harm, so that the harm is done without a sandbox.
	alone bool
	// control is a command line that does what aura would do without its protection. @aura is replaced by aura.
	control string
	// users reports whether control is what the user runs later. It does no harm after a run with a sandbox.
	users bool
}

// TestSandboxPlants makes every plant without a sandbox, with one, and with one where there are no namespaces, as root and as
// an ordinary user. aura always runs with a sandbox when it finds the object.
func TestSandboxPlants(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	for _, uid := range cageUsers() {
		for name, row := range plants {
			for _, kind := range []string{freeRun, confinedRun, bareRun} {
				t.Run(fmt.Sprintf("%s/%d/%s", name, uid, kind), func(t *testing.T) {
					t.Parallel()
					row.play(newPlanted(t, row, uid, kind), kind)
				})
			}
		}
	}
}

// newPlanted returns a project with its state beside it, and an existing session.
func newPlanted(t *testing.T, row plant, uid int, kind string) *project {
	t.Helper()
	p := newCaged(t)
	base := filepath.Dir(p.dir)
	p.check(os.RemoveAll(p.path(".git")))
	if strings.HasSuffix(row.control, commits) {
		p.check(exec.Command("git", "init", "-q", p.dir).Run())
	}
	p.check(os.RemoveAll(p.path(".aura/plugins")))
	if row.source != "" {
		p.plugin("keeper", "description: Links\nenv: [HOME]\n", row.source)
	}
	for name, text := range map[string]string{
		"../home/.bashrc": "mine\n", "../off/config/sandbox/sandbox.yaml": "sandbox: {enabled: false}\n", "../temp/x": "",
		".aura/config/modes/tight.md": "---\nname: tight\n---\n",
		".aura/config/modes/loose.md": "---\nname: loose\nfeatures: {sandbox: {enabled: false}}\n---\n",
		".aura/config/hooks/h.yaml":   "h: {event: pre, command: 'bash -c true'}\n",
		".aura/config/talk.yaml":      "turns:\n  - text: All done.\n",
	} {
		p.write(name, text)
	}
	p.wrapper = []string{"env", "HOME=" + filepath.Join(base, "home"), "XDG_CACHE_HOME=", "TMPDIR=" + filepath.Join(base, "temp")}
	p.moveState(row.inside)
	p.hand(uid)
	if !p.shell(row.given) {
		t.Fatal("what is given cannot be made")
	}
	if kind == bareRun {
		p.withoutNamespaces()
	}
	return p
}

// moveState moves aura's state to a directory that no policy grants, or into the project.
func (p *project) moveState(inside bool) {
	p.t.Helper()
	p.check(os.RemoveAll(p.stateHome))
	p.stateHome = p.path("../state")
	if inside {
		p.stateHome = p.path("state")
	}
	p.check(os.Mkdir(p.stateHome, 0o755))
	p.state = state.Locate(p.stateHome, "", p.dir).Project
}

// play plants the object and then runs the commands with which aura finds it.
func (row plant) play(p *project, kind string) {
	p.t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "who are you?", http.StatusUnauthorized) }))
	p.t.Cleanup(server.Close)
	fill := strings.NewReplacer("STATE", p.state, "SERVER", server.URL, "@dir", p.dir, "@aura", strings.Join(p.command().Args, " "))
	if strings.Contains(row.line, "given.jsonl") {
		p.aura("run", "--mode", "tight", "hi")
		given := p.find("*.jsonl")[0]
		id := strings.TrimSuffix(filepath.Base(given), ".jsonl")
		p.write("given.jsonl", strings.ReplaceAll(string(p.read(given)), id, forgedID))
	}
	p.write(".aura/config/talk.yaml", fmt.Sprintf("turns:\n  - tool_calls: [{name: Bash, arguments: {command: %q}}]\n  - text: All done.\n", fill.Replace(row.line)+"; echo x >$HOME/pwned"))

	args := []string{"run", "--mode", "tight", "go"}
	if kind == freeRun {
		args = append([]string{"--config", "../off", "--config", ".aura"}, args...)
	}
	said := p.aura(append(args, each(row.prompts, fill.Replace)...)...)
	// Without a sandbox the command line itself can write to the home directory.
	if p.harmed() != (kind == freeRun) {
		p.t.Errorf("the command line wrote to the home directory: %t\n%s", kind != freeRun, said)
	}
	_ = os.Remove(p.path("../home/pwned"))
	if placed := p.shell(fill.Replace(row.placed)); placed == slices.Contains(row.kept, kind) {
		p.t.Errorf("it is in its place: %t\n%s", placed, said)
	}
	if row.asked {
		p.aura("trust")
		p.wrapper = append(p.wrapper, "AURA_TRUST=")
	}
	for _, args := range row.next {
		said = append(said, p.aura(each(args, fill.Replace)...)...)
	}
	if kind != freeRun {
		p.wants(said, row.told)
	}
	if kind == bareRun {
		p.wants(said, row.toldBare)
	}
	if alone := row.alone && kind == freeRun; p.harmed() != alone {
		p.t.Errorf("harm was done: %t\n%s", !alone, said)
	}
	if kind != freeRun && row.users {
		if p.shell(fill.Replace(row.control)); p.harmed() {
			p.t.Errorf("the user's command does harm\n%s", said)
		}
	}
	if kind == freeRun && !row.alone {
		p.shell(fill.Replace(row.control))
		if !p.harmed() {
			p.t.Error("the control does no harm, so this proves nothing")
		}
	}
	p.noProcess()
}

// each applies a function to all strings.
func each(list []string, change func(string) string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = change(out[i])
	}
	return out
}

// harmed reports whether anything was written in the home directory.
func (p *project) harmed() bool {
	p.t.Helper()
	_, err := os.Stat(p.path("../home/pwned"))
	return err == nil || string(p.read("../home/.bashrc")) != "mine\n"
}

// aura runs aura until it exits, with any exit code, and returns its output.
func (p *project) aura(args ...string) []byte {
	p.t.Helper()
	p.start(args...).wait()
	return slices.Concat(p.stdout(), p.stderr())
}

// shell runs a command line as the project's user, unconfined, and reports whether it succeeded.
func (p *project) shell(line string) bool {
	p.t.Helper()
	cmd := p.command()
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", line}
	cmd.Env = append(cmd.Env, "HOME="+p.path("../home"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	p.t.Logf("%s: %v\n%s", line, err, out.Bytes())
	return err == nil
}
