package plugintest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/settings/setup"
)

// recordings replays the plugin's recordings: each is one test.
func (r *runner) recordings(ctx context.Context) error {
	dir, tests := place(r.entry)
	root, err := files.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("reading the recordings of plugin %q: %w", r.entry.Name, err)
	}
	defer func() { _ = root.Close() }()
	below := path.Join(tests, Recordings)
	entries, err := files.ReadDirBelow(root, below, maxFiles)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the recordings of plugin %q: %w", r.entry.Name, err)
	}
	for _, e := range entries {
		id := path.Join(Recordings, strings.TrimSuffix(e.Name(), recording.Ext))
		if filepath.Ext(e.Name()) != recording.Ext || !e.Type().IsRegular() || r.Run != nil && !r.Run.MatchString(id) {
			continue
		}
		began := time.Now()
		r.start(id)
		file := filepath.Join(dir, filepath.FromSlash(below), e.Name())
		failures, err := r.both(func(r *runner) ([]string, error) { return r.replay(ctx, id, file) })
		if err != nil {
			return err
		}
		r.end(id, began, failures)
	}
	return nil
}

// replay makes the calls of the plugin in one recording again, and returns the failures.
func (r *runner) replay(ctx context.Context, id, file string) (failures []string, err error) {
	recorded, err := recording.Open(file)
	if err != nil {
		return []string{err.Error()}, nil
	}
	scratch, work, err := newScratch()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	o := r.Options.Options
	c := *o.Config
	c.Workdir = work
	o.Config, o.Scratch, o.RepeatUndeclared = &c, filepath.Join(scratch, "state"), true // as the tests in files do
	err = plugincall.Replay(ctx, o, recorded, []string{r.entry.Name}, setup.Secrets(r.Config, nil), func(result recording.Result) error {
		failures = append(failures, r.replayed(id, result)...)
		return nil
	})
	if len(failures) > 0 {
		failures = append(failures, fmt.Sprintf("If the new results are right, keep them: aura plugins replay %s --plugin %s --update", file, r.entry.Name))
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		r.observe(outcome{what: id + recording.Ext + ": " + loading, failure: err.Error(), kind: recording.KindOf(err)})
		failures = append(failures, err.Error())
	}
	return failures, nil
}

// replayed returns the differences of one call. A call that was not repeated is reported and is no failure.
func (r *runner) replayed(id string, result recording.Result) []string {
	call := result.Call
	at := plugincall.Point{Name: call.Point}
	if call.Name != "" {
		at = plugincall.Point{Kind: call.Point, Name: call.Name}
	}
	what := fmt.Sprintf("call %d, turn %d: %s", call.N, call.Turn, at)
	r.observe(outcome{what: id + recording.Ext + ": " + what, out: result.Out, failure: result.Failure, kind: result.Kind, unfair: result.Unrepeatable != ""})
	if result.Unrepeatable != "" {
		r.Report(Event{Action: ActionOutput, Plugin: r.entry.Name, Test: id, Output: fmt.Sprintf("%s: not repeated: %s\n", what, result.Unrepeatable)})
		return nil
	}
	r.called[at] = true
	var out []string
	for _, d := range result.Differences {
		out = append(out, fmt.Sprintf("%s: %s: got %s, want %s", what, d.Field, orNone(d.After), orNone(d.Before)))
	}
	return out
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
