//go:build unix

// Package harness builds and starts the programs for the end-to-end tests of all areas: projects, users, editors, clones, and the commands of
// scripts.
package harness

import (
	"context"
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

	"github.com/idelchi/aura/internal/base/lock"
	"github.com/idelchi/aura/internal/system/state"
)

// Bin is the directory of the programs. QuickBin holds aura without the race detector. With the race
// detector, aura takes several times as long. Tests that start many processes in sequence use QuickBin.
var (
	Bin      string
	QuickBin string
)

// Main builds the programs, unless AURA_E2E_BIN names a directory that has them, and runs the tests of a package.
func Main(m *testing.M) int {
	if signal.Ignored(syscall.SIGHUP) {
		// The tests were started to outlive their terminal. A program that catches the signal does not pass this on to its children,
		// of which some tests want that they end at a hangup.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	if Again() {
		locate(os.Getenv(programs))
		return m.Run()
	}
	dir, shared := os.LookupEnv(programs)
	if !shared {
		var err error
		if dir, err = os.MkdirTemp("", "aura-e2e-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
	}
	locate(dir)
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func locate(dir string) {
	Bin, QuickBin, CompiledBin = dir, filepath.Join(dir, "quick"), filepath.Join(dir, "compiled")
}

// prepare selects the tests and builds the programs, once for all packages that share a directory.
func prepare() error {
	// The tests mostly wait for processes, and packages run side by side.
	if err := errors.Join(checkRuntime(), selectTests(), preferRealPython(), flag.Set("test.parallel", strconv.Itoa(runtime.GOMAXPROCS(0)+1))); err != nil {
		return err
	}
	held, err := lock.Wait(context.Background(), filepath.Join(Bin, "lock"), func() {})
	if err != nil {
		return err
	}
	defer func() { _ = held.Release() }()
	complete := filepath.Join(Bin, "complete")
	if _, err := os.Stat(complete); err == nil {
		return nil
	}
	if err := build(Bin); err != nil {
		return err
	}
	if CompiledRuntime() {
		if err := buildCompiled(); err != nil {
			return err
		}
	}
	return os.WriteFile(complete, nil, 0o600)
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
		append(append([]string{"build"}, raceFlags...), "-o", filepath.Join(dir, "aura"), "../../../../cmd/aura"),
		append(append([]string{"build"}, raceFlags...), "-o", filepath.Join(dir, "aura-tool-host"), "../../../../cmd/aura-tool-host"),
		{"build", "-o", filepath.Join(dir, "aura-plugin-host"), "../../../../cmd/aura-plugin-host"},
		{"build", "-o", filepath.Join(dir, "mcpserver"), "../testdata/mcpserver"},
		{"build", "-o", filepath.Join(dir, "quick", "aura"), "../../../../cmd/aura"},
		{"build", "-o", filepath.Join(dir, "quick", "aura-tool-host"), "../../../../cmd/aura-tool-host"},
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
	return errors.Join(os.Link(filepath.Join(dir, "aura-plugin-host"), filepath.Join(dir, "quick", "aura-plugin-host")), os.Link(filepath.Join(dir, "mcpserver"), filepath.Join(dir, "quick", "mcpserver")))
}

// PolicyBeside are the linker's flags of programs that read the policy of the machine from a directory beside themselves.
const PolicyBeside = "-X github.com/idelchi/aura/internal/system/machinepolicy.testPlace=beside"

// goBuild runs the go command, with or without the race detector, which needs cgo. The linker omits debug information, because these
// binaries are not debugged. The other flags are the same as in the Makefile, so that both share the build cache.
func goBuild(args []string, race bool) error {
	cmd := exec.Command("go", slices.Insert(args, 1, "-trimpath", "-ldflags=-w "+PolicyBeside)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if race {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building: go %v: %w\n%s", args, err, out)
	}
	return nil
}

// Setup gives a script its own copy of the base project, home and runtime directory. Files of the script's archive were
// written before and take precedence.
func Setup(env *testscript.Env) error {
	if err := Overlay("../testdata/base", env.WorkDir); err != nil {
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
		"PATH="+ProgramPath(QuickBin),
		"HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "XDG_RUNTIME_DIR="+runtimeDir,
		"XDG_STATE_HOME="+stateDir, "STATE="+state.Locate(stateDir, "", env.WorkDir).Project, "AURA_TRUST=1", "AURA_DEMONSTRATION=1",
		"TMPDIR="+filepath.Join(env.WorkDir, ".tmp"), "BIN="+QuickBin, "REPO="+Repo(), "GORACE=halt_on_error=1 exitcode=66 atexit_sleep_ms=0",
		// aura mostly starts and ends here. With the usual value it would collect garbage while it starts.
		"GOGC=400",
	)
	return nil
}

// ProgramPath returns a PATH that has aura in a directory, followed by the other programs of the tests.
func ProgramPath(dir string) string {
	return strings.Join([]string{dir, Bin, os.Getenv("PATH")}, string(os.PathListSeparator))
}

// OutsideRoot is a directory that every user can write to and that no policy grants, unlike the temporary directory.
const OutsideRoot = "/var/tmp"

// newHome creates a home directory that is located neither in the project nor in the temporary directory, as for users:
// otherwise the policy would be narrower than usual. The project's home directory is copied into it and replaced by a link.
// The caller must remove the directory around the home.
func newHome(project string) (string, error) {
	root, err := os.MkdirTemp(OutsideRoot, "aura-home-")
	if err != nil {
		return "", err
	}
	home := filepath.Join(root, "home")
	if err := errors.Join(os.Chmod(root, 0o755), os.Mkdir(home, 0o755)); err != nil {
		return home, err
	}
	link := filepath.Join(project, "home")
	if _, err := os.Stat(link); err == nil {
		if err := Overlay(link, home); err != nil {
			return home, err
		}
	}
	return home, errors.Join(os.RemoveAll(link), os.Symlink(home, link))
}

// Repo returns the root of the repository.
func Repo() string {
	dir, err := filepath.Abs("../../../..")
	if err != nil {
		panic(err)
	}
	return dir
}

// Overlay copies the files below src to dst, except files that already exist there.
func Overlay(src, dst string) error {
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

// Update is the flag that writes expected files anew.
var Update = flag.Bool("update", false, "write expected files and the index of the scripts anew")
