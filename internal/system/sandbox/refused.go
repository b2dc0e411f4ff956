package sandbox

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/system/netgate"
)

// maxRefusals is how many refusals ExplainNetwork names.
const maxRefusals = 8

// ExplainNetwork returns a line for each host that the rules for the network refused, with the rule; empty if there is none. Without it, a
// refusal looks like a fault of the network, and a model tries other ways.
func ExplainNetwork(refused []netgate.Event) string {
	var lines []string
	for i, e := range refused {
		if i == maxRefusals {
			lines = append(lines, fmt.Sprintf("[sandbox] %d more were refused", len(refused)-i))
			break
		}
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
	return strings.Join(lines, "\n")
}
