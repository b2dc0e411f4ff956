package app

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/config"
)

// checkSettings makes sure that nobody relies on a setting that this version of aura reads but does not act on. A policy that is
// not enforced must not look as if it were; of the others the user is told.
func (a *App) checkSettings() error {
	agent := a.agent
	err := refusePolicy(fmt.Sprintf("agent %q", agent.Name), agent.Tools.Policy)
	a.tellIdle(fmt.Sprintf("agent %q", agent.Name), map[string]any{
		"system": agent.System, "mode": agent.Mode, "hooks": agent.Hooks, "features": agent.Features,
		"fallback": agent.Fallback, "subagent": agent.Subagent, "model.think": agent.Model.Think, "model.generation": agent.Model.Generation,
	})
	if t := a.opts.Task; t != nil && err == nil {
		err = refusePolicy(fmt.Sprintf("task %q", t.Name), t.Tools.Policy)
		a.tellIdle(fmt.Sprintf("task %q", t.Name), map[string]any{
			"mode": t.Mode, "features": t.Features, "vars": t.Vars,
		})
	}
	return err
}

func refusePolicy(whose string, p config.Policy) error {
	if len(p.Deny) == 0 && len(p.Confirm) == 0 {
		return nil
	}
	return fmt.Errorf("checking %s: tools.policy is not enforced by this version of aura; use tools.disabled to keep tools away", whose)
}

// tellIdle names the keys that are set and have no effect.
func (a *App) tellIdle(whose string, keys map[string]any) {
	var idle []string
	for key, value := range keys {
		v := reflect.ValueOf(value)
		if v.IsValid() && !v.IsZero() {
			idle = append(idle, key)
		}
	}
	if len(idle) > 0 {
		slices.Sort(idle)
		a.notice("", fmt.Sprintf("%s: these keys have no effect in this version of aura: %s", whose, strings.Join(idle, ", ")))
	}
}
