package pluginsource

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Function is a function that aura calls if a plugin exports it.
type Function struct {
	Name string
	// Type is the required type of the function.
	Type reflect.Type
	// Otherwise describes what happens if an optional function has another type. It is empty for functions that are not optional.
	// A plugin that exports such a function with another type does not load.
	Otherwise string
}

// The functions other than hooks.
var (
	Schema         = function[func() sdk.ToolSchema]("Schema", "")
	Execute        = function[func(context.Context, sdk.Context, map[string]any) (string, error)]("Execute", "")
	Command        = function[func() sdk.CommandSchema]("Command", "")
	ExecuteCommand = function[func(context.Context, string, sdk.Context) (sdk.CommandResult, error)]("ExecuteCommand", "")
	Tools          = function[func() []sdk.Tool]("Tools", "it is not called")
	Commands       = function[func() []sdk.Command]("Commands", "it is not called")
	SystemPrompt   = function[func() string]("SystemPrompt", "it is not called")
	Init           = function[func(sdk.ToolConfig)]("Init", "it is not called")
	Paths          = function[func(map[string]any) (sdk.ToolPaths, error)]("Paths", "no paths are declared")
	Available      = function[func() bool]("Available", defaultTrue)
	Sandboxable    = function[func() bool]("Sandboxable", defaultTrue)
	Parallel       = function[func() bool]("Parallel", defaultTrue)
)

const defaultTrue = "the default, true, is used"

func function[F any](name, otherwise string) Function {
	return Function{Name: name, Type: reflect.TypeFor[F](), Otherwise: otherwise}
}

// Hook returns the function of a hook point.
func Hook(point hookpoint.Point) Function {
	f := Function{Name: string(point.Name), Type: point.Signature}
	if point.Since != "" {
		f.Otherwise = "it is not called"
	}
	return f
}

// Pair holds a function that describes something and the function that runs it. A plugin exports both or neither.
type Pair struct{ Describe, Run Function }

// The pairs.
var (
	Tool         = Pair{Schema, Execute}
	SlashCommand = Pair{Command, ExecuteCommand}
)

// Pairs returns all pairs.
func Pairs() []Pair { return []Pair{Tool, SlashCommand} }

// Optional returns the functions of which a plugin may export any.
func Optional() []Function {
	return []Function{Tools, Commands, SystemPrompt, Init, Paths, Available, Sandboxable, Parallel}
}

// Enough returns the names of the optional functions that make a plugin useful without any other function.
func Enough() []string { return []string{Tools.Name, Commands.Name, SystemPrompt.Name} }

// Names returns the names of all functions that aura calls.
func Names() []string {
	var names []string
	for _, point := range hookpoint.All() {
		names = append(names, string(point.Name))
	}
	for _, p := range Pairs() {
		names = append(names, p.Describe.Name, p.Run.Name)
	}
	for _, f := range Optional() {
		names = append(names, f.Name)
	}
	return names
}

// Restricted returns the packages that a plugin can import only in unsafe mode.
func Restricted() []string { return []string{"os/exec", "syscall", "unsafe"} }

// IsRestricted reports whether a plugin can import a package only in unsafe mode.
func IsRestricted(importPath string) bool { return slices.Contains(Restricted(), importPath) }

// IsCommandName reports whether name is valid for a plugin's slash command: one word without a slash.
func IsCommandName(name string) bool { return name != "" && !strings.ContainsAny(name, "/ \t\r\n") }
