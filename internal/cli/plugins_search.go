package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/supply/sources"
)

const searchHelp = `Search the sources for plugins whose name, keywords or description has all of the
words; without a word, list all plugins. The best match comes first: names before
keywords before descriptions. aura searches its copies of the sources and uses no
network; 'aura sources update' renews them.`

func newPluginsSearch(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "search [WORD...]",
		Short: "Search the sources for plugins",
		Long:  searchHelp,
		Example: `  aura plugins search notes
  aura plugins search security git --json`,
		RunE: func(_ *cobra.Command, args []string) error { return searchPlugins(s, root, args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list")
	return cmd
}

func searchPlugins(s streams, root *rootOptions, words []string, asJSON bool) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	options, done := root.sourceOptions(l.Config, s)
	defer done()
	hits, failed, err := sources.Search(words, options)
	if err != nil {
		return err
	}
	if asJSON {
		return errors.Join(append(failed, writeJSON(s.out, hits))...)
	}
	writeHits(s.out, hits)
	if len(hits) == 0 && len(failed) == 0 {
		fmt.Fprintln(s.err, "no plugin of a source fits; `aura sources` lists the sources")
	}
	return errors.Join(failed...)
}

func writeHits(w io.Writer, hits []sources.Hit) {
	if len(hits) == 0 {
		return
	}
	rows := [][]string{{"PLUGIN", "SIGNED", "VERSION", "DESCRIPTION"}}
	for _, h := range hits {
		signed, version := "no", "-"
		if h.Signed {
			signed, version = "yes", h.Ref
			if version == "" {
				version = short(h.Commit)
			}
		}
		rows = append(rows, []string{h.Name + "@" + h.Source, signed, version, dash(h.Description)})
	}
	table(w, rows)
}
