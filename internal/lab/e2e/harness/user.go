//go:build linux

package harness

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// Nobody is the ID of a user that owns nothing.
const Nobody = 65534

// ForbidNamespaces runs aura where no process namespace can be created: in a user namespace with a limit of zero.
func (p *Project) ForbidNamespaces() {
	p.T.Helper()
	p.Wrapper = []string{"unshare", "--user", "--map-root-user", "sh", "-c", `echo 0 >/proc/sys/user/max_pid_namespaces && exec "$@"`, "sh"}
	cmd := p.Command("--version")
	cmd.Args = slices.Concat(p.Wrapper, []string{"sh", "-c", "unshare --pid --fork true || echo forbidden"})
	out, err := cmd.Output()
	if err != nil || string(out) != "forbidden\n" {
		testneed.Missing(p.T, testneed.LimitedNamespaces, fmt.Sprintf("%v, %q", err, out))
	}
}

// CageUsers returns root and an ordinary user, or only the current user if that is not root.
func CageUsers() []int {
	if os.Geteuid() != 0 || Again() {
		return []int{os.Geteuid()}
	}
	return []int{0, Nobody}
}

// Weapon compiles the attacks into a program beside aura.
var Weapon = sync.OnceValues(func() (string, error) {
	out := filepath.Join(Bin, "weapon")
	if _, err := os.Stat(out); err == nil {
		return out, nil // another package, or the run before a rerun, has built it
	}
	dir, err := os.MkdirTemp(Bin, "weapon-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sources := []string{"attacks.go", "calls.go", "main.go"}
	for _, name := range sources {
		b, err := os.ReadFile(filepath.Join("../testdata/escape", name))
		text := strings.Replace(string(b), "package attacker", "package main", 1)
		if err := errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("go", append([]string{"build", "-trimpath", "-o", "weapon"}, sources...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GO111MODULE=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building: %w\n%s", err, text)
	}
	return out, os.Rename(filepath.Join(dir, "weapon"), out)
})
