//go:build linux

package harness

import (
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/lab/testhelp"
)

// Clone is a project that another person wrote, with one of everything that could do harm. Each harmful part creates a file in
// the directory of canaries, or contacts the server, when it takes effect.
type Clone struct {
	*Project
	Canaries string
	Host     string
	Server   *httptest.Server
	// Started lists the processes that the last aura started, as recorded by the accountant.
	Started []string
	// Safe reports whether aura runs in safe mode.
	Safe bool

	Mu    sync.Mutex
	Asked []string
}

// CloneSecret is the value of a variable that no output may show.
const CloneSecret = "sk-clone-0123456789"

// Aura runs aura in the clone, without a terminal. If watched is set, the plugin host only records its start.
func (c *Clone) Aura(watched bool, args ...string) (code int, output string) {
	c.T.Helper()
	cmd := c.Command(args...)
	if watched {
		cmd.Path = filepath.Join(c.Host, "aura")
	}
	cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "AURA_") })
	cmd.Env = append(cmd.Env, "CLONE_SECRET="+CloneSecret, "GOPROXY=off")
	account := filepath.Join(c.Host, "account")
	c.Check(accounted(cmd, account))
	out, err := cmd.CombinedOutput()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		c.T.Fatal(err)
	}
	code = cmd.ProcessState.ExitCode()
	c.Started = c.accounts(account, code, out)
	return code, string(out)
}

// Sung returns the canary files that exist, and the requests to the server.
func (c *Clone) Sung() []string {
	c.T.Helper()
	entries, err := os.ReadDir(c.Canaries)
	c.Check(err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return append(out, c.Asked...)
}

// Silent fails if anything took effect.
func (c *Clone) Silent(args []string, output string) {
	c.T.Helper()
	if examines(args) {
		c.Check(os.RemoveAll(filepath.Join(c.Canaries, "host")))
	}
	if sung := c.Sung(); len(sung) > 0 {
		c.T.Fatalf("aura %q made these take effect: %q\n%s", args, sung, output)
	}
	c.noProcesses(args)
	if strings.Contains(output, CloneSecret) {
		c.T.Errorf("aura %q shows the secret:\n%s", args, output)
	}
}

// Tree returns all commands of aura, as listed by its help.
func (c *Clone) Tree(path ...string) [][]string {
	c.T.Helper()
	_, text := c.Aura(true, append(slices.Clone(path), "--help")...)
	out := [][]string{path}
	for _, name := range testhelp.Commands(text) {
		if name != "help" {
			out = append(out, c.Tree(append(slices.Clone(path), name)...)...)
		}
	}
	return out
}
