//go:build unix

package builtin

import (
	"os/exec"
	"sync"
)

// shell is what command lines run in: bash if there is one, else what every system has.
var shell = sync.OnceValues(func() (string, error) {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "bash"} {
		if found, err := exec.LookPath(path); err == nil {
			return found, nil
		}
	}
	return "/bin/sh", nil
})
