//go:build linux

package harness

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// CopyFile copies a program.
func CopyFile(from, to string) error {
	data, err := os.ReadFile(from)
	return errors.Join(err, WriteProgram(to, data))
}

// WriteProgram writes a program that is started soon. No process starts meanwhile: until it executes its own program, it would hold
// the file open for writing, and the kernel does not execute such a file.
func WriteProgram(path string, data []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, data, 0o755) //nolint:gosec // it is a program
}

// GoVars returns variables with which the Go command works without the user's home.
func GoVars(t *testing.T) []string {
	t.Helper()
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var vars []string
	for i, value := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		vars = append(vars, names[i]+"="+value)
	}
	return vars
}
