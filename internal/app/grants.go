package app

import (
	"fmt"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/manifest"
	"github.com/idelchi/aura/shared"
)

// granted is what a plugin is given of what it asks for. The user's yes to the plugin grants it, and settings take from it.
func granted(e Entry, c *config.Config, unsafe bool) manifest.Asks {
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

// confinable reports whether a plugin's tool works in the sandbox, or has to.
func confinable(p *host.Plugin, e shared.Exports) bool {
	return e.Tool.Sandboxable || !p.Spec().Unconfined
}

// tellUngranted says that a plugin asks for something when it runs that its source did not show.
func (a *App) tellUngranted(plugin string) {
	text := fmt.Sprintf("plugin %q: its Sandboxable returns false, which its source does not show, so that nobody could agree to it; its files stay confined", plugin)
	if _, told := a.uncovered.LoadOrStore(text, true); !told {
		a.notice(plugin, text)
	}
}
