package event

// Network reports a connection or a name of a program under the rules of sandbox.network. A connection that was allowed is reported when it
// ends.
type Network struct {
	// By is the program: a tool, "plugin NAME", "hook NAME", "MCP server NAME" or "condition". It is empty with Dropped.
	By string `json:"by,omitempty"`
	// Host is the name, or the address if the program used one.
	Host string `json:"host,omitempty"`
	// Port is absent for a name that was refused before there was a connection.
	Port int `json:"port,omitempty"`
	// Address is the address that was dialled.
	Address string `json:"address,omitempty"`
	// Verdict is one of the Network constants.
	Verdict string `json:"verdict,omitempty"`
	// Rule is the rule that decided, or why the connection failed.
	Rule string `json:"rule,omitempty"`
	// Sent and Received are in bytes.
	Sent     int64 `json:"sent,omitempty"`
	Received int64 `json:"received,omitempty"`
	// Dropped is how many such events were left out of a turn, because it had too many. Sent and Received are their sums.
	Dropped int `json:"dropped,omitempty"`
}

// The verdicts about connections. A failed one was allowed.
const (
	NetworkAllowed = "allowed"
	NetworkRefused = "refused"
	NetworkFailed  = "failed"
)

// Type implements Event.
func (Network) Type() string { return "network" }
