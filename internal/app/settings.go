package app

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// tellIdle names the keys that are set and have no effect in this version of aura, so that nobody relies on them.
func (a *App) tellIdle() {
	agent := a.role.agent
	var idle []string
	for key, value := range map[string]any{"hooks": agent.Hooks} {
		if !reflect.ValueOf(value).IsZero() {
			idle = append(idle, key)
		}
	}
	if len(idle) > 0 {
		slices.Sort(idle)
		a.notice("", fmt.Sprintf("agent %q: these keys have no effect in this version of aura: %s", agent.Name, strings.Join(idle, ", ")))
	}
}
