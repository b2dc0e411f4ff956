package setup

import (
	"os"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// confines reports whether tools and plugins are confined.
func confines(c *config.Config) bool { return c.Features.Sandbox.Enabled && sandbox.Support().Enabled }

// Writable returns the directories that tools can write to. aura starts no program in them.
func Writable(c *config.Config) []string {
	if !confines(c) {
		return []string{c.Workdir}
	}
	var out []string
	s := c.Features.Sandbox
	// Which paths stay read-only inside these directories does not matter here. Looking for them needs the programs.
	place := sandbox.Place{
		Workdir: c.Workdir, Temp: os.TempDir(), Writable: []string{"/tmp"}, Caches: cachesIn(c.Inherited), Git: &sandbox.Repositories{}, Links: &sandbox.Links{},
	}
	if home, err := os.UserHomeDir(); err == nil {
		place.Home = home
	}
	// A working directory that contains the home directory is not granted as a whole.
	if place.Home == "" || !install.Changeable(place.Home, c.Workdir) {
		out = append(out, c.Workdir)
	}
	settings := sandbox.Config{Restrictions: sandbox.Paths(s.Restrictions), Extra: sandbox.Paths(s.Extra)}
	return append(out, sandbox.Compose(place, sandbox.KindShell, settings).ReadWrite...)
}
