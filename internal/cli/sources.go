package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/supply/sources"
)

const sourcesHelp = `List, add, update and remove the indexes in which aura looks for plugins. Without a
command, aura lists them.

An index is a list of plugins that is signed with an SSH key. It says which commit of
each plugin to install, the hash of its files, and what it asks for. aura keeps the key
of each index, and a copy that is used until it expires, also without a network. A
marketplace of Claude Code can be added as well; nobody signs it, and aura says so
wherever it lists one of its plugins.

The sources are those of the user, for all projects.`

func newSources(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sources",
		Short: "List, add, update and remove signed indexes of plugins",
		Long:  sourcesHelp,
		Example: `  aura sources
  aura sources add https://github.com/acme/aura-index
  aura plugins search notes`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return listSources(s, root, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	cmd.AddCommand(newSourcesList(s, root), newSourcesAdd(s, root), newSourcesUpdate(s, root), newSourcesRemove(s, root), newSourcesNew(s, root))
	return cmd
}

func newSourcesList(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sources with their keys, serials and expiry",
		Example: `  aura sources list
  aura sources list --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return listSources(s, root, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

// sourceOptions returns the options for sources. The second result erases the progress bar.
func (o *rootOptions) sourceOptions(c *config.Config, s streams) (sources.Options, func()) {
	flags := &installOptions{}
	options, done := flags.options(c, s, o)
	return sourcesIn(c, options), done
}

// sourcesIn returns the options for the sources of the user. It is the one place through which the identity of a source passes before the source is
// added, fetched or used.
func sourcesIn(c *config.Config, o install.Options) sources.Options {
	return sources.Options{Dir: c.State.Sources(), Install: o, Allow: func(i sources.Identity) error { return c.Machine.Source(i.URL) }}
}

func listSources(s streams, root *rootOptions, asJSON bool) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	list, err := sources.List(sources.Options{Dir: l.State.Sources()})
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(s.out, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "there is no source; add one with `aura sources add URL`")
		return nil
	}
	rows := [][]string{{"NAME", "SIGNED BY", "SERIAL", "EXPIRES", "FETCHED", "PLUGINS", "URL"}}
	for _, src := range list {
		signed, serial, expires := "not signed", "-", "-"
		if src.Signed() {
			signed, serial, expires = src.Key, fmt.Sprint(src.Serial), expiry(src.Expires, time.Now())
		}
		rows = append(rows, []string{src.Name, signed, serial, expires, day(src.FetchedAt), fmt.Sprint(src.Plugins), src.URL})
	}
	table(s.out, rows)
	return nil
}

func day(t time.Time) string { return t.Local().Format(time.DateOnly) }

// expiry returns a day, and whether it is in the past.
func expiry(t, now time.Time) string {
	if now.Before(t) {
		return day(t)
	}
	return day(t) + " (expired)"
}

// sourceNames completes the names of sources.
func sourceNames(s streams, root *rootOptions) cobra.CompletionFunc {
	return completeNames(s, root, func(c *config.Config) []cobra.Completion {
		list, err := sources.List(sources.Options{Dir: c.State.Sources()})
		if err != nil {
			return nil
		}
		var out []cobra.Completion
		for _, src := range list {
			out = append(out, cobra.CompletionWithDesc(src.Name, src.URL))
		}
		return out
	})
}

// updateSources fetches sources, and calls report for each.
func updateSources(ctx context.Context, names []string, key string, o sources.Options, report func(sources.Updated)) (failed []error) {
	for _, name := range names {
		u, err := sources.Update(ctx, name, key, o)
		if err != nil {
			failed = append(failed, err)
			if ctx.Err() != nil {
				break
			}
			continue
		}
		report(u)
	}
	return failed
}
