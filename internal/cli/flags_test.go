package cli

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// allCommands returns the visible commands, including the root.
func allCommands(cmd *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{cmd}
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			out = append(out, allCommands(below)...)
		}
	}
	return out
}

func testRoot() *cobra.Command {
	return newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard})
}

// TestFlagTable checks that the table contains only commands and flags that exist, and covers every command.
func TestFlagTable(t *testing.T) {
	t.Parallel()
	root := testRoot()
	paths := map[string]bool{}
	for _, cmd := range allCommands(root) {
		paths[pathOf(cmd)] = true
		if above, _ := cutLast(pathOf(cmd)); above == "" && cmd != root {
			if _, listed := flagTable[cmd.Name()]; !listed {
				t.Errorf("%q has no row", cmd.Name())
			}
		}
	}
	for path, flags := range flagTable {
		if !paths[path] && path != "help" && path != cobra.ShellCompRequestCmd {
			t.Errorf("there is no command %q", path)
		}
		for _, name := range flags {
			if root.PersistentFlags().Lookup(name) == nil {
				t.Errorf("%s: there is no flag --%s", path, name)
			}
		}
	}
}

// TestCommandsAreComplete checks that every command has an example, and that every listing or showing command has --json.
func TestCommandsAreComplete(t *testing.T) {
	t.Parallel()
	for _, cmd := range allCommands(testRoot()) {
		if cmd.Example == "" && !strings.HasPrefix(pathOf(cmd), "completion ") {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		if _, name := cutLast(pathOf(cmd)); (name == "list" || name == "show") && cmd.Flag("json") == nil {
			t.Errorf("%s has no --json", cmd.CommandPath())
		}
	}
}

// TestNouns checks that the bare noun lists the entities that can be listed, and that each entity can be shown.
func TestNouns(t *testing.T) {
	t.Parallel()
	root := testRoot()
	dir := filled(t, shownFiles())
	for _, noun := range []string{"agents", "modes", "prompts", "commands", "skills", "providers", "features", "tasks", "hooks", "tools"} {
		for _, below := range []string{"list", "show"} {
			if cmd, _, err := root.Find([]string{noun, below}); err != nil || cmd.Name() != below {
				t.Errorf("aura %s %s: %v", noun, below, err)
			}
		}
		code, bare, stderr := in(t, dir, noun)
		_, listed, _ := in(t, dir, noun, "list")
		if code != exitDone || bare != listed || bare == "" {
			t.Errorf("aura %s: exit code %d, %s\n%s\nwant\n%s", noun, code, stderr, bare, listed)
		}
		if code, text, _ := in(t, dir, noun, "--json"); code != exitDone || !strings.HasPrefix(text, "[") {
			t.Errorf("aura %s --json: exit code %d, %s", noun, code, text)
		}
	}
	for _, args := range [][]string{{"agents", "show", "main"}, {"tasks", "show", "t"}, {"features", "show", "tools"}, {"tools", "show", "Read"}, {"tools", "inspect", "Read"}} {
		if code, text, stderr := in(t, dir, args...); code != exitDone || text == "" {
			t.Errorf("aura %v: exit code %d, %s", args, code, stderr)
		}
	}
	if code, _, stderr := in(t, dir, "modes", "show", "x"); code != exitError || !strings.Contains(stderr, "known modes: ask, auto, edit, plan, quiet") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestHelpRestoresFlags checks that flags hidden for one help are not hidden for the next.
func TestHelpRestoresFlags(t *testing.T) {
	t.Parallel()
	root := testRoot()
	cmd, _, err := root.Find([]string{"version"})
	if err != nil {
		t.Fatal(err)
	}
	if text := cmd.UsageString(); strings.Contains(text, "--agent") || strings.Contains(text, "Global Flags") {
		t.Errorf("got %s", text)
	}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			t.Errorf("--%s is hidden", f.Name)
		}
	})
	if names := idle(root); slices.ContainsFunc(names, func(*pflag.Flag) bool { return true }) {
		t.Errorf("the root takes all flags, but not %v", names)
	}
}
