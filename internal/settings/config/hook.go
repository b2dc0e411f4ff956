package config

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/hooks"
)

// maxHookTimeout is one day, in seconds.
const maxHookTimeout = 24 * 60 * 60

// commandKey is the only key whose value is not expanded: the shell expands variables itself, and ${FILES[@]} is shell syntax.
const commandKey = "command"

// Hook is a shell command that runs at moments of a session, such as before tool calls: hooks/**/*.yaml, a map from names to hooks. The value already
// includes inherited settings.
type Hook struct {
	hooks.Definition

	Source Source
	// Inherit names the hooks from which this hook takes its settings. The last one takes precedence.
	Inherit []string

	made lineage
}

// hookFile is a hook as written in a file.
type hookFile struct {
	Description string    `yaml:"description"`
	Event       hookEvent `yaml:"event"`
	// Protocol is what the hook reads and how it answers.
	Protocol hookProtocol `yaml:"protocol"`
	Matcher  string       `yaml:"matcher"`
	Files    string       `yaml:"files"`
	Calls    []string     `yaml:"calls"`
	Command  string       `yaml:"command"`
	// Timeout is in seconds.
	Timeout hookSeconds `yaml:"timeout"`
	Depends []string    `yaml:"depends"`
	Inherit []string    `yaml:"inherit"`
	Silent  bool        `yaml:"silent"`
	// Disabled is nil if the parents decide.
	Disabled *bool `yaml:"disabled"`
	// Sandbox is nil if the parents decide. A hook for which it is false does not run in the sandbox.
	Sandbox *bool `yaml:"sandbox"`
	// Extra lists paths that the hook reaches in the sandbox beside those of Bash.
	Extra SandboxPaths `yaml:"extra"`
}

// HookDefinitions returns the hooks in the form that the hooks package expects, sorted by name.
func (c *Config) HookDefinitions() []hooks.Definition { return definitions(c.Hooks) }

func definitions(of map[string]Hook) []hooks.Definition {
	var out []hooks.Definition
	for _, name := range slices.Sorted(maps.Keys(of)) {
		out = append(out, of[name].Definition)
	}
	return out
}

// hooks reads all hooks and checks them together, so that no session begins with hooks that cannot be ordered.
func (l *loader) hooks() (map[string]Hook, error) {
	declared, err := loadKind(l, kind[declaration]{name: "hook", folder: "config/hooks", ext: yamlFiles, read: readMap(l, readHook, commandKey)})
	if err != nil {
		return nil, err
	}
	all, err := resolveInheritance(l, "hook", declared, buildHook)
	if err != nil {
		return nil, err
	}
	return all, l.orderHooks(all)
}

// orderHooks checks that the hooks can be ordered. A hook that prevents it is faulty.
func (l *loader) orderHooks(all map[string]Hook) error {
	for {
		_, err := hooks.Compile(definitions(all))
		if err == nil {
			return nil
		}
		placed := placeHookError(all, err)
		fault, ofHook := errors.AsType[*hooks.Error](err)
		if !ofHook {
			return placed
		}
		if err := l.faulty("hook", all[fault.Hook].Source, placed); err != nil {
			return err
		}
		delete(all, fault.Hook)
	}
}

func readHook(d document, name string, f hookFile) (declaration, error) {
	if strings.TrimSpace(name) == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return declaration{}, d.fault([]string{name}, "%q is not a name for a hook: use letters, digits and - _ : .", name)
	}
	if d.Home.Of != "" && len(f.Inherit) > 0 {
		return declaration{}, d.fault([]string{name, inheritKey}, "a hook of a portable plugin cannot inherit")
	}
	if f.Timeout > maxHookTimeout || f.Timeout < 1 && d.get(name, timeoutKey) != nil {
		return declaration{}, d.fault([]string{name, timeoutKey}, "hook %q: %d is not between 1 and %d seconds; leave the key out for %d",
			name, f.Timeout, maxHookTimeout, hooks.DefaultTimeout/time.Second)
	}
	if err := d.checkExtra(name, f.Extra, f.Sandbox); err != nil {
		return declaration{}, err
	}
	return declaration{document: d, name: name, keys: []string{name}, parents: f.Inherit, file: f}, nil
}

func buildHook(made lineage) (Hook, error) {
	f, _, err := combined[hookFile](made)
	own := made.own()
	var env map[string]string
	if v := own.Home.variables; v != nil {
		env = v.all
	}
	return Hook{
		Source: own.Source, Inherit: f.Inherit, made: made,
		Definition: hooks.Definition{
			Name: own.name, Description: f.Description, Event: string(f.Event), Protocol: string(f.Protocol), Matcher: f.Matcher, Files: f.Files, Calls: f.Calls, Command: f.Command,
			Timeout: time.Duration(f.Timeout) * time.Second, Depends: f.Depends, Silent: f.Silent,
			Env: env, Disabled: f.Disabled != nil && *f.Disabled, Unconfined: f.Sandbox != nil && !*f.Sandbox, Extra: hooks.Extra(f.Extra),
		},
	}, err
}

// placeHookError adds the file, the line and the key to an error in a hook. For an inherited value, they refer to the parent.
func placeHookError(all map[string]Hook, err error) error {
	var fault *hooks.Error
	if !errors.As(err, &fault) {
		return err
	}
	made := all[fault.Hook].made
	d := made.at(fault.Field)
	if d.root == nil {
		d = made.own()
	}
	path := d.path(fault.Field)
	line := d.line(path...)
	if list := aliased(d.find(path...)); list.Kind == yaml.SequenceNode {
		if i := slices.IndexFunc(list.Content, func(n *yaml.Node) bool { return aliased(n).Value == fault.Value }); i >= 0 {
			line = list.Content[i].Line
		}
	}
	return d.faultAt(line, path, "%w", fault.Err)
}
