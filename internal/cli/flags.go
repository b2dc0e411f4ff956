package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The root's flags, in groups of what they decide.
var (
	// placeFlags say where the configuration is.
	placeFlags = []string{"config", "home", "workdir"}
	// readFlags are for commands that read the configuration.
	readFlags   = append(slices.Clone(placeFlags), "env-file", "trust", "safe")
	roleFlags   = []string{"agent", "mode"}
	unsafeFlags = []string{"unsafe-plugins"}
	// toolFlags decide which tools there are.
	toolFlags = slices.Concat(roleFlags, unsafeFlags, []string{"without-plugins", "include-tools", "exclude-tools"})
)

// flagTable names the root's flags that do something for a command, by the command's path. A command that is not listed is as the
// nearest one above it. One with nil takes all of them.
var flagTable = map[string][]string{
	"run":             nil,
	"tasks":           readFlags,
	"tasks run":       nil,
	"init":            readFlags,
	"trust":           readFlags,
	"paths":           placeFlags,
	"version":         {},
	"completion":      {},
	"help":            {},
	"doctor":          slices.Concat(readFlags, toolFlags),
	"show":            slices.Concat(readFlags, roleFlags),
	"hooks":           slices.Concat(readFlags, roleFlags),
	"tools":           slices.Concat(readFlags, toolFlags),
	"models":          append(slices.Clone(readFlags), "provider"),
	"mcp":             readFlags,
	"sandbox":         readFlags,
	"sessions":        readFlags,
	"plugins":         slices.Concat(readFlags, unsafeFlags),
	"plugins logs":    readFlags,
	"plugins enable":  readFlags,
	"plugins disable": readFlags,
	"plugins remove":  readFlags,
	"plugins trust":   readFlags,
	// The command line to be completed says which flags are set, and a flag that is set is not offered again.
	cobra.ShellCompRequestCmd: {},
	// Each kind of entity that has no command of its own.
	"agents": readFlags, "commands": readFlags, "modes": readFlags, "prompts": readFlags, "providers": readFlags, "skills": readFlags,
	"features": slices.Concat(readFlags, roleFlags),
}

// takes reports whether a flag of the root does something for a command.
func takes(cmd *cobra.Command, flag string) bool {
	for path := pathOf(cmd); path != ""; path, _ = cutLast(path) {
		if flags, listed := flagTable[path]; listed {
			return flags == nil || slices.Contains(flags, flag)
		}
	}
	return true
}

// pathOf is the path of a command without the program's name.
func pathOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
}

func cutLast(path string) (above, name string) {
	i := strings.LastIndexByte(path, ' ')
	return path[:max(i, 0)], path[i+1:]
}

// idle returns the root's flags that do nothing for a command.
func idle(cmd *cobra.Command) []*pflag.Flag {
	var out []*pflag.Flag
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !takes(cmd, f.Name) {
			out = append(out, f)
		}
	})
	return out
}

// reportIdle warns of flags on the command line that do nothing for the command. It looks before the environment sets flags: a
// variable is for all commands, so it may be idle. A flag is no error, since an alias of aura may set it for all commands too.
func reportIdle(cmd *cobra.Command, stderr io.Writer) {
	for _, f := range idle(cmd) {
		if f.Changed {
			fmt.Fprintf(stderr, "! --%s does nothing for %q\n", f.Name, cmd.CommandPath())
		}
	}
}

// hideIdle hides the flags that do nothing for a command, and returns what shows them again.
func hideIdle(cmd *cobra.Command) (restore func()) {
	list := idle(cmd)
	hidden := make([]bool, len(list))
	for i, f := range list {
		hidden[i], f.Hidden = f.Hidden, true
	}
	return func() {
		for i, f := range list {
			f.Hidden = hidden[i]
		}
	}
}

// narrowHelp makes the help of each command leave out the flags that do nothing for it.
func narrowHelp(root *cobra.Command) {
	usual := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		defer hideIdle(cmd)()
		return usual(cmd)
	})
}

// narrowCompletion does the same for the completion of flags, which asks the command line that it is given.
func narrowCompletion(root *cobra.Command, args []string) {
	if len(args) < 2 || args[0] != cobra.ShellCompRequestCmd && args[0] != cobra.ShellCompNoDescRequestCmd {
		return
	}
	// A command line that names no command yet completes as the root does.
	if cmd, _, err := root.Find(args[1 : len(args)-1]); err == nil {
		hideIdle(cmd) // for good: this process answers one request
	}
}
