package doctor

import (
	"context"
	"runtime"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// system reports the kernel.
func (p patient) system(context.Context) []Check {
	return []Check{{Area: "system", Name: "kernel", Status: OK, Detail: kernel() + ", " + runtime.GOOS + "/" + runtime.GOARCH}}
}

// sandbox confines a process in the same way as tools and plugins, and reports what the kernel enforces.
func (p patient) sandbox(ctx context.Context) []Check {
	settings := p.listing.Features.Sandbox
	status, err := setup.SandboxStatus(ctx, p.listing.Config)
	if err != nil {
		return []Check{{Area: "sandbox", Name: "trial", Status: Error, Detail: err.Error(), Remedy: "run 'aura sandbox status'"}}
	}
	if p.failed == nil && !settings.Enabled && !settings.Required {
		return []Check{{
			Area: "sandbox", Name: "sandbox", Status: Warning, Detail: "turned off by the settings",
			Remedy: "remove enabled: false from config/sandbox/sandbox.yaml to confine tools and plugins",
		}}
	}
	var out []Check
	for _, row := range status.Rows {
		out = append(out, sandboxCheck(row, settings))
	}
	for _, text := range setup.Exempt(p.listing.Config) {
		out = append(out, Check{
			Area: "sandbox", Name: "exempt", Status: Note, Detail: text,
			Remedy: "remove sandbox: off, and name the paths that it needs in extra",
		})
	}
	return out
}

func sandboxCheck(row sandbox.Row, settings config.Sandbox) Check {
	c := Check{Area: "sandbox", Name: row.Name, Status: OK, Detail: row.Detail}
	switch {
	case row.Name == setup.Narrower:
		// The sentence says what to do. A run prints it at its start.
		c.Status = Warning
	case row.Enforced:
	case row.Name == sandbox.Uncovered:
		// Each feature missing on the machine has its own row. These sentences are about this directory.
		c.Status = Note
	case row.Required && settings.Required:
		c.Status = Error
		c.Remedy = "sandbox.required is set: run aura on a Linux kernel with Landlock (5.13 or newer, with lsm=landlock), or remove the setting"
	case row.Required:
		c.Status = Warning
		c.Remedy = "tools and plugins reach all that you do: use a Linux kernel with Landlock (5.13 or newer, with lsm=landlock), " +
			"or set sandbox: {enabled: false} in config/sandbox/sandbox.yaml to accept that"
	default:
		c.Status = Warning
		c.Remedy = "the sandbox works without this; docs/sandbox.md says what is weaker then"
	}
	return c
}
