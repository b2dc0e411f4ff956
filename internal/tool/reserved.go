package tool

import "slices"

// conditional are the built-in tools that only some sessions have, such as Skill, which needs a skill. Their names are taken in
// every session: a plugin's tool that works today must not keep aura from starting once somebody writes a skill.
var conditional = []string{"Done", "LoadTools", "Skill", "Task", "TodoCreate", "TodoList", "TodoProgress"}

// Conditional are the names of the built-in tools that only some sessions have.
func Conditional() []string { return slices.Clone(conditional) }

// reserved reports whether a tool has the name of a built-in tool without being it or overriding it.
func reserved(d Definition) bool {
	return d.Source == SourcePlugin && !d.Override && slices.Contains(conditional, d.Name)
}
