//go:build unix

package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/system/state"
)

// bin is the directory in which TestMain put the binaries. quickBin holds aura without the race detector. With the race
// detector, aura takes several times as long. Tests that start many processes in sequence use quickBin.
var bin, quickBin string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if signal.Ignored(syscall.SIGHUP) {
		// The tests were started to outlive their terminal. A program that catches the signal does not pass this on to its children,
		// of which some tests want that they end at a hangup.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	if dir := os.Getenv(rerunBin); dir != "" {
		bin, quickBin = dir, filepath.Join(dir, "quick")
		return m.Run()
	}
	if err := errors.Join(checkRuntime(), selectTests()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "aura-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin, quickBin = dir, filepath.Join(dir, "quick")
	if err := preferRealPython(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if compiledRuntime() {
		if err := buildCompiled(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	// The scripts mostly wait for processes, so more of them can run in parallel than there are processors.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// preferRealPython puts the directory of the Python interpreter first in PATH. A version manager's script would be asked in every new
// state directory, which takes long.
func preferRealPython() error {
	out, err := exec.Command("python3", "-I", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return nil //nolint:nilerr // without Python, there is nothing to prefer
	}
	return os.Setenv("PATH", filepath.Dir(strings.TrimSpace(string(out)))+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// build builds all binaries. One aura and its tool host have the race detector, if raceFlags says so. The plugin host never has it: races there
// belong to plugins, and the detector's own memory would exceed a plugin's limit. The plugin host is built without cgo, as for
// users, because the stacks of C threads count as a plugin's memory.
func build(dir string) error {
	steps := [][]string{
		append(append([]string{"build"}, raceFlags...), "-o", filepath.Join(dir, "aura"), "../../../cmd/aura"),
		append(append([]string{"build"}, raceFlags...), "-o", filepath.Join(dir, "aura-tool-host"), "../../../cmd/aura-tool-host"),
		{"build", "-o", filepath.Join(dir, "aura-plugin-host"), "../../../cmd/aura-plugin-host"},
		{"build", "-o", filepath.Join(dir, "quick", "aura"), "../../../cmd/aura"},
		{"build", "-o", filepath.Join(dir, "quick", "aura-tool-host"), "../../../cmd/aura-tool-host"},
	}
	errs := make([]error, len(steps))
	var wg sync.WaitGroup
	for i, args := range steps {
		wg.Go(func() { errs[i] = goBuild(args, slices.Contains(args, "-race")) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return os.Link(filepath.Join(dir, "aura-plugin-host"), filepath.Join(dir, "quick", "aura-plugin-host"))
}

// goBuild runs the go command, with or without the race detector, which needs cgo. The linker omits debug information, because these
// binaries are not debugged. The other flags are the same as in the Makefile, so that both share the build cache.
func goBuild(args []string, race bool) error {
	cmd := exec.Command("go", slices.Insert(args, 1, "-trimpath", "-ldflags=-w")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if race {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building: go %v: %w\n%s", args, err, out)
	}
	return nil
}

// setup gives a script its own copy of the base project, home and runtime directory. Files of the script's archive were
// written before and take precedence.
func setup(env *testscript.Env) error {
	if err := overlay("testdata/base", env.WorkDir); err != nil {
		return err
	}
	// The path of a socket must be short, so the runtime directory is not located below the script's directory.
	runtimeDir, err := os.MkdirTemp("", "ar")
	if err != nil {
		return err
	}
	// The state is located outside of the project, as for users.
	stateDir, err := os.MkdirTemp("", "aura-state-")
	if err != nil {
		return err
	}
	home, err := newHome(env.WorkDir)
	if err != nil {
		return err
	}
	env.Defer(func() {
		_ = errors.Join(os.RemoveAll(runtimeDir), os.RemoveAll(stateDir), os.RemoveAll(filepath.Dir(home)))
	})
	env.Vars = append(env.Vars,
		"PATH="+programPath(quickBin),
		"HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "XDG_RUNTIME_DIR="+runtimeDir,
		"XDG_STATE_HOME="+stateDir, "STATE="+state.Locate(stateDir, "", env.WorkDir).Project, "AURA_TRUST=1", "AURA_DEMONSTRATION=1",
		"TMPDIR="+filepath.Join(env.WorkDir, ".tmp"), "BIN="+quickBin, "REPO="+repo(), "GORACE=halt_on_error=1 exitcode=66 atexit_sleep_ms=0",
		// aura mostly starts and ends here. With the usual value it would collect garbage while it starts.
		"GOGC=400",
	)
	return nil
}

// programPath returns a PATH that has aura in a directory, followed by the other programs of the tests.
func programPath(dir string) string {
	return strings.Join([]string{dir, bin, os.Getenv("PATH")}, string(os.PathListSeparator))
}

// outsideRoot is a directory that every user can write to and that no policy grants, unlike the temporary directory.
const outsideRoot = "/var/tmp"

// newHome creates a home directory that is located neither in the project nor in the temporary directory, as for users:
// otherwise the policy would be narrower than usual. The project's home directory is copied into it and replaced by a link.
// The caller must remove the directory around the home.
func newHome(project string) (string, error) {
	root, err := os.MkdirTemp(outsideRoot, "aura-home-")
	if err != nil {
		return "", err
	}
	home := filepath.Join(root, "home")
	if err := errors.Join(os.Chmod(root, 0o755), os.Mkdir(home, 0o755)); err != nil {
		return home, err
	}
	link := filepath.Join(project, "home")
	if _, err := os.Stat(link); err == nil {
		if err := overlay(link, home); err != nil {
			return home, err
		}
	}
	return home, errors.Join(os.RemoveAll(link), os.Symlink(home, link))
}

func repo() string {
	dir, err := filepath.Abs("../../..")
	if err != nil {
		panic(err)
	}
	return dir
}

// overlay copies the files below src to dst, except files that already exist there.
func overlay(src, dst string) error {
	return filepath.WalkDir(src, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		target := filepath.Join(dst, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if _, err := os.Stat(target); err == nil {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, b, 0o644)
	})
}
