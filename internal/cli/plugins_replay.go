package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// replayOptions holds the flags of plugins replay.
type replayOptions struct {
	plugins []string
	update  bool
	json    bool
}

func newPluginsReplay(s streams, root *rootOptions) *cobra.Command {
	o := &replayOptions{}
	cmd := &cobra.Command{
		Use:   "replay RECORDING",
		Short: "Make the recorded calls of plugins again and compare the results",
		Long: `Make every recorded call again, in order, in processes of the plugins as they are
now, and compare the results field by field. RECORDING is a file, or a session that
was recorded with 'aura run --record': its id, its name or its title.

The context, the plugin's configuration, the environment and what the plugin asked of
aura come from the recording: state, the time (sdk.Now, in Python aura.now) and random
numbers (sdk.Rand, in Python aura.rand). Data of the plugins is kept in a temporary
directory. A tool is called again only if its SideEffects say that it changes
nothing. aura names what it cannot repeat.

--update makes the results of now those of the recording.

The report about the recording of a session is kept beside it until the next replay;
'aura web' shows it. --json writes the report: at most 1,000 calls and 100 differences of
each, and of a value 4 KiB.

Exit codes: 0 the same results, 1 a result differs, 2 there is no such recording.`,
		Example: `  aura plugins replay 01a1
  aura plugins replay 01a1 --plugin careful
  aura plugins replay 01a1 --json
  aura plugins replay testdata/recordings/first.recording --update`,
		Args:              exactArgs("RECORDING"),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, root, args[0]) },
		ValidArgsFunction: first(sessionIDs(s, root)),
	}
	cmd.Flags().StringArrayVar(&o.plugins, "plugin", nil, "replay only this plugin; repeatable")
	cmd.Flags().BoolVar(&o.json, "json", false, "write the report as JSON")
	cmd.Flags().BoolVar(&o.update, "update", false, "write the results of now to the recording")
	return cmd
}

func (o *replayOptions) run(ctx context.Context, s streams, root *rootOptions, word string) (err error) {
	rec, err := root.openReplay(ctx, s, word)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.close()) }()
	view := replayView{w: s.out, config: rec.options, report: recording.Report{At: time.Now(), Aura: build.Version, Plugins: o.plugins, Findings: []recording.Finding{}}}
	if o.json {
		view.w = io.Discard
	}
	var results []recording.Result
	err = plugincall.Replay(ctx, rec.options, rec.Recording, o.plugins, rec.secrets, func(result recording.Result) error {
		results = append(results, result)
		view.result(result)
		return nil
	})
	if err != nil {
		return rec.secrets.Error(because(ctx, err))
	}
	differ := view.report.Differ > 0
	if o.update && differ {
		if err := rec.Update(results); err != nil {
			return err
		}
		view.report.Updated = true
	}
	view.summary()
	if o.json {
		if err := writeJSON(s.out, view.report); err != nil {
			return err
		}
	}
	if rec.journal != "" {
		if err := view.report.Save(recording.ReportBeside(rec.journal)); err != nil {
			return err
		}
	}
	if differ && !o.update {
		return errShown
	}
	return nil
}

// replayed is a recording whose calls are repeated, with how its plugins are called.
type replayed struct {
	*recording.Recording
	options plugincall.Options
	secrets *redact.Redactor
	// journal is the journal of the session that the recording belongs to; empty for a file.
	journal string
}

// openReplay opens the recording that a word means, and makes a directory for the data of its plugins. The caller must close it.
func (o *rootOptions) openReplay(ctx context.Context, s streams, word string) (*replayed, error) {
	options, err := o.callOptions(ctx, s)
	if err != nil {
		return nil, err
	}
	secrets := setup.Secrets(options.Config, nil)
	path, journal, err := findRecording(options.Config, word)
	if err != nil {
		return nil, secrets.Error(err)
	}
	r, err := recording.Open(path)
	if err != nil {
		return nil, secrets.Error(usageError{err})
	}
	tellRecording(s.err, r)
	if options.Scratch, err = os.MkdirTemp("", "aura-replay-"); err != nil {
		return nil, fmt.Errorf("making a directory for the plugins' data: %w", err)
	}
	return &replayed{Recording: r, options: options, secrets: secrets, journal: journal}, nil
}

func (r *replayed) close() error { return os.RemoveAll(r.options.Scratch) }

// openRecording returns the recording that a word means: a file, or the session with that id, name or title.
func openRecording(c *config.Config, word string) (*recording.Recording, error) {
	path, _, err := findRecording(c, word)
	if err != nil {
		return nil, err
	}
	r, err := recording.Open(path)
	if err != nil {
		return nil, usageError{err}
	}
	return r, nil
}

// findRecording returns the path of the recording that a word means, and the journal of its session; empty if the word is a file.
func findRecording(c *config.Config, word string) (path, journal string, err error) {
	if _, err := os.Lstat(word); err == nil {
		return word, "", nil
	} else if filepath.Ext(word) == recording.Ext {
		return "", "", usageError{fmt.Errorf("reading recording: %w", err)}
	}
	found, err := inspect.FindSession(c, word)
	if err != nil {
		return "", "", usageError{fmt.Errorf("looking for recording %q: there is no such file; %w", word, err)}
	}
	if path = recording.Beside(found.Path); !recording.Exists(path) {
		return "", "", usageError{fmt.Errorf("session %s has no recording; aura run --record makes one", found.ID)}
	}
	return path, found.Path, nil
}

// tellRecording reports that a recording is not complete.
func tellRecording(w io.Writer, r *recording.Recording) {
	if r.Torn {
		fmt.Fprintf(w, "! the end of %s was not written completely and is left out\n", clean(r.Path))
	}
	if r.Full {
		fmt.Fprintf(w, "! %s reached its limit: later calls are missing\n", clean(r.Path))
	}
}

// replayView shows the results of a replay.
type replayView struct {
	w      io.Writer
	config plugincall.Options
	report recording.Report
	// differing holds the plugins with other results.
	differing []string
}

func (v *replayView) result(r recording.Result) {
	v.report.Add(r)
	what := fmt.Sprintf("call %d, turn %d: %s of %s", r.Call.N, r.Call.Turn, strings.TrimSpace(r.Call.Point+" "+r.Call.Name), r.Call.Plugin)
	switch {
	case r.Unrepeatable != "":
		fmt.Fprintf(v.w, "%s\n", clean(oneLine(fmt.Sprintf("%s: not repeated: %s", what, r.Unrepeatable), maxReplayLine)))
	case len(r.Differences) > 0:
		fmt.Fprintf(v.w, "%s differs\n", clean(what))
		for _, d := range r.Differences {
			fmt.Fprintf(v.w, "  %s: %s → %s\n", clean(d.Field), shownValue(d.Before), shownValue(d.After))
		}
		v.hint(r.Call.Plugin)
	}
}

// maxReplayLine is the length of the longest line about a call, in runes.
const maxReplayLine = 500

// shownValue returns a value of a difference on one line.
func shownValue(text string) string {
	if text == "" {
		return "(missing)"
	}
	return oneLine(text, maxReplayLine)
}

// hint names, once for each plugin, what its source uses that a recording does not have.
func (v *replayView) hint(plugin string) {
	if slices.Contains(v.differing, plugin) {
		return
	}
	v.differing = append(v.differing, plugin)
	caller, err := plugincall.New(v.config)
	if err != nil {
		return
	}
	defer func() { _ = caller.Close() }()
	e, err := caller.Find(plugin)
	if err != nil {
		return
	}
	for _, use := range recording.Unrecorded(e.Dir) {
		if v.report.Unrecorded == nil {
			v.report.Unrecorded = map[string][]string{}
		}
		v.report.Unrecorded[plugin] = append(v.report.Unrecorded[plugin], use)
		fmt.Fprintf(v.w, "  the plugin uses what a recording does not have: %s\n", clean(use))
	}
}

func (v *replayView) summary() { fmt.Fprintln(v.w, v.report.Summary()) }
