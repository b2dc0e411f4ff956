package setup

import (
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/network"
)

// Granted returns the part of a plugin's requests that is granted. The user grants the requests by accepting the plugin;
// settings can withdraw parts of them.
func Granted(e Entry, c *config.Config, unsafe bool) manifest.Asks {
	out := e.Asks()
	if e.Status == StatusUntrusted {
		return manifest.NoAsks()
	}
	out.Network = out.Network && (c.Features.Sandbox.Network.Setting != network.Setting{} || !c.Features.Sandbox.Enabled)
	if !unsafe && !c.Features.Plugins.Unsafe || c.Machine.Unsafe() != nil {
		out.Unsafe = []string{}
	}
	return out
}
