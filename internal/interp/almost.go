package interp

import (
	"fmt"

	"github.com/idelchi/aura/internal/pluginsource"
)

// almostHooks returns warnings about functions of the plugin's package whose names resemble hooks, because aura does not call
// them.
func (s *source) almostHooks() []string {
	var declared []pluginsource.Declaration
	for _, f := range s.packages[len(s.packages)-1].files {
		declared = append(declared, f.declared...)
	}
	var out []string
	for _, a := range pluginsource.AlmostHooks(declared) {
		out = append(out, fmt.Sprintf("the function %s is not called: did you mean %s?", a.Name.Name, a.Meant))
	}
	return out
}
