package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/sdk"
)

func newPluginsInspect(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect NAME",
		Short: "Show what one plugin registers: hooks, tools, commands, prompts, events",
		Long: `Load one plugin and show what it registers: its hooks with their condition, its
tools with their parameters and side effects, its commands, what it adds to the
system prompt, and the events that it emits and listens to.`,
		Example: `  aura plugins inspect notepad
  aura plugins inspect notepad --json`,
		Args: exactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := root.inspect(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			p := list[0]
			if p.ProbeError != "" {
				return fmt.Errorf("inspecting plugin %q: it does not load: %s", p.Name, p.ProbeError)
			}
			if asJSON {
				return writeJSON(s.out, registrationOf(p))
			}
			return writeRegistration(s.out, p)
		},
		ValidArgsFunction: pluginNames(s, root),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

// registration is what a plugin registers.
type registration struct {
	Name         string                `json:"name"`
	Hooks        []registeredHook      `json:"hooks"`
	Events       []string              `json:"events,omitempty"`
	Tools        []inspect.ToolInfo    `json:"tools"`
	Commands     []inspect.CommandInfo `json:"commands"`
	SystemPrompt string                `json:"system_prompt"`
	Listens      []string              `json:"listens"`
	Emits        []string              `json:"emits"`
	Warnings     []string              `json:"warnings"`
}

// registeredHook is a hook with the condition under which the plugin is called.
type registeredHook struct {
	Name      string `json:"name"`
	Condition string `json:"condition"`
	Once      bool   `json:"once"`
}

func registrationOf(p inspect.Plugin) registration {
	out := registration{
		Name: p.Name, Hooks: []registeredHook{}, Events: p.Events, Tools: p.Tools, Commands: p.Commands, SystemPrompt: p.SystemPrompt,
		Listens: append([]string{}, p.Listens...), Emits: append([]string{}, p.Emits...), Warnings: append([]string{}, p.Warnings...),
	}
	for i, t := range out.Tools {
		out.Tools[i].Parameters = parametersOf(t)
	}
	for _, h := range p.Hooks {
		out.Hooks = append(out.Hooks, registeredHook{Name: string(h), Condition: p.Condition, Once: p.Once})
	}
	return out
}

// writeRegistration writes what a plugin registers, a heading per kind.
func writeRegistration(w io.Writer, p inspect.Plugin) error {
	fmt.Fprintln(w, clean(p.Name))
	section := func(name string, lines []string) {
		fmt.Fprintf(w, "%s:\n", name)
		if len(lines) == 0 {
			lines = []string{"-"}
		}
		for _, line := range lines {
			fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(clean(line), "\n", "\n    "))
		}
	}
	var hooks, tools, commands []string
	for _, h := range p.Hooks {
		hooks = append(hooks, string(h)+conditionNote(p))
	}
	for _, t := range p.Tools {
		text, err := toolText(t)
		if err != nil {
			return err
		}
		tools = append(tools, text)
	}
	for _, c := range p.Commands {
		commands = append(commands, commandText(c))
	}
	if p.Runtime == manifest.RuntimePython {
		section("Events", p.Events)
	} else {
		section("Hooks", hooks)
	}
	section("Tools", tools)
	section("Commands", commands)
	section("System prompt", lines(p.SystemPrompt))
	section("Listens to", p.Listens)
	section("Emits", p.Emits)
	if len(p.Warnings) > 0 {
		section("Warnings", p.Warnings)
	}
	return nil
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// conditionNote returns when the plugin's hooks are called, if that is not always.
func conditionNote(p inspect.Plugin) string {
	note := ""
	if p.Condition != "" {
		note += " (condition: " + p.Condition + ")"
	}
	if p.Once {
		note += " (once)"
	}
	return note
}

// toolText describes a tool in several lines, with its parameters as a JSON schema.
func toolText(t inspect.ToolInfo) (string, error) {
	parameters, err := json.Marshal(parametersOf(t))
	if err != nil {
		return "", fmt.Errorf("showing the parameters of %s: %w", t.Name, err)
	}
	text := t.Name + ": " + t.Description + "\nside effects: " + sideEffects(t.SideEffects)
	if t.RequiresApproval {
		text += "; requires approval"
	}
	if t.Timeout > 0 {
		text += fmt.Sprintf("\ntimeout: %gs", t.Timeout)
	}
	return text + "\nparameters: " + string(parameters), nil
}

// parametersOf returns the parameters of a tool as a JSON schema. Parameters that are not valid are returned as the plugin wrote them.
func parametersOf(t inspect.ToolInfo) any {
	if p, ok := t.Parameters.(sdk.ToolParameters); ok {
		if schema, err := tool.FromSDK(sdk.ToolSchema{Name: t.Name, Parameters: p}); err == nil {
			return schema
		}
	}
	return t.Parameters
}

func sideEffects(list []sdk.SideEffect) string {
	var names []string
	for _, s := range list {
		names = append(names, string(s))
	}
	return dash(strings.Join(names, ", "))
}

func commandText(c inspect.CommandInfo) string {
	words := []string{"/" + c.Name}
	for _, hint := range c.Hints {
		words = append(words, "<"+hint+">")
	}
	text := strings.Join(words, " ")
	if c.Description != "" {
		text += ": " + c.Description
	}
	return text
}
