package sandbox

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/system/netgate"
)

// maxRefusals is how many refusals ExplainNetwork names.
const maxRefusals = 8

// ends returns the first refusals and the last one, which may say why everything was refused from some point on.
func ends(refused []netgate.Event) []netgate.Event {
	if len(refused) <= maxRefusals {
		return refused
	}
	return append(slices.Clone(refused[:maxRefusals-1]), refused[len(refused)-1])
}

// ExplainNetwork returns a line for each host that the rules for the network refused, with the rule; empty if there is none. Without it, a
// refusal looks like a fault of the network, and a model tries other ways. dropped is how many further events there were.
func ExplainNetwork(refused []netgate.Event, dropped int) string {
	var lines []string
	for _, e := range ends(refused) {
		host := e.Host
		if e.Port != 0 {
			host = net.JoinHostPort(host, strconv.Itoa(int(e.Port)))
		}
		if e.Allowed {
			lines = append(lines, fmt.Sprintf("[sandbox] the network rules allow %s, but it cannot be reached: %s", host, e.Rule))
			continue
		}
		lines = append(lines, fmt.Sprintf("[sandbox] the network rules refuse %s (%s); there is no other way to it. Only the user can allow it, in sandbox.network", host, e.Rule))
	}
	if more := len(refused) - len(lines) + dropped; more > 0 {
		lines = append(lines, fmt.Sprintf("[sandbox] %d further connections or names are not listed here", more))
	}
	return strings.Join(lines, "\n")
}
