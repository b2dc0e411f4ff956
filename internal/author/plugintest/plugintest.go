// Package plugintest runs the tests that a plugin brings along: the files testdata/*.yaml and the recordings in testdata/recordings, whose
// calls run in real children, and, where a Go toolchain is present, the plugin's own Go tests. A test writes nothing outside of a
// temporary directory.
package plugintest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/testfile"
	"github.com/idelchi/aura/internal/settings/setup"
)

// DirName is the directory of a plugin that holds its tests. Recordings is the directory below it that holds recorded sessions.
const (
	DirName    = "testdata"
	Recordings = "recordings"
)

// maxFiles is the largest number of files with tests of one plugin.
const maxFiles = 1000

// Options says what is run.
type Options struct {
	plugincall.Options
	// Run selects tests by their names; nil selects all.
	Run *regexp.Regexp
	// Compare runs each test of a plugin in Go in both runtimes, if the settings of the plugin permit both. A difference is a failure.
	Compare bool
	// Report receives what happens, in order.
	Report func(Event)
}

// Summary is what came of the tests of one plugin.
type Summary struct {
	Plugin string
	Ran    int
	Failed int
	// Skipped is why the plugin was not tested; empty if it was.
	Skipped string
	// Covered and Missed are the points that tests called, and those that they did not.
	Covered, Missed []string
	Elapsed         time.Duration
	// Differences are those between the runtimes.
	Differences []Difference
}

// place returns where the tests of a plugin are: a directory that no link may lead out of, and the slash-separated path of the tests in it.
// An extension that is a file has its tests beside the file.
func place(e setup.Entry) (dir, tests string) {
	if info, err := os.Stat(e.Dir); err == nil && !info.IsDir() {
		return filepath.Dir(e.Dir), path.Join(DirName, strings.TrimSuffix(filepath.Base(e.Dir), filepath.Ext(e.Dir)))
	}
	return e.Dir, DirName
}

// runner runs the tests of one plugin.
type runner struct {
	Options
	entry   setup.Entry
	summary Summary
	called  map[plugincall.Point]bool
	points  []plugincall.Point
	// outcomes are those of the calls of the running test. compares is set if tests run in both runtimes.
	outcomes []outcome
	compares bool
	// record says where calls are recorded; nil means nowhere.
	record *recorder
}

// Plugin runs the tests of one plugin. The error says that the tests could not be run; a failed test is none.
func Plugin(ctx context.Context, o Options, e setup.Entry) (Summary, error) {
	began := time.Now()
	r := &runner{Options: o, entry: e, summary: Summary{Plugin: e.Name}, called: map[plugincall.Point]bool{}}
	if err := r.prepare(ctx); err != nil {
		return r.summary, err
	}
	if err := r.files(ctx); err != nil {
		return r.summary, err
	}
	if err := r.recordings(ctx); err != nil {
		return r.summary, err
	}
	if err := r.goTests(ctx); err != nil {
		return r.summary, err
	}
	if err := r.report(); err != nil {
		return r.summary, err
	}
	if r.summary.Ran == 0 {
		r.summary.Skipped = "no tests"
		if o.Run != nil {
			r.summary.Skipped = "no tests to run"
		}
	}
	if err := r.findPoints(ctx); err != nil {
		return r.summary, err
	}
	for _, p := range r.points {
		if r.called[p] {
			r.summary.Covered = append(r.summary.Covered, p.String())
		} else {
			r.summary.Missed = append(r.summary.Missed, p.String())
		}
	}
	r.summary.Elapsed = time.Since(began)
	return r.summary, nil
}

// files runs the tests of all files.
func (r *runner) files(ctx context.Context) error {
	dir, tests := place(r.entry)
	root, err := files.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("reading the tests of plugin %q: %w", r.entry.Name, err)
	}
	defer func() { _ = root.Close() }()
	entries, err := files.ReadDirBelow(root, tests, maxFiles)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the tests of plugin %q: %w", r.entry.Name, err)
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); e.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		if err := r.file(ctx, root, path.Join(tests, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// file runs the tests of one file.
func (r *runner) file(ctx context.Context, root *os.Root, name string) error {
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	text, err := files.ReadBelow(root, name, files.MaxText)
	var tests []testfile.Test
	if err == nil {
		tests, err = testfile.Parse(name, text)
	}
	if err != nil {
		r.start(stem)
		r.end(stem, time.Now(), []string{err.Error()})
		return nil
	}
	for _, t := range tests {
		id := stem + "/" + strings.Join(strings.Fields(t.Name), "_")
		if r.Run != nil && !r.Run.MatchString(id) {
			continue
		}
		began := time.Now()
		r.start(id)
		failures, err := r.both(func(r *runner) ([]string, error) { return r.test(ctx, t) })
		if err != nil {
			return err
		}
		r.end(id, began, failures)
	}
	return nil
}

// findPoints finds out what can be called, if only recordings made calls.
func (r *runner) findPoints(ctx context.Context) (err error) {
	if len(r.called) == 0 || r.points != nil {
		return nil
	}
	caller, err := plugincall.New(r.Options.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, caller.Close()) }()
	p, err := caller.Open(ctx, r.entry.Name)
	if err == nil {
		r.points = plugincall.Points(p.Exports())
	}
	return err
}

func (r *runner) start(id string) {
	r.summary.Ran++
	r.Report(Event{Action: ActionRun, Plugin: r.entry.Name, Test: id})
}

// end reports the end of a test. It failed if there are failures.
func (r *runner) end(id string, began time.Time, failures []string) {
	e := Event{Action: ActionPass, Plugin: r.entry.Name, Test: id, Elapsed: time.Since(began)}
	for _, text := range failures {
		r.Report(Event{Action: ActionOutput, Plugin: r.entry.Name, Test: id, Output: text + "\n"})
		e.Action = ActionFail
	}
	if e.Action == ActionFail {
		r.summary.Failed++
	}
	r.Report(e)
}
