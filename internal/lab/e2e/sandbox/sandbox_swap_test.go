//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// swap is an attack in two calls of Bash: the first replaces a path that was granted to the session, and the second uses the
// replacement to reach the home directory.
type swap struct {
	// settings holds the settings of the sandbox, in addition to enabled.
	settings string
	// env holds further variables of aura. @ is replaced by the working directory.
	env []string
	// first and then are the two command lines. STOLEN is replaced by a file that can always be written.
	first, then string
	// told is a pattern of the message to the user if there are no namespaces and the first call succeeds.
	told string
	// readOnly reports that nothing may be written. inside reports that STOLEN is located in the working directory.
	readOnly, inside bool
}

const refusedGrant = `sandbox: .* is not granted: .*(something else was put in its place|a symbolic link was put on the way to it)`

var swaps = map[string]swap{
	"extra_rw": {
		settings: "extra: {rw: [build/out]}", first: `mv build/out gone; ln -s "$HOME" build/out; ls -l build`,
		then: `cat build/out/.ssh/id_rsa >STOLEN; echo stolen >>build/out/dir/file`, told: refusedGrant,
	},
	"extra_rw_by_its_parent": {
		settings: "extra: {rw: [build/out]}", first: `mv build gone; mkdir build; ln -s "$HOME" build/out; ls -l build`,
		then: `cat build/out/.ssh/id_rsa >STOLEN; echo stolen >>build/out/dir/file`, told: refusedGrant,
	},
	"extra_ro": {
		settings: "restrictions: {rw: [free]}, extra: {rw: [build], ro: [build/out]}", readOnly: true,
		first: `mv build/out gone || mv build/out build/gone; ln -s "$HOME" build/out; ls -l build`, then: `cat build/out/.ssh/id_rsa >STOLEN`,
	},
	"path_entry": {
		env: []string{"PATH=@/tools:" + os.Getenv("PATH")}, readOnly: true,
		first: `mv tools gone; ln -s "$HOME" tools; ls -l tools`, then: `cat tools/.ssh/id_rsa >STOLEN`,
	},
	"cache_in_the_project": {
		env: []string{"GOCACHE=@/gocache"}, first: `mv gocache gone; ln -s "$HOME" gocache; ls -l gocache`,
		then: `cat gocache/.ssh/id_rsa >STOLEN; echo stolen >>gocache/dir/file`, told: refusedGrant,
	},
	"temporary_directory": {
		env: []string{"TMPDIR=@/t"}, inside: true, first: `mv t gone; ln -s "$HOME" t; ls -l t`,
		then: `cat t/.ssh/id_rsa >STOLEN; echo stolen >>t/dir/file`, told: refusedGrant,
	},
	// If TMPDIR is the home, the calls get a directory of their own below /tmp, which they can write to.
	"private_temporary_directory": {
		env: []string{"TMPDIR=@/../../../home"}, inside: true,
		first: `case $TMPDIR in */aura/tmp/*) mv $TMPDIR free/gone; ln -s "$HOME" $TMPDIR;; esac; ls -ld $TMPDIR`,
		then:  `cat $TMPDIR/.ssh/id_rsa >STOLEN; echo stolen >>$TMPDIR/dir/file`, told: refusedGrant,
	},
	"working_directory": {
		first: `mv ../work ../gone; ln -s "$HOME" ../work; ls -l ..`, then: `cat .ssh/id_rsa >STOLEN; echo stolen >>dir/file`,
		told: `working directory .*(something else was put in its place|too many levels of symbolic links|a symbolic link)`,
	},
	"working_directory_by_its_parent": {
		first: `mv ../../x ../../gone; mkdir ../../x; ln -s "$HOME" ../../x/work; ls -l ../../x`, then: `cat .ssh/id_rsa >STOLEN; echo stolen >>dir/file`,
		told: `working directory .*(something else was put in its place|too many levels of symbolic links|a symbolic link)`,
	},
	"output_directory": {
		env: []string{"XDG_STATE_HOME=@/state"}, inside: true,
		first: `for d in state/aura/projects/*; do mkdir -p $d/output/fake; for i in $d/output/*; do mv $i $d/gone-${i##*/}; ln -s "$HOME" $i; done; done; ls -l state/aura/projects/*/output`,
		then:  `for i in state/aura/projects/*/output/*; do cat $i/.ssh/id_rsa >>STOLEN; echo stolen >>$i/dir/file; done`, told: refusedGrant,
	},
	"hard_link": {
		first: `ln "$HOME/.ssh/id_rsa" key; ln "$HOME/dir/file" file; ls`, then: `cat key >STOLEN; echo stolen >>file`,
	},
	"dots": {
		settings: "extra: {rw: [build/out]}", first: `ln -s "$HOME/dir" build/out/down; ls -l build/out`,
		then: `cat build/out/down/../.ssh/id_rsa >STOLEN; echo stolen >>build/out/down/file`,
	},
}

// TestSandboxSwaps runs every swap without a sandbox, where it must have success, and then with one: as root and as an
// ordinary user, with namespaces and without.
func TestSandboxSwaps(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	for _, uid := range harness.CageUsers() {
		for name, s := range swaps {
			t.Run(fmt.Sprintf("%s/%d", name, uid), func(t *testing.T) {
				t.Parallel()
				for _, kind := range []string{freeRun, confinedRun, bareRun} {
					t.Run(kind, func(t *testing.T) {
						t.Parallel()
						s.play(newSwapped(t, s, uid, kind), kind)
					})
				}
			})
		}
	}
}

// newSwapped returns a project below the temporary directory, with the home directory beside that directory.
func newSwapped(t *testing.T, s swap, uid int, kind string) *harness.Project {
	t.Helper()
	p := newCaged(t)
	base := filepath.Dir(p.Dir)
	moved := filepath.Join(base, "temp", "x", "work")
	p.Check(os.MkdirAll(filepath.Dir(moved), 0o755))
	p.Check(os.Rename(p.Dir, moved))
	p.Dir = moved
	for _, dir := range []string{"build/out", "tools", "gocache", "free", "t"} {
		p.Check(os.MkdirAll(p.Path(dir), 0o755))
	}
	settings := fmt.Sprintf("enabled: %t", kind != freeRun)
	if s.settings != "" {
		settings += ", " + s.settings
	}
	p.Write(".aura/config/sandbox/sandbox.yaml", "sandbox: {"+settings+"}\n")
	stolen := filepath.Join(base, "temp", "stolen")
	if s.readOnly || s.inside {
		stolen = p.Path("free/stolen")
	}
	line := func(command string) string {
		return fmt.Sprintf("tool_calls: [{name: Bash, arguments: {command: %q}}]", strings.ReplaceAll(command, "STOLEN", stolen))
	}
	p.Write(".aura/config/talk.yaml", "turns:\n  - "+line(s.first)+"\n  - "+line(s.then)+"\n  - text: All done.\n")
	p.Write("../../stolen", "")
	p.Wrapper = []string{"env", "HOME=" + filepath.Join(base, "home"), "XDG_CACHE_HOME=", "TMPDIR=" + filepath.Join(base, "temp")}
	for _, entry := range s.env {
		p.Wrapper = append(p.Wrapper, strings.ReplaceAll(entry, "@", p.Dir))
	}
	p.Check(os.RemoveAll(p.Path(".aura/plugins")))
	p.Root = base
	hand(p, uid)
	if kind == bareRun {
		withoutNamespaces(p)
	}
	return p
}

// play runs the session and checks the result.
func (s swap) play(p *harness.Project, kind string) {
	p.T.Helper()
	out, err := p.Command("run", "go").CombinedOutput()
	if err != nil {
		p.T.Fatalf("%v\n%s", err, out)
	}
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			p.T.Fatal(err)
		}
		return string(b)
	}
	taken := strings.Contains(read(filepath.Join(p.Root, "temp/stolen"))+read(filepath.Join(p.Root, "temp/x/work/free/stolen")), cageSecret)
	changed := strings.Contains(read(filepath.Join(p.Root, "home/dir/file")), "stolen")
	if kind == freeRun {
		if !taken || !changed && !s.readOnly {
			p.T.Errorf("without a sandbox the attack has no success (read %t, wrote %t), so it proves nothing:\n%s", taken, changed, out)
		}
		return
	}
	if taken || changed {
		p.T.Errorf("the attack had success: read %t, wrote %t\n%s", taken, changed, out)
	}
	if kind == bareRun && s.told != "" {
		p.Wants(out, s.told)
	}
}
