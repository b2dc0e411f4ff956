package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpEverywhere adds --help and --version to every command before parsing. Otherwise the word after such a flag would be taken
// for its value, and 'aura --help tasks run' would show the help of 'aura run'. The library's own functions for these flags also merge
// the flags of all parents, which took a tenth of the time until aura was ready.
func helpEverywhere(cmd *cobra.Command) {
	addOwnFlag(cmd, "help", "h")
	addOwnFlag(cmd, "version", "v")
	for _, below := range cmd.Commands() {
		below.Version = cmd.Version
		helpEverywhere(below)
		below.Flags().Lookup("version").Hidden = true // the help of aura itself lists it
	}
}

// addOwnFlag adds a flag as the library would, unless the command has one of this name.
func addOwnFlag(cmd *cobra.Command, name, short string) {
	f := cmd.Flags()
	if f.Lookup(name) != nil {
		return
	}
	if f.ShorthandLookup(short) != nil || cmd.Root().PersistentFlags().ShorthandLookup(short) != nil {
		short = ""
	}
	f.BoolP(name, short, false, name+" for "+cmd.Name())
	_ = f.SetAnnotation(name, cobra.FlagSetByCobraAnnotation, []string{"true"}) // it fails only for a flag that does not exist
}

// strictTopics adds the commands that the library provides, and makes them refuse unknown arguments.
func strictTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.GroupID = root.Groups()[len(root.Groups())-1].ID
			cmd.Args, cmd.Example = noArgs, "  source <(aura completion bash)\n  aura completion fish > ~/.config/fish/completions/aura.fish"
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
			cmd.GroupID = root.Groups()[len(root.Groups())-1].ID
			cmd.Example = "  aura help plugins add"
			cmd.RunE = func(_ *cobra.Command, args []string) error { return showTopic(root, args) }
		}
	}
}

// showTopic shows the help of a command.
func showTopic(root *cobra.Command, path []string) error {
	cmd, rest, err := root.Find(path)
	if err != nil {
		return usageError{err}
	}
	if len(rest) > 0 && cmd.HasSubCommands() {
		return noArgs(cmd, rest)
	}
	return cmd.Help()
}

// flagError adds suggestions to an error about a flag that does not exist, or that takes no value.
func flagError(cmd *cobra.Command, err error) error {
	if given, ok := errors.AsType[*pflag.InvalidValueError](err); ok && given.GetFlag().Value.Type() == "bool" {
		return usageError{fmt.Errorf("--%s=%s: the flag is a switch and takes no value: write --%[1]s", given.GetFlag().Name, given.GetValue())}
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return usageError{err}
	}
	flags := &cobra.Command{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		// A command with the name of the flag gets the same suggestions as the flag.
		flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	return usageError{meant(err, "--", flags, unknown.GetSpecifiedName())}
}

// meant adds to an error the names below cmd that resemble a word.
func meant(err error, dashes string, cmd *cobra.Command, word string) error {
	cmd.SuggestionsMinimumDistance = 2 // number of letters that may differ
	near := cmd.SuggestionsFor(word)
	if len(near) == 0 || len(word) < 2 {
		return err
	}
	return fmt.Errorf("%w; did you mean %s?", err, dashes+strings.Join(near, " or "+dashes))
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError{meant(fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath()), "", cmd, args[0])}
}

// promptExample returns the typed words as a quoted argument, if they are short.
func promptExample(words []string) string {
	const most = 100 // bytes
	if text := strconv.Quote(strings.Join(words, " ")); len(words) > 0 && len(text) <= most {
		return text
	}
	return `"PROMPT"`
}

// exactArgs requires exactly the named arguments. The names are used in the error message.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return usageError{fmt.Errorf("%s takes %s", cmd.CommandPath(), strings.Join(names, " "))}
	}
}
