package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/supply/sources"
)

const sourcesUpdateHelp = `Fetch the newest versions of sources, or of all sources. aura refuses an index that is
signed with another key, that has expired, whose serial is lower than one that was seen,
or that changed without a new serial. The copy of the last good version stays, and is
used until it expires.

--key accepts another key for a source: the fingerprint that whoever maintains the index
has published.`

func newSourcesUpdate(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	var key string
	cmd := &cobra.Command{
		Use:   "update [NAME...]",
		Short: "Fetch the newest versions of sources",
		Long:  sourcesUpdateHelp,
		Example: `  aura sources update
  aura sources update acme --json
  aura sources update acme --key SHA256:...`,
		Args: func(_ *cobra.Command, args []string) error {
			if key != "" && len(args) != 1 {
				return usageError{errors.New("--key needs the name of one source")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSourcesUpdate(cmd.Context(), s, root, args, key, asJSON)
		},
		ValidArgsFunction: sourceNames(s, root),
	}
	cmd.Flags().StringVar(&key, "key", "", "accept this key (SHA256:...) in the place of the one that was kept")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

func runSourcesUpdate(ctx context.Context, s streams, root *rootOptions, names []string, key string, asJSON bool) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	options, done := root.sourceOptions(l.Config, s)
	defer done()
	if len(names) == 0 {
		all, err := sources.List(options)
		if err != nil {
			return err
		}
		for _, src := range all {
			names = append(names, src.Name)
		}
	}
	list := []sources.Updated{}
	failed := updateSources(ctx, slices.Compact(names), key, options, func(u sources.Updated) {
		list = append(list, u)
		if !asJSON {
			done()
			fmt.Fprintln(s.out, updatedText(u))
		}
	})
	if asJSON {
		failed = append(failed, writeJSON(s.out, list))
	}
	return errors.Join(failed...)
}

// updatedText says what an update of a source found.
func updatedText(u sources.Updated) string {
	switch {
	case !u.Signed() && u.Changed:
		return fmt.Sprintf("%s: commit %s (not signed)", u.Name, short(u.Commit))
	case !u.Signed():
		return fmt.Sprintf("%s is up to date at commit %s (not signed)", u.Name, short(u.Commit))
	case u.Serial != u.From:
		return fmt.Sprintf("%s: serial %d to %d, expires on %s", u.Name, u.From, u.Serial, day(u.Expires))
	}
	return fmt.Sprintf("%s is up to date at serial %d, expires on %s", u.Name, u.Serial, day(u.Expires))
}

func newSourcesRemove(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a source, with its key and its copy",
		Long: `Remove a source, with its key and its copy. Plugins that were installed from it stay.
'aura plugins update' does not update them then, unless --ref names a branch or a tag
of their repository.`,
		Example: `  aura sources remove acme
  aura sources remove acme --json`,
		Args: exactArgs("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := root.list(s)
			if err != nil {
				return err
			}
			removed, err := sources.Remove(args[0], sources.Options{Dir: l.State.Sources()})
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(s.out, removed)
			}
			fmt.Fprintf(s.out, "removed %s (%s)\n", removed.Name, clean(removed.URL))
			return nil
		},
		ValidArgsFunction: first(sourceNames(s, root)),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}
