package slash

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/background"
	"github.com/idelchi/aura/internal/agent/command"
)

// newestLines is how many lines of output are shown of each command that runs.
const newestLines = 5

// BackgroundCommands is a session with commands that run beside the conversation.
type BackgroundCommands interface{ Background() *background.Set }

type taskCommands struct{ BackgroundCommands }

// TaskCommands returns the command for commands that run in the background.
func TaskCommands(s BackgroundCommands) []command.Command {
	return []command.Command{own("tasks", "List the background commands with their newest output, or end one", taskCommands{s}.tasks, "kill ID")}
}

func (c taskCommands) tasks(_ context.Context, args string) (string, error) {
	words := strings.Fields(args)
	switch {
	case len(words) == 0:
		return c.list(), nil
	case len(words) == 2 && words[0] == "kill":
		ended, err := c.Background().Kill(words[1])
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s (%s) ended: %s", ended.ID, brief(ended.Command), ended.Result), nil
	default:
		return "", fmt.Errorf("reading %q: /tasks takes nothing, or kill and an id", args)
	}
}

// list describes the commands. The newest output of those that run follows.
func (c taskCommands) list() string {
	var b strings.Builder
	for _, one := range c.Background().List() {
		state := one.Result
		if one.Running {
			state = "running"
		}
		fmt.Fprintf(&b, "%s  %s  %s  %s\n", one.ID, one.Time.Round(time.Second), state, brief(one.Command))
		if !one.Running {
			continue
		}
		lines := strings.Split(strings.TrimRight(one.Newest, "\n"), "\n")
		for _, line := range lines[max(0, len(lines)-newestLines):] {
			if line != "" {
				fmt.Fprintf(&b, "    | %s\n", line)
			}
		}
	}
	if b.Len() == 0 {
		return "no background commands were started"
	}
	return strings.TrimRight(b.String(), "\n")
}
