//go:build linux

package fleet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// plantScript is what a hostile task does: it changes the repository from which the worker takes the patch, and leaves repositories whose
// filters create the file canary, one of them where git expects a submodule.
const plantScript = `git config -f ../base.git/config filter.x.clean 'touch %[1]s; cat' && echo reached >reached
echo '* filter=x' >.gitattributes
for dir in sub new; do
	git init --quiet $dir && cd $dir
	echo x >f && git add f && git -c user.name=a -c user.email=a@b commit --quiet -m x
	git config filter.x.clean 'touch %[1]s; cat'
	echo '* filter=x' >.gitattributes
	echo y >f
	cd ..
done
echo new >file
echo forged >../../cache/forged
`

// TestFleetReach runs a task that does all it can to make the worker's git run a program outside of the sandbox. Nothing runs, not even
// without the sandbox, when the task reaches the repository of the worker. The control is git itself with the same files.
func TestFleetReach(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "git")
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	for _, tt := range []struct {
		name, features string
		reached        bool
	}{
		{"in the sandbox", "", false},
		{"without it", "sandbox: {enabled: false}\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newFleetLab(t, "")
			canary := filepath.Join(l.dir, "ran")
			l.write("src/plant.sh", fmt.Sprintf(plantScript, canary))
			git := func(args ...string) {
				t.Helper()
				cmd := exec.Command("git", append([]string{"-C", filepath.Join(l.dir, "src"), "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v: %s", args, err, out)
				}
			}
			git("init", "--quiet", "--initial-branch=main")
			git("add", ".")
			git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",sub")
			git("commit", "--quiet", "-m", "x")
			l.write(fleetModel, fmt.Sprintf(`turns:
  - text: planting
    tool_calls: [{name: Bash, arguments: {command: %q}}]
  - text: again
    tool_calls: [{name: Bash, arguments: {command: "echo z >sub/f; echo z >new/f; echo more >>file"}}]
  - text: finished
`, "sh plant.sh"))
			if tt.features != "" {
				l.write("config/config/features/sandbox.yaml", tt.features)
			}
			l.run("fleet", "submit", l.write("reach.yaml", fmt.Sprintf("batch: reach\ndefaults: {provider: mine}\ntasks:\n  - {id: a, prompts: [go], workspace: {git: \"file://%s/src\"}, collect: [\"**\"]}\n", l.dir)))
			l.drain()
			r := l.results("reach")["a"]
			if r.Status != "done" || !strings.Contains(r.Patch, "+new\n+more") || strings.Contains(r.Patch, "160000") || strings.Contains(r.Patch, "sub/f") {
				t.Errorf("got %+v", r)
			}
			if strings.Contains(r.Patch, "+reached") != tt.reached {
				t.Errorf("the task reached the repository of the worker: want %t: %s", tt.reached, r.Patch)
			}
			if slices.ContainsFunc(r.Files, func(path string) bool { return strings.Contains(path, ".git/") }) {
				t.Errorf("files of a repository were brought back: %q", r.Files)
			}
			if _, err := os.Stat(canary); err == nil {
				t.Error("the worker's git ran the program of the task")
			}
			// The control: what the task left makes git run it.
			script := exec.Command("sh", filepath.Join(l.dir, "src", "plant.sh"))
			script.Dir, script.Env = filepath.Join(l.dir, "src"), append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
			_ = script.Run() // some of its directories do not exist here
			for _, content := range []string{"1\n", "2\n"} {
				l.write("src/sub/f", content)
				git("-c", "advice.addEmbeddedRepo=false", "add", "--all")
			}
			if _, err := os.Stat(canary); err != nil {
				t.Errorf("the control ran nothing: %v", err)
			}
		})
	}
}

// TestFleetReachable starts workers in directories that tools can write to.
func TestFleetReachable(t *testing.T) {
	t.Parallel()
	l := newFleetLab(t, fleetScript)
	for _, dir := range []string{filepath.Join(l.dir, "home", ".cache", "fleet"), filepath.Join(os.TempDir(), "fleet")} {
		out, err := l.try("fleet", "work", "--home", "", "--dir", dir, "--until-empty")
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 2 || !strings.Contains(out, "the sandbox lets tools write there") {
			t.Errorf("%s: %v: %s", dir, err, out)
		}
	}
	// The default is a directory that no tool can write to.
	if out, err := l.try("fleet", "work", "--home", "", "--until-empty"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
