package interp

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// value is an exported symbol of the plugin.
type value = reflect.Value

// bindings holds the plugin's functions, all of the required types. The zero value is a function that is not exported.
type bindings struct {
	hooks map[hookpoint.Name]value
	// execute and paths are by the name of the tool, and commands by the name of the command.
	execute  map[string]value
	paths    map[string]value
	commands map[string]value
}

// binder collects what a plugin exports.
type binder struct {
	*Plugin
	symbols map[string]value
}

// bind finds the plugin's functions, checks their types and calls those that describe the plugin.
func (p *Plugin) bind(symbols map[string]value, cfg sdk.ToolConfig) error {
	b := binder{Plugin: p, symbols: symbols}
	p.bound = bindings{
		hooks: make(map[hookpoint.Name]value), execute: make(map[string]value), paths: make(map[string]value), commands: make(map[string]value),
	}
	if err := b.bindHooks(); err != nil {
		return err
	}
	schema, execute, err := b.pair(pluginsource.Tool)
	if err != nil {
		return err
	}
	command, executeCommand, err := b.pair(pluginsource.SlashCommand)
	if err != nil {
		return err
	}
	tools, commands, prompt := b.optional(pluginsource.Tools), b.optional(pluginsource.Commands), b.optional(pluginsource.SystemPrompt)
	useful := slices.ContainsFunc([]value{schema, command, tools, commands, prompt}, value.IsValid)
	if len(p.exports.Hooks) == 0 && !useful && !p.desk.listens() {
		return nothingExported(p.exports.Package, p.exports.Warnings)
	}
	if init := b.optional(pluginsource.Init); init.IsValid() {
		if err := b.ask(pluginsource.Init.Name, func() { init.Call([]reflect.Value{reflect.ValueOf(cfg)}) }); err != nil {
			return err
		}
	}
	if err := b.bindTools(schema, execute, tools); err != nil {
		return err
	}
	if prompt.IsValid() {
		if err := b.ask(pluginsource.SystemPrompt.Name, func() { p.exports.SystemPrompt = prompt.Call(nil)[0].String() }); err != nil {
			return err
		}
	}
	return b.bindCommands(command, executeCommand, commands)
}

func nothingExported(pkg string, warnings []string) error {
	var hooks []string
	for _, point := range hookpoint.All() {
		hooks = append(hooks, string(point.Name))
	}
	return fmt.Errorf("package %s exports neither a hook (%s) nor a tool (Schema with Execute, or Tools) nor a command (Command with ExecuteCommand, or Commands) nor a SystemPrompt%s",
		pkg, strings.Join(hooks, ", "), strings.Join(append([]string{""}, warnings...), "; "))
}

func (b binder) bindHooks() error {
	for _, point := range hookpoint.All() {
		fn, err := b.hook(pluginsource.Hook(point))
		if err != nil {
			return err
		}
		if fn.IsValid() {
			b.bound.hooks[point.Name] = fn
			b.exports.Hooks = append(b.exports.Hooks, point.Name)
		}
	}
	return nil
}

// hook returns the function of a hook point. A function of another type is an error, unless the point was added after the first
// SDK.
func (b binder) hook(f pluginsource.Function) (value, error) {
	if f.Otherwise != "" {
		return b.optional(f), nil
	}
	return b.required(f)
}

// required returns a function of the plugin, or the zero value if there is none. A function of another type is an error.
func (b binder) required(f pluginsource.Function) (value, error) {
	fn, ok := b.symbols[f.Name]
	if !ok {
		return value{}, nil
	}
	if fault := mismatch(fn, f.Type); fault != "" {
		return value{}, fmt.Errorf("%s.%s %s", b.exports.Package, f.Name, fault)
	}
	return fn, nil
}

// mismatch returns what is wrong with a symbol that must be a function of the type want, or "" if it is correct.
func mismatch(fn value, want reflect.Type) string {
	switch {
	case fn.Type() == reflect.TypeFor[generic]():
		return fmt.Sprintf("is generic, want %s", want)
	case fn.Kind() != reflect.Func:
		return fmt.Sprintf("is not a function, want %s", want)
	case fn.Type() != want:
		return fmt.Sprintf("has the signature %s, want %s", fn.Type(), want)
	case fn.IsNil():
		return fmt.Sprintf("is a nil function, want a %s", want)
	default:
		return ""
	}
}

// pair returns the function that describes a tool or a command and the function that runs it. Neither may be exported alone.
func (b binder) pair(p pluginsource.Pair) (describe, run value, err error) {
	if describe, err = b.required(p.Describe); err != nil {
		return value{}, value{}, err
	}
	if run, err = b.required(p.Run); err != nil {
		return value{}, value{}, err
	}
	if describe.IsValid() != run.IsValid() {
		has, lacks := p.Describe, p.Run
		if run.IsValid() {
			has, lacks = lacks, has
		}
		return value{}, value{}, fmt.Errorf("package %s exports %s without %s, which must be a %s", b.exports.Package, has.Name, lacks.Name, lacks.Type)
	}
	return describe, run, nil
}

// optional returns a function of the plugin. If the function has another type, optional adds a warning and returns the zero
// value.
func (b binder) optional(f pluginsource.Function) value {
	fn, ok := b.symbols[f.Name]
	if !ok {
		return value{}
	}
	if fault := mismatch(fn, f.Type); fault != "" {
		b.exports.Warnings = append(b.exports.Warnings, fmt.Sprintf("%s.%s %s: %s", b.exports.Package, f.Name, fault, f.Otherwise))
		return value{}
	}
	return fn
}

// flag calls an optional function that returns a bool. answer is true if the function is not exported.
func (b binder) flag(f pluginsource.Function) (answer, exported bool, err error) {
	answer = true
	fn := b.optional(f)
	if !fn.IsValid() {
		return answer, false, nil
	}
	err = b.ask(f.Name, func() { answer = fn.Call(nil)[0].Bool() })
	return answer, true, err
}

// ask calls one of the plugin's descriptive functions.
func (b binder) ask(name string, fn func()) error {
	failure := b.run(name, func() error {
		fn()
		return nil
	})
	if failure == nil {
		return nil
	}
	if failure.Kind == shared.FailurePanic {
		return fmt.Errorf("calling %s.%s: panic: %s", b.exports.Package, name, failure.Message)
	}
	return fmt.Errorf("calling %s.%s: %w", b.exports.Package, name, failure)
}
