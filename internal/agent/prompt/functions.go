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

// secret holds functions that prompts must not use. Results of the first two would be sent to a model, and the name that
// getHostByName looks up would be sent to a name server.
var secret = []string{"env", "expandenv", "getHostByName"}

// isWithheld reports whether the fault of a template is a call of one of these functions.
func isWithheld(fault string) bool {
	return slices.ContainsFunc(secret, func(name string) bool { return fault == fmt.Sprintf("function %q not defined", name) })
}

// functions returns the metered functions that a template may call. It omits functions whose names do not occur in the body.
func (m *meter) functions(body string) template.FuncMap {
	out := template.FuncMap{stepName: m.step}
	for name, fn := range functions() {
		if strings.Contains(body, name) {
			out[name] = m.metered(name, fn)
		}
	}
	return out
}

// functions returns the functions of sprig, and those of the template library that produce text, so that these are metered too.
// The table is built when the first template needs it, because most sessions use no template at their start.
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
