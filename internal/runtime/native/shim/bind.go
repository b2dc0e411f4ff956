package shim

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/runtime/native/link"
	"github.com/idelchi/aura/sdk"
)

// bound holds the plugin's functions. execute and paths are by the name of the tool, and commands by the name of the command.
type bound struct {
	hooks, execute, paths, commands map[string]reflect.Value
}

// exports is the result of load; see docs/guests.md.
type exports struct {
	Module       string          `json:"module"`
	Package      string          `json:"package"`
	Hooks        []string        `json:"hooks"`
	Tools        []toolExport    `json:"tools"`
	Commands     []commandExport `json:"commands"`
	Listens      []string        `json:"listens"`
	Emits        []string        `json:"emits"`
	Disables     []string        `json:"disables"`
	SystemPrompt string          `json:"system_prompt"`
	Unread       []string        `json:"unread"`
	Warnings     []string        `json:"warnings"`
}

type commandExport struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Hints       []string `json:"hints"`
	Forward     bool     `json:"forward"`
	Silent      bool     `json:"silent"`
}

// binder collects what a plugin exports. Its rules and messages are those of package interp.
type binder struct {
	*server
	bound bound
	out   *exports
	other map[string]Function
}

func newBinder(s *server) *binder {
	p := s.plugin
	b := &binder{
		server: s, other: make(map[string]Function),
		bound: bound{
			hooks: make(map[string]reflect.Value), execute: make(map[string]reflect.Value), paths: make(map[string]reflect.Value), commands: make(map[string]reflect.Value),
		},
		out: &exports{Module: p.Module, Package: p.Package, Emits: p.Emits, Disables: p.Disables, Unread: p.Unread, Warnings: slices.Clone(p.Warnings)},
	}
	for _, f := range p.Others {
		b.other[f.Name] = f
	}
	return b
}

// bind finds the plugin's functions, checks their types and calls those that describe the plugin.
func (b *binder) bind(cfg sdk.ToolConfig) error {
	if err := b.bindHooks(); err != nil {
		return err
	}
	schema, execute, err := b.pair("Schema", "Execute")
	if err != nil {
		return err
	}
	command, executeCommand, err := b.pair("Command", "ExecuteCommand")
	if err != nil {
		return err
	}
	tools, commands, prompt := b.optional(b.other["Tools"]), b.optional(b.other["Commands"]), b.optional(b.other["SystemPrompt"])
	useful := slices.ContainsFunc([]reflect.Value{schema, command, tools, commands, prompt}, reflect.Value.IsValid)
	if len(b.out.Hooks) == 0 && !useful && (link.Events == nil || len(link.Events()) == 0) {
		return b.nothingExported()
	}
	if init := b.optional(b.other["Init"]); init.IsValid() {
		if err := b.ask("Init", func() { init.Call([]reflect.Value{reflect.ValueOf(cfg)}) }); err != nil {
			return err
		}
	}
	if err := b.bindTools(schema, execute, tools); err != nil {
		return err
	}
	if prompt.IsValid() {
		if err := b.ask("SystemPrompt", func() { b.out.SystemPrompt = prompt.Call(nil)[0].String() }); err != nil {
			return err
		}
	}
	return b.bindCommands(command, executeCommand, commands)
}

func (b *binder) nothingExported() error {
	var hooks []string
	for _, f := range b.plugin.Hooks {
		hooks = append(hooks, f.Name)
	}
	return fmt.Errorf("package %s exports neither a hook (%s) nor a tool (Schema with Execute, or Tools) nor a command (Command with ExecuteCommand, or Commands) nor a SystemPrompt%s",
		b.out.Package, strings.Join(hooks, ", "), strings.Join(append([]string{""}, b.out.Warnings...), "; "))
}

func (b *binder) bindHooks() error {
	for _, f := range b.plugin.Hooks {
		fn, err := b.hook(f)
		if err != nil {
			return err
		}
		if fn.IsValid() {
			b.bound.hooks[f.Name] = fn
			b.out.Hooks = append(b.out.Hooks, f.Name)
		}
	}
	return nil
}

func (b *binder) hook(f Function) (reflect.Value, error) {
	if f.Otherwise != "" {
		return b.optional(f), nil
	}
	return b.required(f)
}

// required returns a function of the plugin, or the zero value if there is none. A function of another type is an error.
func (b *binder) required(f Function) (reflect.Value, error) {
	if !f.Exported {
		return reflect.Value{}, nil
	}
	if fault := mismatch(f); fault != "" {
		return reflect.Value{}, fmt.Errorf("%s.%s %s", b.out.Package, f.Name, fault)
	}
	return reflect.ValueOf(f.Value), nil
}

// mismatch returns what is wrong with a symbol that must be a function of a type, or "" if it is correct.
func mismatch(f Function) string {
	v := reflect.ValueOf(f.Value)
	switch {
	case v.Type() == reflect.TypeFor[Generic]():
		return fmt.Sprintf("is generic, want %s", f.Want)
	case v.Kind() != reflect.Func:
		return fmt.Sprintf("is not a function, want %s", f.Want)
	case v.Type() != f.Want:
		return fmt.Sprintf("has the signature %s, want %s", v.Type(), f.Want)
	case v.IsNil():
		return fmt.Sprintf("is a nil function, want a %s", f.Want)
	default:
		return ""
	}
}

// pair returns the function that describes a tool or a command and the function that runs it. Neither may be exported alone.
func (b *binder) pair(describing, running string) (describe, run reflect.Value, err error) {
	if describe, err = b.required(b.other[describing]); err != nil {
		return reflect.Value{}, reflect.Value{}, err
	}
	if run, err = b.required(b.other[running]); err != nil {
		return reflect.Value{}, reflect.Value{}, err
	}
	if describe.IsValid() != run.IsValid() {
		has, lacks := b.other[describing], b.other[running]
		if run.IsValid() {
			has, lacks = lacks, has
		}
		return reflect.Value{}, reflect.Value{}, fmt.Errorf("package %s exports %s without %s, which must be a %s", b.out.Package, has.Name, lacks.Name, lacks.Want)
	}
	return describe, run, nil
}

// optional returns a function of the plugin. If the function has another type, optional adds a warning and returns the zero value.
func (b *binder) optional(f Function) reflect.Value {
	if !f.Exported {
		return reflect.Value{}
	}
	if fault := mismatch(f); fault != "" {
		b.out.Warnings = append(b.out.Warnings, fmt.Sprintf("%s.%s %s: %s", b.out.Package, f.Name, fault, f.Otherwise))
		return reflect.Value{}
	}
	return reflect.ValueOf(f.Value)
}

// flag calls an optional function that returns a bool. answer is true if the function is not exported.
func (b *binder) flag(name string) (answer, exported bool, err error) {
	answer = true
	fn := b.optional(b.other[name])
	if !fn.IsValid() {
		return answer, false, nil
	}
	err = b.ask(name, func() { answer = fn.Call(nil)[0].Bool() })
	return answer, true, err
}

// ask calls one of the plugin's descriptive functions.
func (b *binder) ask(name string, fn func()) error {
	failure := b.guarded(name, func() error {
		fn()
		return nil
	})
	switch {
	case failure == nil:
		return nil
	case failure.Kind == kindPanic:
		return fmt.Errorf("calling %s.%s: panic: %s", b.out.Package, name, failure.Message)
	default:
		return fmt.Errorf("calling %s.%s: %w", b.out.Package, name, errors.New(failure.Message))
	}
}
