package portable

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// ProtocolClaude marks a package that was converted from a plugin of Claude Code, under extensions in plugin.json. Such a plugin may refer to
// variables of the user in mcp.json, its servers start in the working directory, and its texts and programs know its directories by
// the names that Claude Code has for them.
const ProtocolClaude = "claude"

// claudePrefix begins the names of the two variables in Claude Code.
const claudePrefix = "CLAUDE_"

// Converted is a plugin of another agent in the form of a portable plugin.
type Converted struct {
	// Files holds the files to write, by their slash-separated names in the package.
	Files map[string][]byte
	// Skills maps the names of skills to folders elsewhere in the package, which are copied.
	Skills map[string]string
	// Only lists the skills that the package has; nil means all.
	Only []string
}

// own is aura's part of the extensions in plugin.json.
type own struct {
	protocol string
	leftOut  []string
}

// extension reads aura's part of the extensions. What it cannot read has no effect.
func extension(value any) own {
	all, _ := value.(map[string]any)
	fields, _ := all[Namespace].(map[string]any)
	out := own{}
	out.protocol, _ = fields["protocol"].(string)
	out.leftOut, _ = list(fields["left_out"])
	return out
}

// Variables returns the variables with the directories of a package. The directory for data may be unknown.
func (m Manifest) Variables(root, data string) map[string]string {
	out := map[string]string{RootVariable: root}
	if data != "" {
		out[DataVariable] = data
	}
	if m.Claude() {
		for name, value := range maps.Clone(out) {
			out[claudePrefix+name] = value
		}
	}
	return out
}

// Claude reports whether the package was converted from a plugin of Claude Code.
func (m Manifest) Claude() bool { return m.protocol == ProtocolClaude }

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^{}]*)?\}`) })

// ExpandVariables replaces ${NAME} and ${NAME:-DEFAULT}, once and not in what it inserted.
func ExpandVariables(text string, lookup func(name string) (string, bool)) (string, error) {
	var fault error
	out := variable().ReplaceAllStringFunc(text, func(match string) string {
		m := variable().FindStringSubmatch(match)
		value, set := lookup(m[1])
		switch {
		case set && (value != "" || m[2] == ""):
			return value
		case m[2] != "":
			return m[2][2:]
		}
		fault = fmt.Errorf("the variable %s is not set", m[1])
		return match
	})
	return out, fault
}

// UserVariables returns the names of the user's variables that a server of a converted package refers to, sorted.
func (s Server) UserVariables() []string {
	texts := slices.Concat([]string{s.URL}, s.Args, slices.Collect(maps.Values(s.Env)), slices.Collect(maps.Values(s.Headers)))
	var out []string
	for _, m := range variable().FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		if name := strings.TrimPrefix(m[1], claudePrefix); name != RootVariable && name != DataVariable {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
