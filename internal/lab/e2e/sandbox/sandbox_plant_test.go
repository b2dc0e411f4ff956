//go:build linux

package sandbox

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

	"github.com/idelchi/aura/internal/lab/e2e/harness"
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
	for _, uid := range harness.CageUsers() {
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
func newPlanted(t *testing.T, row plant, uid int, kind string) *harness.Project {
	t.Helper()
	p := newCaged(t)
	base := filepath.Dir(p.Dir)
	p.Check(os.RemoveAll(p.Path(".git")))
	if strings.HasSuffix(row.control, commits) {
		p.Check(exec.Command("git", "init", "-q", p.Dir).Run())
	}
	p.Check(os.RemoveAll(p.Path(".aura/plugins")))
	if row.source != "" {
		p.Plugin("keeper", "description: Links\nenv: [HOME]\n", row.source)
	}
	for name, text := range map[string]string{
		"../home/.bashrc": "mine\n", "../off/config/sandbox/sandbox.yaml": "sandbox: {enabled: false}\n", "../temp/x": "",
		".aura/config/modes/tight.md": "---\nname: tight\n---\n",
		".aura/config/modes/loose.md": "---\nname: loose\nfeatures: {sandbox: {enabled: false}}\n---\n",
		".aura/config/hooks/h.yaml":   "h: {event: pre, command: 'bash -c true'}\n",
		".aura/config/talk.yaml":      "turns:\n  - text: All done.\n",
	} {
		p.Write(name, text)
	}
	p.Wrapper = []string{"env", "HOME=" + filepath.Join(base, "home"), "XDG_CACHE_HOME=", "TMPDIR=" + filepath.Join(base, "temp")}
	moveState(p, row.inside)
	hand(p, uid)
	if !shell(p, row.given) {
		t.Fatal("what is given cannot be made")
	}
	if kind == bareRun {
		withoutNamespaces(p)
	}
	return p
}

// moveState moves aura's state to a directory that no policy grants, or into the project.
func moveState(p *harness.Project, inside bool) {
	p.T.Helper()
	p.Check(os.RemoveAll(p.StateHome))
	p.StateHome = p.Path("../state")
	if inside {
		p.StateHome = p.Path("state")
	}
	p.Check(os.Mkdir(p.StateHome, 0o755))
	p.State = state.Locate(p.StateHome, "", p.Dir).Project
}

// play plants the object and then runs the commands with which aura finds it.
func (row plant) play(p *harness.Project, kind string) {
	p.T.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "who are you?", http.StatusUnauthorized) }))
	p.T.Cleanup(server.Close)
	fill := strings.NewReplacer("STATE", p.State, "SERVER", server.URL, "@dir", p.Dir, "@aura", strings.Join(p.Command().Args, " "))
	if strings.Contains(row.line, "given.jsonl") {
		p.Aura("run", "--mode", "tight", "hi")
		given := p.Find("*.jsonl")[0]
		id := strings.TrimSuffix(filepath.Base(given), ".jsonl")
		p.Write("given.jsonl", strings.ReplaceAll(string(p.Read(given)), id, forgedID))
	}
	p.Write(".aura/config/talk.yaml", fmt.Sprintf("turns:\n  - tool_calls: [{name: Bash, arguments: {command: %q}}]\n  - text: All done.\n", fill.Replace(row.line)+"; echo x >$HOME/pwned"))

	args := []string{"run", "--mode", "tight", "go"}
	if kind == freeRun {
		args = append([]string{"--config", "../off", "--config", ".aura"}, args...)
	}
	said := p.Aura(append(args, each(row.prompts, fill.Replace)...)...)
	// Without a sandbox the command line itself can write to the home directory.
	if harmed(p) != (kind == freeRun) {
		p.T.Errorf("the command line wrote to the home directory: %t\n%s", kind != freeRun, said)
	}
	_ = os.Remove(p.Path("../home/pwned"))
	if placed := shell(p, fill.Replace(row.placed)); placed == slices.Contains(row.kept, kind) {
		p.T.Errorf("it is in its place: %t\n%s", placed, said)
	}
	if row.asked {
		p.Aura("trust")
		p.Wrapper = append(p.Wrapper, "AURA_TRUST=")
	}
	for _, args := range row.next {
		said = append(said, p.Aura(each(args, fill.Replace)...)...)
	}
	if kind != freeRun {
		p.Wants(said, row.told)
	}
	if kind == bareRun {
		p.Wants(said, row.toldBare)
	}
	if alone := row.alone && kind == freeRun; harmed(p) != alone {
		p.T.Errorf("harm was done: %t\n%s", !alone, said)
	}
	if kind != freeRun && row.users {
		if shell(p, fill.Replace(row.control)); harmed(p) {
			p.T.Errorf("the user's command does harm\n%s", said)
		}
	}
	if kind == freeRun && !row.alone {
		shell(p, fill.Replace(row.control))
		if !harmed(p) {
			p.T.Error("the control does no harm, so this proves nothing")
		}
	}
	p.NoProcess()
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
func harmed(p *harness.Project) bool {
	p.T.Helper()
	_, err := os.Stat(p.Path("../home/pwned"))
	return err == nil || string(p.Read("../home/.bashrc")) != "mine\n"
}

// shell runs a command line as the project's user, unconfined, and reports whether it succeeded.
func shell(p *harness.Project, line string) bool {
	p.T.Helper()
	cmd := p.Command()
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", line}
	cmd.Env = append(cmd.Env, "HOME="+p.Path("../home"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	p.T.Logf("%s: %v\n%s", line, err, out.Bytes())
	return err == nil
}
