package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/supply/install"
)

// chooseOptions holds the flags of plugins enable and disable.
type chooseOptions struct {
	enable bool
	global bool
	json   bool
}

const enableHelp = `Enable plugins in this project, or with --global in your own home. aura removes
their names from plugins.exclude in config/features/ of the home, adds them to
plugins.include if that is set, and removes disabled: true from plugin.yaml.
` + chooseHelp

const disableHelp = `Disable plugins in this project, or with --global in your own home. aura adds their
names to plugins.exclude in config/features/ of the home.
` + chooseHelp

const chooseHelp = `
aura prints which file it has changed. Comments in the file stay. The lists of a
project replace those of your home. A running session takes the change over with
/reload, others at their next start.`

func newPluginsEnable(s streams, root *rootOptions) *cobra.Command {
	return newChoose(s, root, &chooseOptions{enable: true}, "enable", "Enable plugins", enableHelp)
}

func newPluginsDisable(s streams, root *rootOptions) *cobra.Command {
	return newChoose(s, root, &chooseOptions{}, "disable", "Disable plugins without removing them", disableHelp)
}

func newChoose(s streams, root *rootOptions, o *chooseOptions, verb, short, long string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     verb + " NAME...",
		Short:   short,
		Long:    long,
		Example: fmt.Sprintf("  aura plugins %s notepad\n  aura plugins %[1]s notepad --global", verb),
		Args:    needsSome("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			choose := func() error { return o.run(cmd.Context(), s, root, args) }
			if o.global {
				return choose()
			}
			return root.renewing(s, choose)
		},
		ValidArgsFunction: completeListing(s, root, installedNames),
	}
	cmd.Flags().BoolVar(&o.global, "global", false, "change the user's home instead of the project's")
	cmd.Flags().BoolVar(&o.json, "json", false, "write a JSON list")
	return cmd
}

// chosen is the result for a plugin.
type chosen struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
	// Files lists the files that were changed. It is empty if the plugin already had the requested state.
	Files []string `json:"files"`
}

func (o *chooseOptions) run(ctx context.Context, s streams, root *rootOptions, names []string) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	entries, err := l.Entries()
	if err != nil {
		return err
	}
	var plugins []setup.Entry
	for _, name := range names {
		e, err := findEntry(entries, name)
		if err != nil {
			return err
		}
		plugins = append(plugins, e)
	}
	list := []chosen{}
	for _, e := range plugins {
		one, err := o.choose(ctx, s, l, e)
		if err != nil {
			return fmt.Errorf("changing plugin %q: %w", e.Name, err)
		}
		list = append(list, one)
		// Reload, so that the next plugin starts from the current files.
		if l, err = root.list(s); err != nil {
			return err
		}
	}
	if err := o.contradicted(s, l, names); err != nil {
		return err
	}
	if o.json {
		return writeJSON(s.out, list)
	}
	for _, one := range list {
		writeChosen(s.out, one)
	}
	return nil
}

// contradicted reports the plugins that do not have the requested state here, although the user's home sets it.
func (o *chooseOptions) contradicted(s streams, l gate.Listing, names []string) error {
	entries, err := l.Entries()
	for _, e := range entries {
		on := e.Status == setup.StatusEnabled
		if slices.Contains(names, e.Name) && on != o.enable && (on || e.Status == setup.StatusExcluded) {
			fmt.Fprintf(s.err, "! plugin %s is %s in this directory: the lists of a project replace those of your home\n", clean(e.Name), e.Status)
		}
	}
	return err
}

// findEntry returns the plugin with a name that is not shadowed.
func findEntry(entries []setup.Entry, name string) (setup.Entry, error) {
	var known []string
	for _, e := range entries {
		if e.Status == setup.StatusShadowed {
			continue
		}
		if e.Name == name {
			return e, nil
		}
		known = append(known, e.Name)
	}
	return setup.Entry{}, fmt.Errorf("looking for plugin %q: it does not exist%s; known plugins: %s", name, nearest.Hint(name, known), dash(strings.Join(known, ", ")))
}

// choose changes the settings, and also the manifest if the manifest disables the plugin.
func (o *chooseOptions) choose(ctx context.Context, s streams, l gate.Listing, e setup.Entry) (chosen, error) {
	done := chosen{Name: e.Name, Enabled: o.enable, Files: []string{}}
	if !o.enable && e.Manifest.Disabled {
		return done, nil
	}
	file, now, err := o.selection(l, e)
	if err != nil {
		return done, err
	}
	next, changed, err := now.Choose(e.Name, o.enable)
	if err != nil {
		return done, fmt.Errorf("%s: %w", file, err)
	}
	if changed {
		if err := install.WriteSelection(file, changedLists(now, next)); err != nil {
			return done, err
		}
		done.Files = append(done.Files, file)
	}
	if o.enable && e.Manifest.Disabled {
		path := filepath.Join(e.Dir, manifest.FileName)
		if err := install.EnableManifest(path); err != nil {
			return done, err
		}
		done.Files = append(done.Files, path)
		// The files matched the installed ones, so the file that aura has just changed is the only difference.
		if e.Origin != nil && e.Err == nil {
			_, err = install.Trust(ctx, l.InstallPlaces(), e.Name, install.Options{Waiting: waiting(s.err)})
		}
	}
	return done, err
}

// selection returns the file to change, and the selection in effect there: a project's lists replace those of the user's home. If
// there is no project, a plugin of the user's home is selected in the user's home.
func (o *chooseOptions) selection(l gate.Listing, e setup.Entry) (string, install.Selection, error) {
	global := o.global
	if _, err := os.Stat(l.Project); err != nil && e.Home.Dir == l.User {
		global = true
	}
	place, err := placeFor(l, global)
	if err != nil {
		return "", install.Selection{}, err
	}
	file, err := install.FeatureFile(place.Home)
	if err != nil || place.Home == l.User {
		own, readErr := install.Selection{}, err
		if err == nil {
			own, readErr = install.ReadSelection(file)
		}
		return file, own, readErr
	}
	settings := l.Text.Features.Plugins
	return file, install.Selection{Include: settings.Include, Exclude: settings.Exclude}, nil
}

// changedLists returns the lists of a selection that changed. Unchanged lists are nil.
func changedLists(before, after install.Selection) install.Selection {
	var out install.Selection
	if !slices.Equal(before.Include, after.Include) {
		out.Include = append([]string{}, after.Include...)
	}
	if !slices.Equal(before.Exclude, after.Exclude) {
		out.Exclude = append([]string{}, after.Exclude...)
	}
	return out
}

func writeChosen(w io.Writer, c chosen) {
	what := "disabled"
	if c.Enabled {
		what = "enabled"
	}
	if len(c.Files) == 0 {
		fmt.Fprintf(w, "%s is %s already\n", clean(c.Name), what)
		return
	}
	fmt.Fprintf(w, "%s %s, by a change of %s; it takes effect at the next start, or with /reload\n", what, clean(c.Name), clean(strings.Join(c.Files, " and ")))
}
