//go:build unix

package scripts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// pagesDir has a directory of scripts for each page of the documentation.
const pagesDir = "../testdata/pages"

// preparation is the setup of scripts of one kind. A script names its kind in its leading comment ("# Setup: server"). A
// script without a kind starts with the base project.
type preparation struct {
	// variants lists the variants in which each script runs; nil means a single run.
	variants []string
	// begin returns the parameters that are specific to the kind. It runs once for all scripts of a page and variant.
	begin func(t *testing.T, variant string) testscript.Params
}

// preparations maps kinds to their setup. Files for one operating system add more kinds.
var preparations = map[string]preparation{
	"project": {begin: func(*testing.T, string) testscript.Params { return testscript.Params{Setup: harness.Setup} }},
}

// racePages lists the pages whose scripts run aura with the race detector: they are about plugins that crash, hang and are
// called concurrently, and about the events for them. Scripts with variants use the race detector in the first variant. All
// other scripts run aura without it, which takes less than half of the processor time; the packages that they use run their
// own tests with the race detector.
var racePages = []string{"json-events", "supervision"}

// TestScripts runs the scripts of each page as TestScripts/PAGE/SCRIPT, or TestScripts/PAGE/VARIANT/SCRIPT.
func TestScripts(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() { checkCompiled(t) })
	for page, scripts := range readPages(t) {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			if harness.CompiledRuntime() {
				scripts = slices.DeleteFunc(scripts, func(s script) bool { return !runsCompiled(page, s) })
			}
			for kind, files := range byKind(scripts) {
				p, ok := preparations[kind]
				if !ok && runtime.GOOS != "linux" {
					continue
				}
				if !ok {
					t.Fatalf("%s: there is no setup %q", files[0], kind)
				}
				if len(p.variants) == 0 {
					runScripts(t, p, "", slices.Contains(racePages, page), files)
				}
				for i, variant := range p.variants {
					t.Run(variant, func(t *testing.T) {
						t.Parallel()
						runScripts(t, p, variant, i == 0 || slices.Contains(racePages, page), files)
					})
				}
			}
		})
	}
}

func runScripts(t *testing.T, p preparation, variant string, race bool, files []string) {
	t.Helper()
	params := p.begin(t, variant)
	params.Files, params.Cmds, params.RequireExplicitExec, params.RequireUniqueNames = files, commands, true, true
	params.Condition = func(name string) (bool, error) { return condition(variant, name) }
	special := params.Setup
	switch {
	case harness.CompiledRuntime():
		params.Setup = func(env *testscript.Env) error {
			if err := special(env); err != nil {
				return err
			}
			return setupCompiled(env)
		}
	case race:
		params.Setup = func(env *testscript.Env) error {
			err := special(env)
			env.Setenv("PATH", harness.ProgramPath(harness.Bin))
			return err
		}
	}
	testscript.Run(t, params)
}

// condition evaluates a condition at the beginning of a script's line: a variant, or an ability of the machine.
func condition(variant, name string) (bool, error) {
	switch name {
	case "openai", "anthropic", "google":
		return name == variant, nil
	case "sandbox":
		return testneed.Has(testneed.Sandbox, sandbox.Support().Enabled)
	case "git", "python", "ssh-keygen":
		_, err := testneed.Find(testneed.Ability(name))
		return testneed.Has(testneed.Ability(name), err == nil)
	case "mounts":
		return testneed.Has(testneed.Mounts, canMount())
	case "namespaces":
		return testneed.Has(testneed.Namespaces, !harness.Bare())
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// canMount reports whether a script can mount a file system in a namespace of its own.
var canMount = sync.OnceValue(func() bool {
	return exec.Command("unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/tmp").Run() == nil
})

// script is a script of a page.
type script struct {
	path, name string
	// holds is the first sentence of the leading comment, which says what the script shows.
	holds string
	kind  string
	// compiled reports whether the script has a plugin in Go that can run compiled.
	compiled bool
}

// readPages returns the scripts by page.
func readPages(t *testing.T) map[string][]script {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pagesDir, "*", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts found, %v", len(files), err)
	}
	pages := map[string][]script{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := script{path: file, name: strings.TrimSuffix(filepath.Base(file), ".txtar")}
		s.holds, s.kind = heading(string(text))
		page := filepath.Base(filepath.Dir(file))
		s.compiled = hasPlugin.Match(text) && interpretedOnly[page+"/"+s.name] == ""
		pages[page] = append(pages[page], s)
	}
	return pages
}

// heading reads the leading comment of a script: its first sentence, and the kind of setup that it names.
func heading(text string) (holds, kind string) {
	var lines []string
	kind = "project"
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "# ")
		if !ok {
			break
		}
		if name, ok := strings.CutPrefix(comment, "Setup: "); ok {
			kind = name
			continue
		}
		lines = append(lines, comment)
	}
	first, _, more := strings.Cut(strings.Join(lines, " "), ". ")
	if more {
		first += "."
	}
	return first, kind
}

func byKind(scripts []script) map[string][]string {
	out := map[string][]string{}
	for _, s := range scripts {
		out[s.kind] = append(out[s.kind], s.path)
	}
	return out
}
