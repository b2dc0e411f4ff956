package setup

import (
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/manifest"
)

// Granted is what a plugin is given of what it asks for. The user's yes to the plugin grants it, and settings take from it.
func Granted(e Entry, c *config.Config, unsafe bool) manifest.Asks {
	out := e.Asks()
	if e.Status == StatusUntrusted {
		return manifest.Asks{Env: []string{}, Unsafe: []string{}}
	}
	out.Network = out.Network && (c.Features.Sandbox.Network || !c.Features.Sandbox.Enabled)
	if !unsafe && !c.Features.Plugins.Unsafe {
		out.Unsafe = []string{}
	}
	return out
}
