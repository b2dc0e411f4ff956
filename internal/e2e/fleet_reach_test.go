//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/internal/testneed"
)

// TestFleetReach runs a task that changes the repository from which the worker takes the patch, so that git would run a program outside
// of the sandbox. Without the sandbox it succeeds.
func TestFleetReach(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	for _, tt := range []struct {
		name, features string
		ran            bool
	}{
		{"in the sandbox", "", false},
		{"without it", "sandbox: {enabled: false}\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newFleetLab(t, "")
			canary := filepath.Join(l.dir, "ran")
			l.write("src/plant.sh", fmt.Sprintf(`git config -f ../base.git/config filter.x.clean 'touch %s; cat'
echo '* filter=x' > .gitattributes
echo new > file
echo forged > ../../cache/forged
echo forged > ../forged
`, canary))
			l.write(fleetModel, fmt.Sprintf(`turns:
  - text: planting
    tool_calls: [{name: Bash, arguments: {command: %q}}]
  - text: finished
`, "sh plant.sh"))
			if tt.features != "" {
				l.write("config/config/features/sandbox.yaml", tt.features)
			}
			l.run("fleet", "submit", l.write("reach.yaml", "batch: reach\ndefaults: {provider: mine}\ntasks:\n  - {id: a, prompts: [go], workspace: {dir: src}}\n"))
			l.drain()
			r := l.results("reach")["a"]
			if r.Status != "done" || !strings.Contains(r.Patch, "+new") {
				t.Errorf("got %+v", r)
			}
			if _, err := os.Stat(canary); (err == nil) != tt.ran {
				t.Errorf("the worker's git ran the program of the task: %t, want %t", err == nil, tt.ran)
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
