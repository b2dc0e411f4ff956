package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Description describes a command for the reference and the manual pages. It contains only text that --help prints.
type Description struct {
	// Path is the command with the program's name, such as "aura plugins show". Usage adds the arguments.
	Path, Usage        string
	Short, Long        string
	Aliases            []string
	Example            string
	Flags, GlobalFlags []FlagDescription
	Commands           []Description
}

// FlagDescription describes a flag as the help prints it.
type FlagDescription struct {
	// Name includes the dashes and, after a blank, the type of the value, as in "--workdir string".
	Name, Usage string
}

// Describe returns the description of the whole command line.
func Describe() Description {
	return describeCommand(newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}))
}

func describeCommand(cmd *cobra.Command) Description {
	d := Description{
		Path: cmd.CommandPath(), Usage: strings.TrimSuffix(cmd.UseLine(), " [flags]"), Short: cmd.Short, Long: cmd.Long, Aliases: cmd.Aliases, Example: cmd.Example,
	}
	restore := hideIdle(cmd)
	d.Flags, d.GlobalFlags = describeFlags(cmd.NonInheritedFlags()), describeFlags(cmd.InheritedFlags())
	restore()
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			d.Commands = append(d.Commands, describeCommand(below))
		}
	}
	return d
}

// describeFlags omits --help, which every command has.
func describeFlags(set *pflag.FlagSet) []FlagDescription {
	var out []FlagDescription
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if kind != "" {
			name += " " + kind
		}
		switch f.DefValue {
		case "", "false", "0", "[]":
		default:
			usage += " (default " + f.DefValue + ")"
		}
		out = append(out, FlagDescription{Name: name, Usage: usage})
	})
	return out
}
