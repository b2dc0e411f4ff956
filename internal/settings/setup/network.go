package setup

import (
	"fmt"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// hostRules returns the setting of the network for policies.
func hostRules(_ *config.Config, n config.Network) network.Setting { return n.Setting }

// limitHosts limits the policy of a plugin to the network that it asks for.
func limitHosts(p *sandbox.Policy, asks manifest.Asks) {
	if !asks.Network {
		p.Network, p.Hosts = false, nil
	}
}

// hostNotices returns that the rules of the network cannot be enforced.
func (c Confinement) hostNotices() []string {
	err := sandbox.CheckHosts()
	if c.settings.Network.Rules == nil || err == nil {
		return nil
	}
	return []string{fmt.Sprintf("the rules of sandbox.network cannot be enforced: %v; tools and plugins have no network "+
		"(set sandbox.network to on to allow every host, or to off to accept that silently)", err)}
}

// describeNetwork says what a policy allows of the network.
func describeNetwork(p sandbox.Policy) string {
	text := network.Setting{On: p.Network, Rules: p.Hosts}.String()
	if err := sandbox.CheckHosts(); p.Hosts != nil && err != nil {
		return fmt.Sprintf("off, because the rules cannot be enforced (%s)", text)
	}
	return text
}
