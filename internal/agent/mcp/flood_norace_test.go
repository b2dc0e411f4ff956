//go:build !race

package mcp

import (
	"net/http"
	"testing"
)

// TestOtherFloods has the floods that TestFloods leaves out. They take the ways through aura that its rows take with the race detector.
func TestOtherFloods(t *testing.T) {
	floodRows(t, "flood-requests", "tools/list")
	floodRows(t, "flood-changes", http.MethodGet)
	for _, kind := range []string{"flood-notes", "flood-progress"} {
		floodRows(t, kind, "stdio", http.MethodGet, "tools/list")
	}
}
