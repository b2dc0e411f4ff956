//go:build unix

package e2e

// Variables of a test process that another one has started as another user, or where no namespaces can be made.
const (
	// rerunBin is the directory of the binaries, which are not built again.
	rerunBin = "AURA_E2E_BIN"
	// rerunBare is set where no namespaces can be made.
	rerunBare = "AURA_E2E_NO_NAMESPACES"
)
