package prompt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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

// functions are those that a template may call, counted by the meter. Only the ones that its text could name are made.
func (m *meter) functions(body string) template.FuncMap {
	out := template.FuncMap{stepName: m.step}
	for name, fn := range functions() {
		if strings.Contains(body, name) {
			out[name] = m.metered(name, fn)
		}
	}
	return out
}

// functions are those of sprig, and those of the template library that make text, so that these are counted too. The table is made when the first template needs it: most sessions have none at their start.
var functions = sync.OnceValue(func() template.FuncMap {
	all := sprig.TxtFuncMap()
	for _, name := range secret {
		delete(all, name)
	}
	maps.Copy(all, template.FuncMap{
		"print": fmt.Sprint, "printf": fmt.Sprintf, "println": fmt.Sprintln,
		"html": template.HTMLEscaper, "js": template.JSEscaper, "urlquery": template.URLQueryEscaper,
	})
	return all
})
