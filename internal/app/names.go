package app

import (
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/settings/config"
)

// CommandName is the name and the description of a slash command.
type CommandName struct {
	Name        string
	Description string
}

// CommandNames returns aura's built-in slash commands and those of the configuration, sorted by name. It omits the commands of
// plugins, because listing them would require starting the plugins.
func CommandNames(c *config.Config) []CommandName {
	all := map[string]string{}
	for name, custom := range c.Commands {
		all[name] = custom.Description
	}
	for _, own := range builtinCommands(nil) {
		all[own.Name] = own.Description
	}
	var out []CommandName
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, CommandName{name, all[name]})
	}
	return out
}
