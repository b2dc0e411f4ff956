package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/sandbox"
)

const cacheHelp = `List and clear what builds in the sandbox have added to build caches. Your own caches
are read-only there: what a build adds is stored apart for each project. Without a
command, aura lists the projects.`

func newCache(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "List and clear the private build caches of projects",
		Long:  cacheHelp,
		Example: `  aura cache
  aura cache list --json
  aura cache clear`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return root.listCaches(s, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	cmd.AddCommand(newCacheList(s, root), newCacheClear(s, root))
	return cmd
}

func newCacheList(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the private build caches with their sizes",
		Example: `  aura cache list
  aura cache list --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return root.listCaches(s, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

// caches returns the private caches, and the configuration of the working directory.
func (o *rootOptions) caches(s streams) ([]sandbox.Stored, *config.Config, error) {
	l, err := o.list(s)
	if err != nil {
		return nil, nil, err
	}
	found, err := sandbox.StoredLayers(l.State.Caches())
	return found, l.Config, err
}

func (o *rootOptions) listCaches(s streams, asJSON bool) error {
	found, _, err := o.caches(s)
	switch {
	case err != nil:
		return err
	case asJSON:
		return writeJSON(s.out, append([]sandbox.Stored{}, found...))
	case len(found) == 0:
		fmt.Fprintln(s.out, "no project has a private build cache")
		return nil
	}
	rows := [][]string{{"NAME", "SIZE", "LAST USED", "IN USE", "DIRECTORY"}}
	for _, c := range found {
		used := "no"
		if c.InUse {
			used = "yes"
		}
		rows = append(rows, []string{c.Name, size(c.Bytes), c.Used.Local().Format("2006-01-02 15:04"), used, dash(c.Project)})
	}
	table(s.out, rows)
	return nil
}

func newCacheClear(s streams, root *rootOptions) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "clear [PROJECT]",
		Short: "Remove the private build cache of a project",
		Long: `Remove what builds in the sandbox have added to build caches in the project of the
working directory, in another project, or in all of them. PROJECT is a name or a
directory of 'aura cache list'. A cache that a session uses is not removed.`,
		Example: `  aura cache clear
  aura cache clear ~/src/site
  aura cache clear --all`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes at most one PROJECT", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if all && len(args) > 0 {
				return usageError{fmt.Errorf("clearing %q: --all clears every project; leave out one of them", args[0])}
			}
			return root.clearCaches(s, args, all)
		},
		ValidArgsFunction: first(completeListing(s, root, func(l gate.Listing) []cobra.Completion {
			// Without a list there is nothing to choose from; the command reports the error.
			found, _ := sandbox.StoredLayers(l.State.Caches())
			var out []cobra.Completion
			for _, c := range found {
				out = append(out, cobra.CompletionWithDesc(c.Name, c.Project))
			}
			return out
		})),
	}
	cmd.Flags().BoolVar(&all, "all", false, "clear the caches of all projects")
	return cmd
}

// clearCaches removes the caches of the named project, of the working directory's, or all.
func (o *rootOptions) clearCaches(s streams, names []string, all bool) error {
	found, c, err := o.caches(s)
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(found, func(one sandbox.Stored) bool {
		switch {
		case all:
			return false
		case len(names) > 0:
			return one.Name != names[0] && one.Project != names[0]
		default:
			return one.Name != c.State.LayersName()
		}
	})
	if len(chosen) == 0 && len(names) > 0 {
		return usageError{fmt.Errorf("clearing %q: this project has no private build cache; 'aura cache' lists them", names[0])}
	}
	for _, one := range chosen {
		if err := one.Remove(); err != nil {
			return fmt.Errorf("%w; end the session that uses it and try again", err)
		}
		fmt.Fprintf(s.out, "removed %s of %s\n", size(one.Bytes), clean(one.Name))
	}
	if len(chosen) == 0 {
		fmt.Fprintln(s.out, "there is nothing to remove")
	}
	return nil
}
