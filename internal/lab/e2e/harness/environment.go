//go:build unix

package harness

import "os"

// Environment variables of the tests.
const (
	// programs is the directory of the programs that the tests run. The first package that needs the programs builds them there.
	// Without the variable, each package builds its own.
	programs = "AURA_E2E_BIN"
	// isRerun is set in a test process that another test process started as another user, or where no namespaces can be created.
	isRerun = "AURA_E2E_RERUN"
	// withoutNamespaces is set if no namespaces can be created.
	withoutNamespaces = "AURA_E2E_NO_NAMESPACES"
)

// Again reports whether another test process started this one, in another environment.
func Again() bool { return os.Getenv(isRerun) != "" }

// Bare reports whether no namespaces can be created here.
func Bare() bool { return os.Getenv(withoutNamespaces) != "" }
