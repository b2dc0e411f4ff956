package testhelp_test

import (
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/lab/testhelp"
)

const text = `Do things, such as these:
  not-one

Usage:
  aura [flags]

Examples:
  aura run "hi"

Work:
  run       Run prompts
  mcp-like  Do more

Other:
  version   Print the version

Flags:
  help  show help
`

func TestCommands(t *testing.T) {
	t.Parallel()
	if got := testhelp.Commands(text); !slices.Equal(got, []string{"run", "mcp-like", "version"}) {
		t.Errorf("got %q", got)
	}
}
