//go:build unix

package scripts

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// setupCompiled gives a script the aura that compiles plugins, and counts the script at its end if a plugin was compiled.
func setupCompiled(env *testscript.Env) error {
	env.Setenv("PATH", harness.ProgramPath(harness.CompiledBin))
	env.Setenv("BIN", harness.CompiledBin)
	programs := filepath.Join(env.Getenv("XDG_STATE_HOME"), "aura/cache/native/*/*")
	env.Defer(func() {
		scripts.Add(1)
		found, _ := filepath.Glob(programs) // the pattern is valid
		for _, path := range found {
			if filepath.Base(filepath.Dir(path)) != "gocache" {
				compiled.Add(1)
				return
			}
		}
	})
	return shareGoCache(env)
}

// scripts counts the scripts that ran with compiledBin, and compiled those of them that compiled a plugin.
var scripts, compiled atomic.Int64

// checkCompiled checks that the scripts ran as they should: most of them have a plugin that can be compiled, the others are about plugins that
// are not loaded.
func checkCompiled(t *testing.T) {
	t.Helper()
	if !harness.CompiledRuntime() {
		return
	}
	all, some := scripts.Load(), compiled.Load()
	t.Logf("%d of %d scripts compiled a plugin", some, all)
	if some < all*3/4 {
		t.Errorf("only %d of %d scripts compiled a plugin", some, all)
	}
}

// hasPlugin finds scripts with a plugin in Go: in their archive, from the examples, or created by aura.
var hasPlugin = regexp.MustCompile(`(?m)^-- .*\.go --$|^example |plugins new `)

// interpretedOnly lists the scripts that do not run with compiled plugins, and why.
var interpretedOnly = map[string]string{
	"compiled-plugins/short_run":  "it begins with the interpreter, and a process of its own compiles the plugin",
	"compiled-plugins/takes_over": "it begins with the interpreter, and a program takes over",
	"plugin-go/lowered_cache":     "it is about the source that the interpreter runs",
	"plugin-hooks/new_point":      "it builds an aura of its own",
}

// compiledSample lists, for the pages that are about aura and not about what plugins do, the scripts that run with compiled plugins: those whose
// plugins exchange the most with aura. The others of these pages repeat the same ways with other settings; they run if AURA_TEST_LONG is set.
// All scripts of other pages run in any case.
var compiledSample = map[string][]string{
	"agents":           {"subagents_features", "subagents_history", "todos_tools"},
	"attachments":      {"transform"},
	"slash-commands":   {"commands"},
	"conditions":       {"once"},
	"configuration":    {"config_values", "env_task"},
	"doctor":           {"good"},
	"hooks":            {"order"},
	"install-plugins":  {"condition_request", "lock", "lock_restart", "update_vendor"},
	"providers":        {"error_classes", "recovery_order"},
	"sessions":         {"compaction_skip", "sessions_history_plugins", "sessions_state"},
	"tools":            {"before_policy", "large_numbers", "readbefore_plugins", "restrict"},
	"writing-a-plugin": {"call", "from", "test"},
}

// runsCompiled reports whether a script runs with compiled plugins.
func runsCompiled(page string, s script) bool {
	sample, ok := compiledSample[page]
	return s.compiled && (!ok || slices.Contains(sample, s.name) || os.Getenv("AURA_TEST_LONG") != "")
}

// TestCompiledSample checks that the listed scripts have a plugin that is compiled.
func TestCompiledSample(t *testing.T) {
	t.Parallel()
	pages := readPages(t)
	for page, names := range compiledSample {
		for _, name := range names {
			if !slices.ContainsFunc(pages[page], func(s script) bool { return s.name == name && s.compiled }) {
				t.Errorf("%s has no script %s with a plugin that is compiled", page, name)
			}
		}
	}
}

// TestInterpretedOnly checks that the listed scripts exist and would run otherwise.
func TestInterpretedOnly(t *testing.T) {
	t.Parallel()
	for name := range interpretedOnly {
		text, err := os.ReadFile(filepath.Join(pagesDir, filepath.FromSlash(name)+".txtar"))
		if err != nil || !hasPlugin.Match(text) {
			t.Errorf("%s has no plugin in Go: %v", name, err)
		}
	}
}
