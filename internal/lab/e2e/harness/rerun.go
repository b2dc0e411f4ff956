//go:build linux

package harness

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// Environment is one in which whole tests run again: the test program starts itself there, so that scripts need no copies for another user.
type Environment struct {
	name string
	uid  int
	// bare reports whether no namespaces can be created there.
	bare bool
}

// The environments, beside that of the user who started the tests.
var (
	OrdinaryUser     = Environment{name: "ordinary_user", uid: Nobody}
	BareRoot         = Environment{name: "root_no_namespaces", bare: true}
	BareOrdinaryUser = Environment{name: "ordinary_user_no_namespaces", uid: Nobody, bare: true}
)

// Rerun runs tests of this package again. A pattern is the name of a test, which may be followed by "/^" and a pattern for its rows.
func (e Environment) Rerun(t *testing.T, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		name, rows, _ := strings.Cut(pattern, "/^")
		t.Run(e.name+"/"+name, func(t *testing.T) {
			t.Parallel()
			e.run(t, name, rows)
		})
	}
}

// run runs one test, or the rows that a pattern selects, and adopts its result.
func (e Environment) run(t *testing.T, name, rows string) {
	t.Helper()
	pattern := "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
	if rows != "" {
		pattern += "/^" + rows
	}
	cmd := e.command(t, pattern)
	out, err := cmd.CombinedOutput()
	if skipped := regexp.MustCompile(`(?m)^ *--- SKIP: ` + name + ` .*\n((?: .*\n)*)`).FindSubmatch(out); skipped != nil {
		testneed.TakeOver(t, string(skipped[1]))
	}
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+name+" ")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// command returns the test program as a command that runs one test. It skips the test if the current user cannot switch to the
// user of the rerun.
func (e Environment) command(t *testing.T, pattern string) *exec.Cmd {
	t.Helper()
	dir, err := rerunDir()
	if err != nil {
		t.Fatal(err)
	}
	switch uid := os.Geteuid(); {
	case uid != 0 && e.uid == 0:
		testneed.Missing(t, testneed.Root, "only root can test what holds for root")
	case uid != 0 && !e.bare:
		testneed.Missing(t, testneed.Root, "the tests run as an ordinary user already")
	}
	line := []string{
		filepath.Join(dir, "rerun.test"), "-test.v", "-test.run=" + pattern, "-test.parallel=" + strconv.Itoa(runtime.GOMAXPROCS(0)),
	}
	p := &Project{T: t, Dir: dir, Bin: Bin}
	if os.Geteuid() != e.uid && os.Geteuid() == 0 {
		p.User = &syscall.Credential{Uid: uint32(e.uid), Gid: uint32(e.uid)}
	}
	required, err := testneed.Without(e.lacks()...)
	if err != nil {
		t.Fatal(err)
	}
	env := slices.Concat(os.Environ(), []string{programs + "=" + Bin, isRerun + "=1", "PWD=" + dir, required})
	if e.bare {
		p.ForbidNamespaces()
		env = append(env, withoutNamespaces+"=1")
	}
	line = slices.Concat(p.Wrapper, line)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, env, &syscall.SysProcAttr{Credential: p.User}
	return cmd
}

// lacks returns the abilities that the environment lacks on purpose.
func (e Environment) lacks() []testneed.Ability {
	var out []testneed.Ability
	if e.uid != 0 {
		out = append(out, testneed.Root, testneed.Devices)
	}
	if e.bare {
		out = append(out, testneed.Namespaces, testneed.LimitedNamespaces, testneed.Mounts)
	}
	return out
}

// rerunDir creates a directory that every user can read, with the test program and the files that it reads.
var rerunDir = sync.OnceValues(func() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	area := filepath.Base(here)
	dir := filepath.Join(Bin, "rerun-"+area, "internal", "lab", "e2e", area)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.CopyFS(filepath.Join(dir, "../testdata"), os.DirFS("../testdata")); err != nil {
		return "", fmt.Errorf("copying the scripts: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if err := CopyFile(self, filepath.Join(dir, "rerun.test")); err != nil {
		return "", fmt.Errorf("copying the test program: %w", err)
	}
	if _, err := Weapon(); err != nil {
		return "", err
	}
	if _, err := accountant(); err != nil {
		return "", err
	}
	return dir, os.Chmod(Bin, 0o755) //nolint:gosec // other users run what is there
})
