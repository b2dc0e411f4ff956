//go:build linux

package e2e

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

// rerun is an environment in which whole tests run again: the test program starts itself there, so that scripts need no copies
// for another user.
type rerun struct {
	name string
	uid  int
	// bare reports whether no namespaces can be created there.
	bare bool
	// tests lists the tests that run there. Tests that do not concern confined processes run only with namespaces.
	tests []string
}

// The scripts about attacks; the other scripts are about settings. The grants of plugins do not depend on namespaces.
const (
	userScripts = "TestScripts/sandbox/^(git|grants|home|odd|plugins|policy|protected|settings)$"
	bareScripts = "TestScripts/sandbox/^(git|home|odd|policy|protected|settings)$"
	bareTrust   = "TestScripts/trust/^pinned_state$"
)

var reruns = []rerun{
	{"ordinary_user", nobody, false, []string{
		userScripts, "TestScripts/trust/^(pinned_state|trust_links)$", "TestScripts/install-plugins/^condition_request$", "TestOddFiles", "TestOddState", "TestExportReplacesLinks", "TestTerminal/^(agent|file|output|plugin|text|tool)$", "TestTerminalSessions",
		"TestTerminalControl", "TestSecrets", "TestTrustQuestion", "TestGrantQuestion",
	}},
	{"root_no_namespaces", 0, true, []string{bareScripts, bareTrust}},
	{"ordinary_user_no_namespaces", nobody, true, []string{bareScripts, bareTrust}},
}

// TestReruns runs tests as an ordinary user and without namespaces. The tests themselves run as the user who started them.
func TestReruns(t *testing.T) {
	t.Parallel()
	for _, r := range reruns {
		for _, pattern := range r.tests {
			name, rows, _ := strings.Cut(pattern, "/^")
			t.Run(r.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				r.run(t, name, rows)
			})
		}
	}
}

// run runs one test, or the rows that a pattern selects, and adopts its result.
func (r rerun) run(t *testing.T, name, rows string) {
	t.Helper()
	pattern := "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
	if rows != "" {
		pattern += "/^" + rows
	}
	cmd := r.command(t, pattern)
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
func (r rerun) command(t *testing.T, pattern string) *exec.Cmd {
	t.Helper()
	dir, err := rerunDir()
	if err != nil {
		t.Fatal(err)
	}
	switch uid := os.Geteuid(); {
	case uid != 0 && r.uid == 0:
		testneed.Missing(t, testneed.Root, "only root can test what holds for root")
	case uid != 0 && !r.bare:
		testneed.Missing(t, testneed.Root, "the tests run as an ordinary user already")
	}
	line := []string{
		filepath.Join(dir, "rerun.test"), "-test.v", "-test.run=" + pattern, "-test.parallel=" + strconv.Itoa(runtime.GOMAXPROCS(0)),
	}
	p := &project{t: t, dir: dir, bin: bin}
	if os.Geteuid() != r.uid && os.Geteuid() == 0 {
		p.user = &syscall.Credential{Uid: uint32(r.uid), Gid: uint32(r.uid)}
	}
	required, err := testneed.Without(r.lacks()...)
	if err != nil {
		t.Fatal(err)
	}
	env := slices.Concat(os.Environ(), []string{rerunBin + "=" + bin, "PWD=" + dir, required})
	if r.bare {
		p.forbidNamespaces()
		env = append(env, rerunBare+"=1")
	}
	line = slices.Concat(p.wrapper, line)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, env, &syscall.SysProcAttr{Credential: p.user}
	return cmd
}

// lacks returns the abilities that the environment lacks on purpose.
func (r rerun) lacks() []testneed.Ability {
	var out []testneed.Ability
	if r.uid != 0 {
		out = append(out, testneed.Root, testneed.Devices)
	}
	if r.bare {
		out = append(out, testneed.Namespaces, testneed.LimitedNamespaces, testneed.Mounts)
	}
	return out
}

// rerunDir creates a directory that every user can read, with the test program and the files that it reads.
var rerunDir = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(bin, "rerun", "internal", "lab", "e2e")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("testdata")); err != nil {
		return "", fmt.Errorf("copying the scripts: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if err := copyFile(self, filepath.Join(dir, "rerun.test")); err != nil {
		return "", fmt.Errorf("copying the test program: %w", err)
	}
	if _, err := weapon(); err != nil {
		return "", err
	}
	if _, err := accountant(); err != nil {
		return "", err
	}
	return dir, os.Chmod(bin, 0o755) //nolint:gosec // other users run what is there
})
