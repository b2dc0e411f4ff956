//go:build unix

package docs

import (
	"testing"

	"github.com/idelchi/aura/internal/system/trust"
)

// TestTrustKinds compares the table of what asks for consent with the kinds of requests.
func TestTrustKinds(t *testing.T) {
	t.Parallel()
	var shown, known []string
	for _, row := range tables(section(t, text(t, "docs/trust.md"), "## What asks for consent"))[0] {
		shown = append(shown, unquoted(row[0]))
	}
	for _, kind := range trust.Kinds() {
		known = append(known, string(kind))
	}
	same(t, "kinds of requests", shown, known)
}
