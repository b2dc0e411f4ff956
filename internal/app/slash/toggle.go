package slash

import (
	"context"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/sdk"
)

// Toggles is a session with modes that are on or off.
type Toggles interface {
	State() sdk.Context
	SetAuto(on bool)
	SetDone(on bool)
	SetVerbose(on bool)
}

type toggleCommands struct{ Toggles }

// ToggleCommands returns the commands that turn something on or off.
func ToggleCommands(s Toggles) []command.Command {
	c := toggleCommands{s}
	return []command.Command{
		own("auto", "Turn auto mode on or off: continue while todos are open", c.auto, "on|off"),
		own("done", "Turn done mode on or off: work until the agent calls Done", c.done, "on|off"),
		own("verbose", "Show or hide the model's thinking", c.verbose, "on|off"),
	}
}

func (c toggleCommands) auto(_ context.Context, args string) (string, error) {
	on, err := toggled(c.State().Auto, args)
	if err != nil {
		return "", err
	}
	c.SetAuto(on)
	return "auto mode is " + plaintext.OnOff(on), nil
}

func (c toggleCommands) done(_ context.Context, args string) (string, error) {
	on, err := toggled(c.State().DoneActive, args)
	if err != nil {
		return "", err
	}
	c.SetDone(on)
	return "done mode is " + plaintext.OnOff(on), nil
}

func (c toggleCommands) verbose(_ context.Context, args string) (string, error) {
	on, err := toggled(c.State().Features.ShowThinking, args)
	if err != nil {
		return "", err
	}
	c.SetVerbose(on)
	return "thinking is " + map[bool]string{true: "shown", false: "not shown"}[on], nil
}

// toggled parses on or off. Empty arguments invert the current state.
func toggled(now bool, args string) (bool, error) {
	switch word := strings.ToLower(strings.TrimSpace(args)); word {
	case "":
		return !now, nil
	case "on", "true":
		return true, nil
	case "off", "false":
		return false, nil
	default:
		return now, fmt.Errorf("reading %q: use on or off, or nothing to toggle", word)
	}
}
