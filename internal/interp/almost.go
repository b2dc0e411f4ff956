package interp

import (
	"fmt"
	"regexp"

	"github.com/idelchi/aura/internal/hookpoint"
)

// declared finds the functions of a file that take a type of the SDK. To parse the file again would cost each start more than a
// warning is worth.
var declared = regexp.MustCompile(`(?m)^func ([\pL_][\pL\pN_]*)\(([^()]*\bsdk\.[^()]*)\)`)

// almostHooks warns of functions of the plugin's package that are almost hooks: aura does not call them.
func (s *source) almostHooks() []string {
	functions := map[string]bool{}
	var names []string
	for _, f := range s.packages[len(s.packages)-1].files {
		for _, m := range declared.FindAllSubmatch(f.text, -1) {
			functions[string(m[1])] = true
			names = append(names, string(m[1]))
		}
	}
	var out []string
	for _, name := range names {
		if meant, ok := hookpoint.Almost(name, func(n hookpoint.Name) bool { return functions[string(n)] }); ok {
			out = append(out, fmt.Sprintf("the function %s is not called: did you mean %s?", name, meant))
		}
	}
	return out
}
