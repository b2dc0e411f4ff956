package frontend

import (
	"slices"

	"github.com/idelchi/aura/internal/agent/command"
)

// Trust says whether the files of the project take effect.
type Trust string

// The kinds of trust.
const (
	// TrustGiven means that the user agreed to what the project's files request.
	TrustGiven Trust = "trusted"
	// TrustExcluded means that the session runs without the project's files.
	TrustExcluded Trust = "not trusted"
	// TrustNone means that the project's files request nothing that needs consent.
	TrustNone Trust = "nothing to trust"
)

// Status is what a front end shows of a session at all times. Its texts may come from outside; a front end cleans them.
type Status struct {
	Agent, Mode, Provider, Model string
	// Think is how much the model thinks: "off", "low", "medium" or "high".
	Think string
	// Context is the estimated number of tokens of the next request. Limit is the size of the model's context in tokens; 0 if
	// unknown. Percent is Context as a share of Limit, from 0 to 100.
	Context, Limit int
	Percent        float64
	// TokensIn and TokensOut are the tokens of the session so far.
	TokensIn, TokensOut int
	// CostUSD is the cost of the session so far in US dollars; nil if a price is not known.
	CostUSD *float64
	// PricesOf is the date of the built-in list prices that CostUSD is based on. It is empty if the user has configured all prices.
	PricesOf string
	// Sandbox is "on", "off", or "not enforced" if the settings request a sandbox that the system cannot enforce.
	Sandbox string
	Trust   Trust
	// SessionID is empty for a session that is not saved. Title is the name of the session, or else the beginning of its first
	// prompt.
	SessionID, Title string
	Workdir          string
	// Background is how many commands run beside the conversation.
	Background int
	// Auto and Done report whether the modes of those names are on.
	Auto, Done bool
}

// Role says who answers: the fields of Status with the same names.
type Role struct {
	Agent, Mode, Provider, Model, Think string
}

// CommandInfo describes a slash command for completion.
type CommandInfo struct {
	// Name does not include the slash.
	Name, Description string
	// Hints are the labels of the arguments.
	Hints  []string
	Source command.Source
	// Origin names the plugin or the file that defines the command. It is empty for built-in commands.
	Origin string
}

// OwnCommand returns the name by which a line runs a command of aura: its plain name, unless the user gave that name to another command.
func OwnCommand(commands []CommandInfo, name string) string {
	qualified := command.OwnerAura + ":" + name
	if slices.ContainsFunc(commands, func(c CommandInfo) bool { return c.Name == qualified }) {
		return qualified
	}
	return name
}

// Choice is one of the values that a slash command takes.
type Choice struct {
	// Value is the argument of the command.
	Value string
	// Title is a name for people; empty if Value is one. Detail describes the choice in one line.
	Title, Detail string
	// Partial reports whether more must follow the value.
	Partial bool
	// Current reports whether this is the present value. Cycled reports whether --next comes to it.
	Current, Cycled bool
}
