package app

import (
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/slash"
)

// CommandName is a slash command that can be typed, without what it does.
type CommandName struct {
	Name        string
	Description string
}

// CommandNames are aura's own slash commands and those of the configuration, in the order of their names. Those of plugins are
// not among them: to know these, plugins would have to be started.
func CommandNames(c *config.Config) []CommandName {
	all := map[string]string{}
	for name, custom := range c.Commands {
		all[name] = custom.Description
	}
	for _, own := range slash.Builtin(nil) {
		all[own.Name] = own.Description
	}
	var out []CommandName
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, CommandName{name, all[name]})
	}
	return out
}
