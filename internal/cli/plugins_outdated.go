package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/supply/sources"
)

const outdatedHelp = `List the installed plugins and packs that have a newer version. A plugin that was
installed from a signed index is compared with the copy of the index, which 'aura
sources update' renews. Any other is compared with its repository: with the highest
version tag if it was installed from a version tag, such as v1.2.0, else with its
branch. Nothing is fetched but the list of branches and tags, and nothing is changed.

The exit code is 0 whether or not there are newer versions, and 1 if a plugin could not
be checked. With --exit-code it is 1 as well if there is a newer version.`

// outdatedPlugin is an installed plugin or pack, compared with its newest version.
type outdatedPlugin struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
	URL  string `json:"url"`
	// Ref and Commit are those of the installed version.
	Ref    string           `json:"ref,omitempty"`
	Commit string           `json:"commit"`
	Index  *install.Indexed `json:"index,omitempty"`
	Newest install.Newest   `json:"newest"`
	// NewestSerial is the serial of the index that names the newest version.
	NewestSerial int64 `json:"newest_serial,omitempty"`
	Outdated     bool  `json:"outdated"`
}

func newPluginsOutdated(s streams, root *rootOptions) *cobra.Command {
	var asJSON, exitCode bool
	cmd := &cobra.Command{
		Use:   "outdated",
		Short: "List installed plugins that have a newer version",
		Long:  outdatedHelp,
		Example: `  aura plugins outdated
  aura plugins outdated --exit-code
  aura plugins outdated --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runOutdated(cmd.Context(), s, root, asJSON, exitCode)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list of all plugins that were checked")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 1 if there is a newer version")
	return cmd
}

func runOutdated(ctx context.Context, s streams, root *rootOptions, asJSON, exitCode bool) error {
	c, err := root.loadUsable(ctx, s)
	if err != nil {
		return err
	}
	options, done := root.sourceOptions(c, s)
	defer done()
	list, failed := []outdatedPlugin{}, []error{}
	for _, place := range gate.InstallPlaces(c) {
		units, err := install.InstalledUnits(place)
		if err != nil {
			return err
		}
		for _, unit := range units {
			p, err := compareVersion(ctx, unit, options)
			if err != nil {
				failed = append(failed, fmt.Errorf("checking %s: %w", unit.Name, err))
				continue
			}
			list = append(list, p)
		}
	}
	if asJSON {
		err = writeJSON(s.out, list)
	} else {
		writeOutdated(s.out, list, len(failed) == 0)
	}
	if err := errors.Join(append(failed, err)...); err != nil {
		return err
	}
	if exitCode && slices.ContainsFunc(list, func(p outdatedPlugin) bool { return p.Outdated }) {
		return errShown
	}
	return nil
}

// compareVersion compares an installed unit with the index that it came from, or with its repository.
func compareVersion(ctx context.Context, u install.Installed, o sources.Options) (outdatedPlugin, error) {
	p := outdatedPlugin{Name: u.Name, Dir: u.Dir, URL: u.URL, Ref: u.Ref, Commit: u.Commit, Index: u.Index}
	var err error
	if u.Index != nil && u.Index.Key != "" {
		var now *install.Expected
		if now, err = sources.Expected(u.Index.Name, u.Index.Plugin, o); err == nil {
			p.Newest, p.NewestSerial = install.Newest{Tag: now.Tag, Commit: now.Commit}, now.Serial
		}
	} else {
		p.Newest, err = install.FindNewest(ctx, u, o.Install)
	}
	p.Outdated = err == nil && p.Newest.Commit != u.Commit
	return p, err
}

// writeOutdated prints what has a newer version.
func writeOutdated(w io.Writer, list []outdatedPlugin, complete bool) {
	rows := [][]string{{"PLUGIN", "INSTALLED", "NEWEST", "FROM"}}
	for _, p := range list {
		from := p.URL
		if p.Index != nil {
			from = "index " + p.Index.Name
		}
		if p.Outdated {
			rows = append(rows, []string{p.Name, versionText(p.Ref, p.Commit), versionText(p.Newest.Tag, p.Newest.Commit), from})
		}
	}
	switch {
	case len(rows) > 1:
		table(w, rows)
	case complete:
		fmt.Fprintln(w, "no installed plugin has a newer version")
	}
}

// versionText names a version by its tag or branch, and its commit.
func versionText(ref, commit string) string {
	if ref == "" || ref == commit {
		return short(commit)
	}
	return ref + " (" + short(commit) + ")"
}
