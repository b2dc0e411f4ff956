package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared/exact"
)

type toolExport struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Usage       string          `json:"usage"`
	Examples    string          `json:"examples"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	// SchemaParameters is the sdk.ToolParameters of the function Schema, in the encoding of package exact. It replaces Parameters.
	SchemaParameters json.RawMessage  `json:"schema_parameters,omitempty"`
	SideEffects      []sdk.SideEffect `json:"side_effects"`
	RequiresApproval bool             `json:"requires_approval"`
	TimeoutSeconds   float64          `json:"timeout_s"`
	Parallel         bool             `json:"parallel"`
	Paths            bool             `json:"paths"`
	NotSandboxable   bool             `json:"not_sandboxable"`
	Unavailable      bool             `json:"unavailable"`
	// ChecksAvailable means that Unavailable may differ at the next start.
	ChecksAvailable bool `json:"checks_available"`
}

// bindTools binds the tool of Schema and Execute, and the tools that Tools returns. Each argument may be the zero value.
func (b *binder) bindTools(schema, execute, tools reflect.Value) error {
	if schema.IsValid() {
		if err := b.bindTool(schema, execute); err != nil {
			return err
		}
	}
	if !tools.IsValid() {
		return nil
	}
	sandboxable, _, err := b.flag("Sandboxable")
	if err != nil {
		return err
	}
	var list []sdk.Tool
	if err := b.ask("Tools", func() { list, _ = reflect.TypeAssert[[]sdk.Tool](tools.Call(nil)[0]) }); err != nil {
		return err
	}
	for _, t := range list {
		if err := b.addTool(t, sandboxable); err != nil {
			return err
		}
	}
	return nil
}

// bindTool binds the tool of Schema and Execute.
func (b *binder) bindTool(schema, execute reflect.Value) error {
	tool := toolExport{}
	paths := b.optional(b.other["Paths"])
	available, has, err1 := b.flag("Available")
	sandboxable, _, err2 := b.flag("Sandboxable")
	parallel, _, err3 := b.flag("Parallel")
	var s sdk.ToolSchema
	err4 := b.ask("Schema", func() { s, _ = reflect.TypeAssert[sdk.ToolSchema](schema.Call(nil)[0]) })
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	if s.Name == "" {
		return fmt.Errorf("%s.Schema returned a tool without a Name", b.out.Package)
	}
	switch s.Parameters.Type {
	case "":
		s.Parameters.Type = "object"
	case "object":
	default:
		return fmt.Errorf("%s.Schema returned Parameters of Type %q, want \"object\"", b.out.Package, s.Parameters.Type)
	}
	var err error
	if tool.SchemaParameters, err = exact.Encode(s.Parameters); err != nil {
		return fmt.Errorf("%s.Schema returned Parameters that cannot be sent: %w", b.out.Package, err)
	}
	tool.Name, tool.Description, tool.Usage, tool.Examples = s.Name, s.Description, s.Usage, s.Examples
	tool.NotSandboxable, tool.Unavailable, tool.ChecksAvailable, tool.Parallel = !sandboxable, !available, has, parallel
	return b.keepTool(tool, execute, paths)
}

// addTool binds one of the tools that Tools returned.
func (b *binder) addTool(t sdk.Tool, sandboxable bool) error {
	switch {
	case t.Name == "":
		return fmt.Errorf("%s.Tools returned a tool without a Name", b.out.Package)
	case t.Execute == nil:
		return fmt.Errorf("%s.Tools returned the tool %q without Execute", b.out.Package, t.Name)
	case t.Timeout < 0:
		return fmt.Errorf("%s.Tools returned the tool %q with the Timeout %s, want one above 0", b.out.Package, t.Name, t.Timeout)
	}
	parameters := t.Parameters
	if parameters == nil {
		parameters = map[string]any{"type": "object", "properties": map[string]any{}, "additionalProperties": false}
	}
	schema, err := json.Marshal(parameters)
	if err != nil {
		return fmt.Errorf("%s.Tools returned the tool %q with Parameters that are not a JSON schema: %w", b.out.Package, t.Name, err)
	}
	return b.keepTool(toolExport{
		Name: t.Name, Description: t.Description, Usage: t.Usage, Examples: t.Examples, Parameters: schema, SideEffects: t.SideEffects,
		RequiresApproval: t.RequiresApproval, TimeoutSeconds: t.Timeout.Seconds(), NotSandboxable: !sandboxable, Parallel: !t.Sequential,
	}, reflect.ValueOf(t.Execute), reflect.ValueOf(t.Paths))
}

// keepTool records a tool and its functions. paths may be invalid or nil.
func (b *binder) keepTool(tool toolExport, execute, paths reflect.Value) error {
	if slices.ContainsFunc(b.out.Tools, func(known toolExport) bool { return known.Name == tool.Name }) {
		return fmt.Errorf("package %s exports two tools of the name %q", b.out.Package, tool.Name)
	}
	b.bound.execute[tool.Name] = execute
	if paths.IsValid() && !paths.IsNil() {
		tool.Paths, b.bound.paths[tool.Name] = true, paths
	}
	b.out.Tools = append(b.out.Tools, tool)
	return nil
}

// bindCommands binds the command of Command and ExecuteCommand, and the commands that Commands returns. Each argument may be the zero
// value.
func (b *binder) bindCommands(command, execute, commands reflect.Value) error {
	if command.IsValid() {
		var schema sdk.CommandSchema
		if err := b.ask("Command", func() { schema, _ = reflect.TypeAssert[sdk.CommandSchema](command.Call(nil)[0]) }); err != nil {
			return err
		}
		if err := b.keepCommand("Command", schema, execute); err != nil {
			return err
		}
	}
	if !commands.IsValid() {
		return nil
	}
	var list []sdk.Command
	if err := b.ask("Commands", func() { list, _ = reflect.TypeAssert[[]sdk.Command](commands.Call(nil)[0]) }); err != nil {
		return err
	}
	for _, c := range list {
		if c.Execute == nil {
			return fmt.Errorf("%s.Commands returned the command %q without Execute", b.out.Package, c.Name)
		}
		if err := b.keepCommand("Commands", c.CommandSchema, reflect.ValueOf(c.Execute)); err != nil {
			return err
		}
	}
	return nil
}

// keepCommand records a command and its function. from is the function that described it.
func (b *binder) keepCommand(from string, schema sdk.CommandSchema, execute reflect.Value) error {
	if schema.Name == "" || strings.ContainsAny(schema.Name, "/ \t\r\n") {
		return fmt.Errorf("%s.%s returned the Name %q, want one word without a slash", b.out.Package, from, schema.Name)
	}
	if b.bound.commands[schema.Name].IsValid() {
		return fmt.Errorf("package %s exports two commands of the name %q", b.out.Package, schema.Name)
	}
	b.bound.commands[schema.Name] = execute
	b.out.Commands = append(b.out.Commands, commandExport(schema))
	return nil
}
