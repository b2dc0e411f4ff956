package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The root's flags, grouped by what they control.
var (
	// placeFlags define where the configuration is located.
	placeFlags = []string{"config", "home", "workdir"}
	// readFlags are for commands that read the configuration.
	readFlags   = append(slices.Clone(placeFlags), "env-file", "trust", "safe")
	roleFlags   = []string{"agent", "mode"}
	unsafeFlags = []string{"unsafe-plugins"}
	// toolFlags decide which tools are available.
	toolFlags = slices.Concat(roleFlags, unsafeFlags, []string{"without-plugins", "include-tools", "exclude-tools", "network"})
)

// acpFlags are for all sessions of an editor, which names their directories and the session to continue.
var acpFlags = slices.Concat(toolFlags, []string{
	"config", "home", "env-file", "trust", "safe", "provider", "model", "system", "think", "auto", "max-steps", "token-budget", "set", "without-instructions",
})

// flagTable maps the path of a command to the root's flags that affect it. A command that is not listed inherits the entry of its
// nearest ancestor. Nil means all flags.
var flagTable = map[string][]string{
	"run":             nil,
	"tasks":           readFlags,
	"tasks run":       nil,
	"explain":         readFlags,
	"acp":             acpFlags,
	"fleet":           {},
	"fleet work":      {"config", "home"},
	"import":          readFlags,
	"init":            readFlags,
	"trust":           readFlags,
	"approvals":       readFlags,
	"paths":           placeFlags,
	"policy":          readFlags,
	"policy check":    {},
	"version":         {},
	"completion":      {},
	"help":            {},
	"doctor":          slices.Concat(readFlags, toolFlags),
	"show":            slices.Concat(readFlags, roleFlags),
	"hooks":           slices.Concat(readFlags, roleFlags),
	"tools":           slices.Concat(readFlags, toolFlags),
	"models":          append(slices.Clone(readFlags), "provider"),
	"mcp":             readFlags,
	"cache":           readFlags,
	"sandbox":         readFlags,
	"sessions":        readFlags,
	"plugins":         slices.Concat(readFlags, unsafeFlags),
	"plugins call":    slices.Concat(readFlags, unsafeFlags, roleFlags),
	"plugins replay":  slices.Concat(readFlags, unsafeFlags, roleFlags),
	"plugins bisect":  slices.Concat(readFlags, unsafeFlags, roleFlags),
	"plugins test":    slices.Concat(readFlags, unsafeFlags, roleFlags),
	"plugins dev":     nil,
	"plugins new":     readFlags,
	"plugins sdk":     readFlags,
	"plugins logs":    readFlags,
	"plugins enable":  readFlags,
	"plugins disable": readFlags,
	"plugins remove":  readFlags,
	"plugins trust":   readFlags,
	// These commands concern the sources of plugins.
	"sources": readFlags, "plugins search": readFlags, "plugins outdated": readFlags,
	// These commands concern running sessions, whatever the configuration is by now.
	"web": placeFlags, "plugins top": placeFlags, "plugins restart": placeFlags, "plugins quarantine": placeFlags,
	// The command line to complete decides which flags are set. A flag that is set is not offered again.
	cobra.ShellCompRequestCmd: {},
	// The kinds of entities that have no separate entry.
	"agents": readFlags, "commands": readFlags, "modes": readFlags, "prompts": readFlags, "providers": readFlags, "skills": readFlags,
	"features": slices.Concat(readFlags, roleFlags),
}

// takes reports whether a flag of the root affects a command.
func takes(cmd *cobra.Command, flag string) bool {
	for path := pathOf(cmd); path != ""; path, _ = cutLast(path) {
		if flags, listed := flagTable[path]; listed {
			return flags == nil || slices.Contains(flags, flag)
		}
	}
	return true
}

// pathOf returns the path of a command without the program's name.
func pathOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
}

func cutLast(path string) (above, name string) {
	i := strings.LastIndexByte(path, ' ')
	return path[:max(i, 0)], path[i+1:]
}

// idle returns the root's flags that do not affect a command.
func idle(cmd *cobra.Command) []*pflag.Flag {
	var out []*pflag.Flag
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !takes(cmd, f.Name) {
			out = append(out, f)
		}
	})
	return out
}

// reportIdle warns about flags on the command line that do not affect the command. It must run before the environment sets flags:
// a variable applies to all commands, so it may be idle. An idle flag is not an error, because a shell alias of aura may also set
// it for all commands.
func reportIdle(cmd *cobra.Command, stderr io.Writer) {
	for _, f := range idle(cmd) {
		if f.Changed {
			fmt.Fprintf(stderr, "! --%s does nothing for %q\n", f.Name, cmd.CommandPath())
		}
	}
}

// hideIdle hides the flags that do not affect a command, and returns a function that restores them.
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

// narrowHelp removes the flags that do not affect a command from its help.
func narrowHelp(root *cobra.Command) {
	usual := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		defer hideIdle(cmd)()
		return usual(cmd)
	})
}

// narrowCompletion does the same for the completion of flags. args contains the command line to complete.
func narrowCompletion(root *cobra.Command, args []string) {
	if len(args) < 2 || args[0] != cobra.ShellCompRequestCmd && args[0] != cobra.ShellCompNoDescRequestCmd {
		return
	}
	// If the command line names no command yet, it is completed like the root.
	if cmd, _, err := root.Find(args[1 : len(args)-1]); err == nil {
		hideIdle(cmd) // permanently, because this process answers one request
	}
}
