package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// usualForms replaces forms of the command line that other agents have: -p means run, and --resume without a session opens the list of
// sessions on the screen. Both count only where aura has no command, and before --.
func usualForms(root *cobra.Command, args []string) []string {
	before := args
	if i := slices.Index(args, "--"); i >= 0 {
		before = args[:i]
	}
	isCommand := func(arg string) bool {
		return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == arg || c.HasAlias(arg) })
	}
	if slices.ContainsFunc(before, isCommand) {
		return args
	}
	if i := slices.IndexFunc(before, func(arg string) bool { return arg == "-p" || arg == "--print" }); i >= 0 {
		return slices.Concat(args[:i], []string{"run"}, args[i+1:])
	}
	if n := len(before); n > 0 && n == len(args) && before[n-1] == "--resume" && (n == 1 || strings.HasPrefix(before[n-2], "-")) {
		return append(slices.Clone(args[:n-1]), "--", "/resume")
	}
	return args
}
