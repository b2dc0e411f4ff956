package mcpimport

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// converter converts the values of a server to values that aura expands: ${NAME} is a reference, and $${ is a literal ${.
type converter struct {
	server *Server
	// keep is Options.KeepSecrets.
	keep bool
	// refused is the reason why the server cannot be used.
	refused string
}

func (c *converter) values(field string, in map[string]string) map[string]string {
	if len(in) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		out[name] = c.value(field, name, in[name])
	}
	return out
}

// value converts a value and takes a secret out of it. name is the name of an environment variable or a header. It is empty for
// an argument.
func (c *converter) value(field, name, text string) string {
	converted := c.text(field, text)
	found := secret(name, text)
	if found == "" || c.keep {
		if found != "" {
			c.server.addNote("%s has a secret as text: do not commit the file", where(field, name))
		}
		return converted
	}
	variable := name
	if field != "env" {
		variable = strings.ToUpper(strings.ReplaceAll(c.server.Name, "-", "_")) + "_TOKEN"
	}
	c.server.addNote("%s has a secret as text: aura writes ${%s} instead, and the secret is not written", where(field, name), variable)
	return strings.Replace(text, found, "${"+variable+"}", 1)
}

// variables returns the environment variables that the values of an entry refer to.
func (e Entry) variables() []string {
	texts := slices.Concat([]string{e.Command, e.URL}, e.Args, slices.Collect(maps.Values(e.Env)), slices.Collect(maps.Values(e.Headers)))
	var out []string
	for _, text := range texts {
		for _, m := range reference().FindAllStringSubmatch(strings.ReplaceAll(text, "$${", ""), -1) {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func where(field, name string) string {
	if name == "" {
		return field
	}
	return field + " " + name
}

var (
	reference    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^{}]*)\}`) })
	envReference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[^$])\{env:([A-Za-z_][A-Za-z0-9_]*)\}`) })
	plainName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
	bareName     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_]*)$`) })
)

// text converts the references to variables in a value.
func (c *converter) text(field, text string) string {
	if m := bareName().FindStringSubmatch(text); m != nil && (field == "env" || field == "headers") {
		return "${" + m[1] + "}"
	}
	// OpenCode writes {env:NAME}.
	text = envReference().ReplaceAllString(text, "$1$${$2}")
	out := reference().ReplaceAllStringFunc(text, func(match string) string {
		inner := match[2 : len(match)-1]
		kind, rest, _ := strings.Cut(inner, ":")
		switch {
		case plainName().MatchString(inner) && inner != "workspaceFolder" && inner != "userHome":
			return match
		case kind == "env" && plainName().MatchString(rest):
			return "${" + rest + "}"
		case inner == "workspaceFolder":
			return "."
		case inner == "userHome":
			return "${HOME}"
		case plainName().MatchString(kind) && strings.HasPrefix(rest, "-"):
			c.server.addNote("%s: the default of ${%s} is left out, because aura has no defaults: set the variable %s", field, kind, kind)
			return "${" + kind + "}"
		case kind == "input":
			c.refuse(fmt.Sprintf("its %s asks for the input %q when the server starts: write a variable such as ${%s} instead, and import the list again", field, rest, variableOf(rest)))
		default:
			c.refuse(fmt.Sprintf("its %s has %s, which aura cannot replace", field, match))
		}
		return match
	})
	// Every remaining ${ is literal.
	return escapeOpen(out)
}

func (c *converter) refuse(reason string) {
	if c.refused == "" {
		c.refused = reason
	}
}

// escapeOpen writes $${ for each ${ that does not begin a reference.
func escapeOpen(text string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "${")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, _, closed := strings.Cut(after, "}")
		if !closed || !plainName().MatchString(name) {
			out.WriteString("$")
		}
		out.WriteString("${")
		text = after
	}
}

var notInName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Z0-9]+`) })

func variableOf(input string) string {
	name := strings.Trim(notInName().ReplaceAllString(strings.ToUpper(input), "_"), "_")
	if !plainName().MatchString(name) {
		return "NAME"
	}
	return name
}

var (
	// secretName matches the usual names of environment variables and headers that hold secrets.
	secretName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)token|secret|passw|credential|authorization|api[_-]?key|access[_-]?key|private[_-]?key|(?:^|[_-])(?:key|pat|auth)$`)
	})
	// secretText matches the keys of well-known services by their prefixes.
	secretText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}|xox[abpr]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,})`)
	})
	scheme = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:bearer|basic|token)\s+`) })
)

// secret returns the part of a value that is a secret in plain text. It returns the empty string if there is none.
func secret(name, text string) string {
	if found := secretText().FindString(text); found != "" {
		return found
	}
	value := text[len(scheme().FindString(text)):]
	if name == "" || !secretName().MatchString(name) || value == "" || strings.Contains(value, "$") {
		return ""
	}
	return value
}
