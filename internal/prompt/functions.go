package prompt

import (
	"fmt"
	"slices"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// secret are functions that a prompt must not have: what they return would be sent to a model, and what they ask for would
// be seen by a name server.
var secret = []string{"env", "expandenv", "getHostByName"}

// isWithheld reports whether a fault of a template is that it calls one of them.
func isWithheld(fault string) bool {
	return slices.ContainsFunc(secret, func(name string) bool { return fault == fmt.Sprintf("function %q not defined", name) })
}

// functions are those of sprig. The table is made when the first template needs it: most sessions have none at their start.
var functions = sync.OnceValue(func() template.FuncMap {
	all := sprig.TxtFuncMap()
	for _, name := range secret {
		delete(all, name)
	}
	return all
})
