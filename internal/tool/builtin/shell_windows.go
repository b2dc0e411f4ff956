package builtin

import (
	"errors"
	"os/exec"
)

// shell is what command lines run in.
func shell() (string, error) {
	path, err := exec.LookPath("sh")
	if err != nil {
		return "", errors.Join(errors.New("no POSIX shell found; install one, such as Git for Windows, and put sh on PATH"), err)
	}
	return path, nil
}
