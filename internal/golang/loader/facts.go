package loader

import (
	"fmt"
	"go/ast"
	"slices"

	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// Facts is what the source shows without being run.
type Facts struct {
	// Emits lists the events that the plugin emits, and Disables the patterns by which it disables tools.
	Emits, Disables []string
	// Unread lists those of the growing lists of a context that the plugin cannot read.
	Unread []string
	// Warnings is about functions whose names resemble those of hooks, because aura does not call them.
	Warnings []string
}

// Facts returns the facts. growing is the names of the lists of a context that grow.
func (s *Source) Facts(growing []string) Facts {
	var out Facts
	packages := make([][]*ast.File, 0, len(s.Packages))
	for _, p := range s.Packages {
		trees := p.trees()
		for _, tree := range trees {
			out.Emits = append(out.Emits, pluginsource.Emitted(tree)...)
			out.Disables = append(out.Disables, pluginsource.Disabled(tree)...)
		}
		packages = append(packages, trees)
	}
	for _, list := range []*[]string{&out.Emits, &out.Disables} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	out.Unread = pluginsource.Unread(packages, growing)
	for _, a := range pluginsource.AlmostHooks(s.Declarations()) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the function %s is not called: did you mean %s?", a.Name.Name, a.Meant))
	}
	return out
}

// Declarations returns the functions and variables of the plugin's own package.
func (s *Source) Declarations() []pluginsource.Declaration {
	var out []pluginsource.Declaration
	for _, f := range s.Own().Files {
		out = append(out, pluginsource.Declarations(f.Tree)...)
	}
	return out
}
