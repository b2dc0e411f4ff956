package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/idelchi/aura/internal/settings/config"
)

// missingGrants returns a sentence for each path that settings grant and that does not exist.
func (c Confinement) missingGrants(of *config.Config, s config.Sandbox) []string {
	var out []string
	look := func(what string, paths ...string) {
		for _, path := range absolutePaths(c.place, paths) {
			_, err := os.Stat(path)
			text := fmt.Sprintf("%s names %s, which does not exist, so it grants nothing: create it, or correct the setting", what, path)
			if errors.Is(err, fs.ErrNotExist) && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	look("sandbox.extra", slices.Concat(s.Extra.ReadOnly, s.Extra.ReadWrite)...)
	look("sandbox.restrictions", slices.Concat(s.Restrictions.ReadOnly, s.Restrictions.ReadWrite)...)
	for _, name := range slices.Sorted(maps.Keys(of.Hooks)) {
		if h := of.Hooks[name]; !h.Disabled {
			look(fmt.Sprintf("extra of the hook %q", name), slices.Concat(h.Extra.ReadOnly, h.Extra.ReadWrite)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of.MCPServers)) {
		if s := of.MCPServers[name]; !s.Disabled {
			look(fmt.Sprintf("extra of the MCP server %q", name), slices.Concat(s.Extra.ReadOnly, s.Extra.ReadWrite)...)
		}
	}
	return out
}
