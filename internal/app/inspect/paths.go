package inspect

import (
	"os"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// Paths holds the paths of a project. Paths are absolute and need not exist.
type Paths struct {
	// Config holds the homes in use, the one of highest precedence last.
	Config   []string `json:"config"`
	State    string   `json:"state"`
	Sessions string   `json:"sessions"`
	Output   string   `json:"output"`
	Logs     string   `json:"logs"`
	Data     string   `json:"data"`
	Cache    string   `json:"cache"`
	Runtime  string   `json:"runtime"`
	Trust    string   `json:"trust"`
}

// PathsOf returns the paths of a configuration.
func PathsOf(c *config.Config) Paths {
	p := Paths{
		Config: []string{}, State: c.State.Project, Sessions: c.State.Sessions(), Output: c.State.Output(), Logs: c.State.Logs(),
		Data: c.State.Data(), Cache: c.State.Cache(), Runtime: setup.RuntimeDir(c), Trust: c.State.Trust(),
	}
	for _, home := range c.Homes {
		if info, err := os.Stat(home.Dir); err == nil && info.IsDir() {
			p.Config = append(p.Config, home.Dir)
		}
	}
	return p
}
