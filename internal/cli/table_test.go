package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

// screen is a writer that claims to be a terminal.
type screen struct{ io.Writer }

func (screen) IsTerminal() bool { return true }

// TestListCells checks that a list cuts cells only on a terminal. Piped output contains every capability.
func TestListCells(t *testing.T) {
	t.Parallel()
	p := inspect.Plugin{Name: "all"}
	for _, point := range hookpoint.All() {
		p.Hooks = append(p.Hooks, point.Name)
	}
	var piped, shown bytes.Buffer
	writeList(&piped, []inspect.Plugin{p})
	writeList(screen{&shown}, []inspect.Plugin{p})
	if !strings.Contains(piped.String(), capabilities(p)) {
		t.Errorf("the piped list is cut: %s", piped.String())
	}
	if !strings.Contains(shown.String(), " more)") {
		t.Errorf("the list on a terminal is not cut: %s", shown.String())
	}
}
