package guest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// exports is the result of load: what the plugin registers.
type exports struct {
	// Module and Package are those of a plugin in Go. Without them, the package has the name of the plugin.
	Module       string          `json:"module"`
	Package      string          `json:"package"`
	Hooks        []string        `json:"hooks"`
	Events       []string        `json:"events"`
	Tools        []toolExport    `json:"tools"`
	Commands     []commandExport `json:"commands"`
	Listens      []string        `json:"listens"`
	Emits        []string        `json:"emits"`
	Disables     []string        `json:"disables"`
	SystemPrompt string          `json:"system_prompt"`
	Unread       []string        `json:"unread"`
	AsksLists    bool            `json:"asks_lists"`
	Warnings     []string        `json:"warnings"`
}

type toolExport struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Usage       string `json:"usage"`
	Examples    string `json:"examples"`
	// Parameters is a JSON schema. SchemaParameters is an sdk.ToolParameters that replaces it.
	Parameters       json.RawMessage  `json:"parameters"`
	SchemaParameters json.RawMessage  `json:"schema_parameters"`
	SideEffects      []sdk.SideEffect `json:"side_effects"`
	RequiresApproval bool             `json:"requires_approval"`
	// TimeoutSeconds is 0 for the deadline of the plugin.
	TimeoutSeconds float64 `json:"timeout_s"`
	Parallel       bool    `json:"parallel"`
	Paths          bool    `json:"paths"`
	// NotSandboxable means that the tool cannot work in a sandbox. It counts only if the plugin's source shows it.
	NotSandboxable bool `json:"not_sandboxable"`
	// Unavailable means that the tool cannot be used, and ChecksAvailable that this may differ at the next start.
	Unavailable     bool `json:"unavailable"`
	ChecksAvailable bool `json:"checks_available"`
}

type commandExport struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Hints       []string `json:"hints"`
	Forward     bool     `json:"forward"`
	Silent      bool     `json:"silent"`
}

// maxTimeout is the longest deadline that a tool may ask for. It keeps the number of nanoseconds in range.
const maxTimeout = 24 * time.Hour

// readExports checks the result of load. The guest is not trusted.
func readExports(name string, raw json.RawMessage) (out shared.Exports, asksLists bool, err error) {
	var in exports
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return shared.Exports{}, false, fmt.Errorf("reading what the plugin registers: %w", err)
	}
	out, err = in.read(name)
	return out, in.AsksLists, err
}

func (in exports) read(name string) (shared.Exports, error) {
	out := shared.Exports{
		Module: in.Module, Package: cmp.Or(in.Package, name), Events: in.Events, Disables: in.Disables, Listens: sorted(in.Listens), Emits: sorted(in.Emits), SystemPrompt: in.SystemPrompt, Unread: in.Unread, Warnings: in.Warnings,
	}
	for _, hook := range in.Hooks {
		if _, known := hookpoint.Lookup(hookpoint.Name(hook)); !known {
			return shared.Exports{}, fmt.Errorf("the plugin registers the hook %q, which does not exist", hook)
		}
	}
	for _, point := range hookpoint.All() {
		if slices.Contains(in.Hooks, string(point.Name)) {
			out.Hooks = append(out.Hooks, point.Name)
		}
	}
	// A plugin in Go fails to load, as it does without a guest. An extension may be a guard, so what cannot be used is left out alone.
	var faults []error
	for _, t := range in.Tools {
		faults = append(faults, addTool(&out, t))
	}
	for _, c := range in.Commands {
		faults = append(faults, addCommand(&out, c))
	}
	faults = slices.DeleteFunc(faults, func(err error) bool { return err == nil })
	if in.Module != "" && len(faults) > 0 {
		return shared.Exports{}, faults[0]
	}
	for _, err := range faults {
		out.Warnings = append(out.Warnings, err.Error()+"; it is left out")
	}
	return out, nil
}

func addTool(out *shared.Exports, t toolExport) error {
	made, err := t.read()
	if err == nil && out.Tool(t.Name) != nil {
		err = errors.New("it is registered twice")
	}
	if err != nil {
		return fmt.Errorf("tool %q: %w", t.Name, err)
	}
	out.Tools = append(out.Tools, made)
	return nil
}

func addCommand(out *shared.Exports, c commandExport) error {
	if !pluginsource.IsCommandName(c.Name) {
		return fmt.Errorf("command %q: the name of a command is one word without a slash", c.Name)
	}
	if slices.ContainsFunc(out.Commands, func(known sdk.CommandSchema) bool { return known.Name == c.Name }) {
		return fmt.Errorf("command %q: it is registered twice", c.Name)
	}
	out.Commands = append(out.Commands, sdk.CommandSchema(c))
	return nil
}

var effects = []sdk.SideEffect{
	sdk.SideEffectNone, sdk.SideEffectRead, sdk.SideEffectWrite, sdk.SideEffectExecute, sdk.SideEffectNetwork,
}

func (t toolExport) read() (shared.ToolExport, error) {
	timeout := time.Duration(t.TimeoutSeconds * float64(time.Second))
	switch {
	case t.Name == "":
		return shared.ToolExport{}, errors.New("it has no name")
	case !(t.TimeoutSeconds >= 0 && t.TimeoutSeconds <= maxTimeout.Seconds()):
		return shared.ToolExport{}, fmt.Errorf("its timeout is %g seconds; use one from 0 to %g", t.TimeoutSeconds, maxTimeout.Seconds())
	}
	for _, e := range t.SideEffects {
		if !slices.Contains(effects, e) {
			return shared.ToolExport{}, fmt.Errorf("%q is no side effect", e)
		}
	}
	out := shared.ToolExport{
		Schema:     sdk.ToolSchema{Name: t.Name, Description: t.Description, Usage: t.Usage, Examples: t.Examples},
		Parameters: t.Parameters, SideEffects: t.SideEffects, RequiresApproval: t.RequiresApproval, Timeout: timeout,
		Sandboxable: !t.NotSandboxable, Parallel: t.Parallel, Available: !t.Unavailable, HasAvailable: t.ChecksAvailable, HasPaths: t.Paths,
	}
	if len(t.SchemaParameters) > 0 {
		out.Parameters = nil
		err := shared.DecodeExact(t.SchemaParameters, &out.Schema.Parameters)
		return out, err
	}
	var schema map[string]any
	if err := json.Unmarshal(t.Parameters, &schema); err != nil || schema == nil {
		return shared.ToolExport{}, errors.New("its parameters are no JSON schema of an object")
	}
	return out, nil
}

func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}
