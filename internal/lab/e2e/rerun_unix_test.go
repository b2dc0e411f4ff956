//go:build unix

package e2e

// Environment variables of a test process that another test process started as another user, or where no namespaces can be
// created.
const (
	// rerunBin is the directory of the binaries, which are not rebuilt.
	rerunBin = "AURA_E2E_BIN"
	// rerunBare is set if no namespaces can be created.
	rerunBare = "AURA_E2E_NO_NAMESPACES"
)
