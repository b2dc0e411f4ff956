package builtin

import (
	"errors"
	"os/exec"
)

// shell is not used on Windows, where no process is a reaper.
func shell() string { return "sh" }

// command returns the program that runs a command line, with its arguments.
func command(line string) ([]string, error) {
	path, err := exec.LookPath("sh")
	if err != nil {
		return nil, errors.Join(errors.New("no POSIX shell found; install one, such as Git for Windows, and put sh on PATH"), err)
	}
	return []string{path, "-c", line}, nil
}
