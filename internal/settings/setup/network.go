package setup

import (
	"context"
	"fmt"
	"os"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/presets"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// Presets looks for the hosts of presets among the user's tools and settings. It runs some of the tools.
func Presets(ctx context.Context, c *config.Config, names ...string) []presets.Preset {
	o := presets.Options{Environ: c.Inherited, Writable: append(Writable(c), c.Workdir)}
	if home, err := os.UserHomeDir(); err == nil {
		o.Home = home
	}
	return presets.Find(ctx, o, names...)
}

// hostRules returns the setting of the network for policies, with presets expanded, except those of the default.
func hostRules(c *config.Config, n config.Network) network.Setting {
	if n.Rules == nil || n.Rules.Lenient || sandbox.CheckHosts() != nil {
		return n.Setting
	}
	rules := expandPresets(c, *n.Rules)
	return network.Setting{Rules: &rules}
}

// limitHosts limits the policy of a plugin to the network that it asks for. If the user wrote no rules and the system cannot enforce
// any, a plugin that names hosts keeps the whole network. Without settings, a plugin that asks for every host has what the user accepted.
func (c Confinement) limitHosts(p *sandbox.Policy, asks manifest.Asks) {
	switch {
	case !asks.Network:
		p.Network, p.Hosts = false, nil
	case len(asks.Hosts) == 0:
		if p.Hosts != nil && p.Hosts.Lenient {
			p.Network, p.Hosts = true, nil
		}
	case p.Network, p.Hosts != nil && p.Hosts.Lenient:
		rules := c.expand(network.Rules{Ask: true, Only: asks.Hosts, Lenient: true})
		p.Network, p.Hosts = false, &rules
	case p.Hosts != nil:
		rules := *p.Hosts
		rules.Only = asks.Hosts
		rules = c.expand(rules)
		p.Hosts = &rules
	}
}

// hostNotices returns that the rules of the network cannot be enforced.
func (c Confinement) hostNotices() []string {
	err := sandbox.CheckHosts()
	if rules := c.settings.Network.Rules; rules == nil || rules.Lenient || err == nil {
		return nil
	}
	return []string{fmt.Sprintf("the rules of sandbox.network cannot be enforced: %v; tools and plugins have no network "+
		"(set sandbox.network to on to allow every host, or to off to accept that silently)", err)}
}

// describeNetwork says what a policy allows of the network.
func describeNetwork(p sandbox.Policy) string {
	text := network.Setting{On: p.Network, Rules: p.Hosts}.String()
	switch err := sandbox.CheckHosts(); {
	case p.Hosts == nil || err == nil:
		return text
	case p.Hosts.Lenient:
		return fmt.Sprintf("on, because rules cannot be enforced (%s)", text)
	default:
		return fmt.Sprintf("off, because the rules cannot be enforced (%s)", text)
	}
}
