package interp

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/pluginsource"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// value is an exported symbol of the plugin.
type value = reflect.Value

// bindings holds the plugin's functions, all of the required types. The zero value is a function that is not exported.
type bindings struct {
	hooks          map[hookpoint.Name]value
	execute        value
	paths          value
	executeCommand value
}

// binder collects what a plugin exports.
type binder struct {
	*Plugin
	symbols map[string]value
}

// bind finds the plugin's functions, checks their types and calls those that describe the plugin.
func (p *Plugin) bind(symbols map[string]value, cfg sdk.ToolConfig) error {
	b := binder{Plugin: p, symbols: symbols}
	if err := b.bindHooks(); err != nil {
		return err
	}
	schema, err := b.pair(pluginsource.Tool, &p.bound.execute)
	if err != nil {
		return err
	}
	command, err := b.pair(pluginsource.SlashCommand, &p.bound.executeCommand)
	if err != nil {
		return err
	}
	prompt := b.optional(pluginsource.SystemPrompt)
	if len(p.exports.Hooks) == 0 && !schema.IsValid() && !command.IsValid() && !prompt.IsValid() {
		return nothingExported(p.exports.Package, p.exports.Warnings)
	}
	if init := b.optional(pluginsource.Init); init.IsValid() {
		if err := b.ask(pluginsource.Init.Name, func() { init.Call([]reflect.Value{reflect.ValueOf(cfg)}) }); err != nil {
			return err
		}
	}
	if err := b.bindTool(schema); err != nil {
		return err
	}
	if prompt.IsValid() {
		if err := b.ask(pluginsource.SystemPrompt.Name, func() { p.exports.SystemPrompt = prompt.Call(nil)[0].String() }); err != nil {
			return err
		}
	}
	return b.bindCommand(command)
}

func nothingExported(pkg string, warnings []string) error {
	var hooks []string
	for _, point := range hookpoint.All() {
		hooks = append(hooks, string(point.Name))
	}
	return fmt.Errorf("package %s exports neither a hook (%s) nor a tool (Schema with Execute) nor a command (Command with ExecuteCommand) nor a SystemPrompt%s",
		pkg, strings.Join(hooks, ", "), strings.Join(append([]string{""}, warnings...), "; "))
}

func (b binder) bindHooks() error {
	b.bound.hooks = make(map[hookpoint.Name]value)
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

// pair returns the function that describes a tool or a command and binds the function that runs it. Neither may be exported
// alone.
func (b binder) pair(p pluginsource.Pair, bound *value) (value, error) {
	describe, err := b.required(p.Describe)
	if err != nil {
		return value{}, err
	}
	run, err := b.required(p.Run)
	if err != nil {
		return value{}, err
	}
	if describe.IsValid() != run.IsValid() {
		has, lacks := p.Describe, p.Run
		if run.IsValid() {
			has, lacks = lacks, has
		}
		return value{}, fmt.Errorf("package %s exports %s without %s, which must be a %s", b.exports.Package, has.Name, lacks.Name, lacks.Type)
	}
	*bound = run
	return describe, nil
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

func (b binder) bindTool(schema value) error {
	if !schema.IsValid() {
		return nil
	}
	tool := &shared.ToolExport{}
	b.bound.paths = b.optional(pluginsource.Paths)
	tool.HasPaths = b.bound.paths.IsValid()
	var err1, err2, err3 error
	tool.Available, tool.HasAvailable, err1 = b.flag(pluginsource.Available)
	tool.Sandboxable, _, err2 = b.flag(pluginsource.Sandboxable)
	tool.Parallel, _, err3 = b.flag(pluginsource.Parallel)
	err4 := b.ask(pluginsource.Schema.Name, func() { tool.Schema, _ = reflect.TypeAssert[sdk.ToolSchema](schema.Call(nil)[0]) })
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	if tool.Schema.Name == "" {
		return fmt.Errorf("%s.Schema returned a tool without a Name", b.exports.Package)
	}
	switch t := tool.Schema.Parameters.Type; t {
	case "":
		tool.Schema.Parameters.Type = "object"
	case "object":
	default:
		return fmt.Errorf("%s.Schema returned Parameters of Type %q, want \"object\"", b.exports.Package, t)
	}
	tool.Schema = unwrapSchema(tool.Schema)
	b.exports.Tool = tool
	return nil
}

func (b binder) bindCommand(command value) error {
	if !command.IsValid() {
		return nil
	}
	var schema sdk.CommandSchema
	if err := b.ask(pluginsource.Command.Name, func() { schema, _ = reflect.TypeAssert[sdk.CommandSchema](command.Call(nil)[0]) }); err != nil {
		return err
	}
	if !pluginsource.IsCommandName(schema.Name) {
		return fmt.Errorf("%s.Command returned the Name %q, want one word without a slash", b.exports.Package, schema.Name)
	}
	b.exports.Command = &schema
	return nil
}
