package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/supply/install"
)

// updateOptions holds the flags of plugins update.
type updateOptions struct {
	installOptions

	all    bool
	dryRun bool
	ref    string
	// signer and rewritten accept what a signed version does not permit by itself.
	signer    string
	rewritten bool
}

const updateHelp = `Install the newest version of plugins that came from git: of the branch or tag
they were installed from, or of --ref. For a plugin of a pack the whole pack is
updated.

aura prints what has changed: commits, files, and what is new in a plugin:
variables, hooks, tools, unsafe imports. If an update fails, the old version stays
installed.

A version that requests more than the installed one, such as the network or more
variables, is installed only if you grant the requests: aura asks in a terminal,
and needs --yes without one.

If you changed files of the plugin, aura asks before it replaces them, names them,
and keeps a copy in its state. Without a terminal it needs --yes.

A version that was installed with a verified signature is replaced only by one of
the same signer, and by a commit that follows the installed one. --signer accepts
another key by its fingerprint, or none. --rewritten accepts a tag that moved and a
history without the installed commit.

A plugin that was installed from a signed index gets the version that the index names
now ('aura sources update' renews it); --ref follows its repository instead.

--dry-run fetches the newest version, prints what would change and what you would
have to grant, and changes nothing.`

func newPluginsUpdate(s streams, root *rootOptions) *cobra.Command {
	o := &updateOptions{}
	cmd := &cobra.Command{
		Use:   "update NAME... | --all",
		Short: "Update plugins that were installed from git",
		Long:  updateHelp,
		Example: `  aura plugins update metrics
  aura plugins update --all --dry-run
  aura plugins update metrics --ref v0.3.0
  aura plugins update metrics --no-vendor`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case (len(args) > 0) == o.all:
				return usageError{errors.New("plugins update takes the names of plugins or packs, or --all")}
			case o.ref != "" && len(args) != 1:
				return usageError{errors.New("--ref needs the name of one plugin or pack")}
			case (o.signer != "" || o.rewritten) && len(args) != 1:
				return usageError{errors.New("--signer and --rewritten need the name of one plugin or pack")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.dryRun {
				return o.run(cmd, s, root, args)
			}
			return root.renewing(s, func() error { return o.run(cmd, s, root, args) })
		},
		ValidArgsFunction: completeListing(s, root, installedNames),
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "update all plugins that came from git")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would change, and change nothing")
	cmd.Flags().StringVar(&o.ref, "ref", "", "change to this branch or tag, which later updates follow")
	cmd.Flags().StringVar(&o.signer, "signer", "", "accept this key (SHA256:...) in the place of the signer of the installed version, or none")
	cmd.Flags().BoolVar(&o.rewritten, "rewritten", false, "accept a tag that moved, or a history without the installed commit, for a signed version")
	o.register(cmd.Flags())
	return cmd
}

// updateTarget is a plugin or pack to update, and the places to search for it.
type updateTarget struct {
	name   string
	places []install.Place
}

// targets returns the plugins that the command line names. With --all, it also returns every updatable plugin in any home.
func (o *updateOptions) targets(places []install.Place, names []string) ([]updateTarget, error) {
	var out []updateTarget
	for _, name := range names {
		out = append(out, updateTarget{name, places})
	}
	if !o.all {
		return out, nil
	}
	for _, p := range places {
		names, err := install.Updatable(p)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			out = append(out, updateTarget{name, []install.Place{p}})
		}
	}
	return out, nil
}

func (o *updateOptions) run(cmd *cobra.Command, s streams, root *rootOptions, names []string) error {
	c, err := root.loadUsable(cmd.Context(), s)
	if err != nil {
		return err
	}
	targets, err := o.targets(gate.InstallPlaces(c), names)
	if err != nil {
		return err
	}
	if len(targets) == 0 && !o.json {
		fmt.Fprintln(s.out, "no plugin was installed from git")
	}
	list := []install.Updated{}
	var failed []error
	for _, target := range targets {
		options, done := o.options(c, s, root)
		options.Grant, options.DryRun, options.Ref = o.granting(cmd.Context(), s, true), o.dryRun, o.ref
		options.Accept = install.Acceptance{Signer: o.signer, Rewritten: o.rewritten}
		options.Confirm, options.Keep = confirmHandmade(cmd.Context(), s, o.yes, "Replace"), c.State.Kept()
		updated, err := install.Update(cmd.Context(), target.places, target.name, options)
		done()
		if err != nil {
			failed = append(failed, err)
			if cmd.Context().Err() != nil {
				break
			}
			continue
		}
		list = append(list, updated)
		if !o.json {
			writeUpdated(s.out, updated)
		}
	}
	if o.json {
		failed = append(failed, writeJSON(s.out, list))
	}
	return errors.Join(failed...)
}

// writeUpdated reports what an update changed.
func writeUpdated(w io.Writer, u install.Updated) {
	name := clean(u.Name)
	switch {
	case u.Unchanged():
		fmt.Fprintf(w, "%s is up to date at %s\n", name, short(u.To))
		return
	case u.Restored && u.DryRun:
		fmt.Fprintf(w, "%s is still at %s; it would be reinstalled\n", name, short(u.To))
	case u.Restored:
		fmt.Fprintf(w, "%s is still at %s; it was reinstalled\n", name, short(u.To))
	case u.DryRun:
		fmt.Fprintf(w, "%s would be updated: %s to %s, %s\n", name, short(u.From), short(u.To), plaintext.Counted(len(u.Commits)+u.More, "commit"))
	default:
		fmt.Fprintf(w, "%s: %s to %s, %s\n", name, short(u.From), short(u.To), plaintext.Counted(len(u.Commits)+u.More, "commit"))
	}
	if u.Rewritten {
		fmt.Fprintf(w, "  the history was rewritten: %s is no longer part of %s\n", short(u.From), clean(dash(refOr(u.Ref))))
	}
	if u.Index != nil {
		fmt.Fprintf(w, "  index %s\n", clean(u.Index.String()))
	}
	if u.Signed != nil {
		fmt.Fprintf(w, "  signed by %s\n", clean(u.Signed.String()))
	}
	for _, c := range u.Commits {
		fmt.Fprintf(w, "  %s %s\n", short(c.Hash), oneLine(c.Subject, 100))
	}
	if u.More > 0 {
		fmt.Fprintf(w, "  and %s\n", plaintext.Counted(u.More, "more commit"))
	}
	writeFiles(w, u)
	writeFacts(w, "  new in ", u.New)
	if u.DryRun {
		writeAsked(w, u.New)
	} else {
		writeGranted(w, u.New)
	}
	if len(u.Gone) > 0 {
		fmt.Fprintf(w, "  removed plugins: %s\n", clean(strings.Join(u.Gone, ", ")))
	}
	writeKept(w, u.Kept)
	writeWarnings(w, u.Warnings)
	if u.DryRun {
		fmt.Fprintln(w, "  nothing was changed (--dry-run)")
	}
}

func refOr(ref string) string {
	if ref == "" {
		return "the default branch"
	}
	return ref
}

func writeFiles(w io.Writer, u install.Updated) {
	if !u.Files.Empty() {
		fmt.Fprintf(w, "  files: %s\n", oneLine(u.Files.String(), 1000))
	}
	if v := u.Vendored; !v.Empty() {
		fmt.Fprintf(w, "  vendored files: %d changed, %d new, %d removed\n", len(v.Changed), len(v.Added), len(v.Removed))
	}
}
