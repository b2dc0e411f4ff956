//go:build linux

package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// accountant builds the program that records the processes of a command.
var accountant = sync.OnceValues(func() (string, error) {
	out := filepath.Join(Bin, "account")
	if _, err := os.Stat(out); err == nil {
		return out, nil // another package, or the run before a rerun, has built it
	}
	built := fmt.Sprint(out, os.Getpid())
	cmd := exec.Command("go", "build", "-trimpath", "-o", built, "../testdata/account")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building: %w\n%s", err, text)
	}
	return out, os.Rename(built, out)
})

// The accountant's exit codes if the kernel does not permit tracing, and if the accountant lost track of a process.
const (
	accountRefused = 125
	accountFailed  = 126
)

// accounted makes a command run under the accountant, which writes the started processes to a file.
func accounted(cmd *exec.Cmd, file string) error {
	program, err := accountant()
	if err != nil {
		return err
	}
	cmd.Args = slices.Concat([]string{program, file, cmd.Path}, cmd.Args[1:])
	cmd.Path = program
	return nil
}

// accounts reads the accountant's file: it has a line for every process and every program that was started.
func (c *Clone) accounts(file string, code int, output []byte) []string {
	c.T.Helper()
	switch code {
	case accountRefused:
		testneed.Missing(c.T, testneed.Tracing, string(output))
	case accountFailed:
		c.T.Fatalf("accounting for processes: %s", output)
	}
	text, err := os.ReadFile(file)
	c.Check(err)
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// confinesItself reports whether a command line asks what the kernel enforces. aura then starts a copy of itself, which
// confines itself.
func confinesItself(args []string) bool {
	return len(args) > 0 && args[0] == "sandbox"
}

// examines reports whether a command line asks for the versions of programs, or for the hosts that they use. These are the user's programs
// and aura-plugin-host.
func examines(args []string) bool {
	return len(args) > 0 && args[0] == "doctor" || len(args) > 1 && args[0] == "sandbox" && args[1] == "presets"
}

// noProcesses fails if the command line made aura start a process. In safe mode the user's own tools may run, as processes of
// aura itself.
func (c *Clone) noProcesses(args []string) {
	c.T.Helper()
	itself := " " + filepath.Join(c.Host, "aura") + ": "
	for _, line := range c.Started {
		if examines(args) && !strings.Contains(line, c.Dir) {
			continue
		}
		if !c.Safe && !confinesItself(args) || !strings.Contains(line, itself) {
			c.T.Errorf("aura %q started a process: %s", args, line)
		}
	}
}
