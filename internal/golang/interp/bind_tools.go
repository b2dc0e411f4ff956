package interp

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// bindTools binds the tool of Schema and Execute, and the tools that Tools returns. Each argument may be the zero value.
func (b binder) bindTools(schema, execute, tools value) error {
	if !schema.IsValid() && !tools.IsValid() {
		return nil
	}
	if schema.IsValid() {
		if err := b.bindTool(schema, execute); err != nil {
			return err
		}
	}
	if !tools.IsValid() {
		return nil
	}
	sandboxable, _, err := b.flag(pluginsource.Sandboxable)
	if err != nil {
		return err
	}
	var list []sdk.Tool
	if err := b.ask(pluginsource.Tools.Name, func() { list, _ = reflect.TypeAssert[[]sdk.Tool](tools.Call(nil)[0]) }); err != nil {
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
func (b binder) bindTool(schema, execute value) error {
	tool := shared.ToolExport{}
	paths := b.optional(pluginsource.Paths)
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
	return b.keepTool(tool, execute, paths)
}

// addTool binds one of the tools that Tools returned.
func (b binder) addTool(t sdk.Tool, sandboxable bool) error {
	switch {
	case t.Name == "":
		return fmt.Errorf("%s.Tools returned a tool without a Name", b.exports.Package)
	case t.Execute == nil:
		return fmt.Errorf("%s.Tools returned the tool %q without Execute", b.exports.Package, t.Name)
	case t.Timeout < 0:
		return fmt.Errorf("%s.Tools returned the tool %q with the Timeout %s, want one above 0", b.exports.Package, t.Name, t.Timeout)
	}
	parameters := unwrapMap(t.Parameters, 0)
	if parameters == nil {
		parameters = map[string]any{"type": "object", "properties": map[string]any{}, "additionalProperties": false}
	}
	schema, err := json.Marshal(parameters)
	if err != nil {
		return fmt.Errorf("%s.Tools returned the tool %q with Parameters that are not a JSON schema: %w", b.exports.Package, t.Name, err)
	}
	return b.keepTool(shared.ToolExport{
		Schema:     sdk.ToolSchema{Name: t.Name, Description: t.Description, Usage: t.Usage, Examples: t.Examples},
		Parameters: schema, SideEffects: t.SideEffects, RequiresApproval: t.RequiresApproval, Timeout: t.Timeout,
		Sandboxable: sandboxable, Parallel: !t.Sequential, Available: true,
	}, reflect.ValueOf(t.Execute), reflect.ValueOf(t.Paths))
}

// keepTool records a tool and its functions. paths may be invalid or nil.
func (b binder) keepTool(tool shared.ToolExport, execute, paths value) error {
	name := tool.Schema.Name
	if b.exports.Tool(name) != nil {
		return fmt.Errorf("package %s exports two tools of the name %q", b.exports.Package, name)
	}
	b.bound.execute[name] = execute
	if paths.IsValid() && !paths.IsNil() {
		tool.HasPaths, b.bound.paths[name] = true, paths
	}
	b.exports.Tools = append(b.exports.Tools, tool)
	return nil
}

// bindCommands binds the command of Command and ExecuteCommand, and the commands that Commands returns. Each argument may be the
// zero value.
func (b binder) bindCommands(command, execute, commands value) error {
	if command.IsValid() {
		var schema sdk.CommandSchema
		if err := b.ask(pluginsource.Command.Name, func() { schema, _ = reflect.TypeAssert[sdk.CommandSchema](command.Call(nil)[0]) }); err != nil {
			return err
		}
		if err := b.keepCommand(pluginsource.Command.Name, schema, execute); err != nil {
			return err
		}
	}
	if !commands.IsValid() {
		return nil
	}
	var list []sdk.Command
	if err := b.ask(pluginsource.Commands.Name, func() { list, _ = reflect.TypeAssert[[]sdk.Command](commands.Call(nil)[0]) }); err != nil {
		return err
	}
	for _, c := range list {
		if c.Execute == nil {
			return fmt.Errorf("%s.Commands returned the command %q without Execute", b.exports.Package, c.Name)
		}
		if err := b.keepCommand(pluginsource.Commands.Name, c.CommandSchema, reflect.ValueOf(c.Execute)); err != nil {
			return err
		}
	}
	return nil
}

// keepCommand records a command and its function. from is the function that described it.
func (b binder) keepCommand(from string, schema sdk.CommandSchema, execute value) error {
	if !pluginsource.IsCommandName(schema.Name) {
		return fmt.Errorf("%s.%s returned the Name %q, want one word without a slash", b.exports.Package, from, schema.Name)
	}
	if b.bound.commands[schema.Name].IsValid() {
		return fmt.Errorf("package %s exports two commands of the name %q", b.exports.Package, schema.Name)
	}
	b.bound.commands[schema.Name] = execute
	b.exports.Commands = append(b.exports.Commands, schema)
	return nil
}
