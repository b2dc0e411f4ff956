package tool

import "slices"

// conditional holds the built-in tools that exist only in some sessions, such as Skill, which needs a skill. Their names are
// reserved in every session. Otherwise a plugin with a tool of such a name would work until the user adds a skill, and then
// keep aura from starting.
var conditional = []string{"BashKill", "BashOutput", "Done", "ListResources", "LoadTools", "Plan", "ReadResource", "Skill", "Task", "TodoCreate", "TodoList", "TodoProgress", "WebSearch"}

// Conditional returns the names of the built-in tools that exist only in some sessions.
func Conditional() []string { return slices.Clone(conditional) }

// reserved reports whether a plugin's tool has the name of a conditional built-in tool and does not override it.
func reserved(d Definition) bool {
	return d.Source == SourcePlugin && !d.Override && slices.Contains(conditional, d.Name)
}
