package plugintest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/setup"
)

// Difference is a call whose result depends on the runtime, which is a fault of aura.
type Difference struct {
	// Call is the place of the call in the tests of the plugin, and its point. Input is what it was given, if that is not in a recording.
	Call  string          `json:"call"`
	Input json.RawMessage `json:"input,omitempty"`
	// Field is the part of the result that differs, or "error".
	Field       string `json:"field"`
	Interpreted string `json:"interpreted"`
	Compiled    string `json:"compiled"`
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: the runtimes differ: %s: interpreted %s, compiled %s", d.Call, d.Field, orNone(d.Interpreted), orNone(d.Compiled))
}

// outcome is what came of one call in one runtime.
type outcome struct {
	what    string
	input   []byte
	out     []byte
	failure string
	kind    host.ErrorKind
	// unfair is set if the outcome says nothing about the plugin.
	unfair bool
}

// loading is the outcome.what of a plugin that could not be started.
const loading = "loading"

// NotComparedError is why a plugin is not run in both runtimes.
type NotComparedError struct{ Err error }

func (e *NotComparedError) Error() string { return e.Err.Error() }

func (e *NotComparedError) Unwrap() error { return e.Err }

// prepare compiles the plugin if its tests run in both runtimes. A plugin that cannot be compiled is tested in the one that it has.
func (r *runner) prepare(ctx context.Context) error {
	if !r.Compare {
		return nil
	}
	err := compile(ctx, r.Options.Options, r.entry)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if r.compares = err == nil; !r.compares {
		r.Report(Event{Action: ActionOutput, Plugin: r.entry.Name, Output: fmt.Sprintf("plugin %q is not compared with its compiled program: %v\n", r.entry.Name, err)})
	}
	return nil
}

// compile builds the program of a plugin that both runtimes can run.
func compile(ctx context.Context, o plugincall.Options, e setup.Entry) error {
	switch {
	case e.Python(), e.Portable():
		return errors.New("it is not in Go")
	case e.Manifest.Runtime != manifest.GoRuntimeAuto:
		return fmt.Errorf("its plugin.yaml says runtime: %s", e.Manifest.Runtime)
	}
	c := *o.Config
	c.Features = o.Features
	spec, err := e.InRuntime(&c, o.Unsafe, host.RuntimeNative)
	if err != nil {
		return err
	}
	return spec.Native.Build(ctx, func() {})
}

// both runs one test, in both runtimes if they are compared, and adds the differences to its failures. The failures are those of the interpreter.
func (r *runner) both(run func(*runner) ([]string, error)) ([]string, error) {
	if !r.compares {
		return run(r)
	}
	interpreted, compiled := r.in(host.RuntimeInterpreted), r.in(host.RuntimeNative)
	interpreted.Report = r.Report
	failures, err := run(interpreted)
	r.points = interpreted.points
	if err == nil {
		_, err = run(compiled)
	}
	if err != nil {
		return nil, err
	}
	found := differencesOf(interpreted.outcomes, compiled.outcomes)
	if len(found) > 0 {
		// What differs between two runs of the interpreter depends on chance, the time or a directory.
		again := r.in(host.RuntimeInterpreted)
		if _, err := run(again); err != nil {
			return nil, err
		}
		chance := differencesOf(interpreted.outcomes, again.outcomes)
		found = slices.DeleteFunc(found, func(d Difference) bool {
			return slices.ContainsFunc(chance, func(c Difference) bool { return c.Call == d.Call && c.Field == d.Field })
		})
	}
	for _, d := range found {
		failures = append(failures, d.String())
	}
	if len(found) > 0 {
		failures = append(failures, fmt.Sprintf("This is a fault of aura, not of the plugin: report it with %s, and with the source if you can", ReportFile(r.Options.Options, r.entry)))
	}
	r.summary.Differences = append(r.summary.Differences, found...)
	return failures, nil
}

// in returns a runner of the same tests in one runtime, which reports nothing.
func (r *runner) in(runtime string) *runner {
	out := *r
	out.Runtime, out.outcomes, out.Report = runtime, nil, func(Event) {}
	return &out
}

func (r *runner) observe(o outcome) { r.outcomes = append(r.outcomes, o) }

// differencesOf compares the outcomes of the same calls in two runs. Calls that only one run made are not compared: an earlier call differs then.
func differencesOf(a, b []outcome) (out []Difference) {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if strings.HasSuffix(x.what, loading) {
			return out // the plugin uses what only one runtime has, and its tests fail
		}
		d := Difference{Call: x.what, Input: x.input, Field: "error", Interpreted: quoted(x), Compiled: quoted(y)}
		switch {
		case x.unfair || y.unfair || unsteady(x.kind) || unsteady(y.kind):
		case x.what != y.what, x.kind != y.kind, x.kind != host.KindCrash && x.failure != y.failure:
			// How a process died is described by the process.
			out = append(out, d)
		case x.kind == "":
			fields, err := recording.Compare(x.out, y.out)
			if err != nil {
				fields = []recording.Difference{{Before: string(x.out), After: string(y.out)}}
			}
			for _, f := range fields {
				d.Field, d.Interpreted, d.Compiled = f.Field, f.Before, f.After
				if d.Field == "" {
					d.Field = "result"
				}
				out = append(out, d)
			}
		}
	}
	return out
}

// unsteady reports whether a call failed for a reason that depends on how fast the machine is.
func unsteady(kind host.ErrorKind) bool {
	return kind == host.KindTimeout || kind == recording.KindCancelled
}

// quoted returns what a difference says about a call: its error, or its result.
func quoted(o outcome) string {
	if o.failure != "" {
		return fmt.Sprintf("%q", o.failure)
	}
	return "the result " + string(o.out)
}

// ReportFile is the file that describes the differences of a plugin, for a report to aura's authors. The next run replaces it.
func ReportFile(o plugincall.Options, e setup.Entry) string {
	return filepath.Join(o.Config.State.Logs(), "plugins", e.Name+".differences.json")
}

// report writes the differences to the file.
func (r *runner) report() error {
	if len(r.summary.Differences) == 0 {
		return nil
	}
	version, err := manifest.TreeHash(r.entry.Dir)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(struct {
		Aura        string       `json:"aura"`
		System      string       `json:"system"`
		Plugin      string       `json:"plugin"`
		Version     string       `json:"version"`
		Differences []Difference `json:"differences"`
	}{build.Read().String(), runtime.GOOS + "/" + runtime.GOARCH, r.entry.Name, version, r.summary.Differences}, "", "  ")
	file := ReportFile(r.Options.Options, r.entry)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		err = files.Replace(file, append(setup.Secrets(r.Config, nil).JSON(text), '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing the differences of plugin %q: %w", r.entry.Name, err)
	}
	return nil
}

// CompareRecordings makes the calls of a plugin's recordings again in both runtimes, and returns the differences and how many recordings there
// are. The error may be a *NotComparedError.
func CompareRecordings(ctx context.Context, o plugincall.Options, e setup.Entry) (found []Difference, recordings int, err error) {
	r := &runner{
		Options: Options{Options: o, Report: func(Event) {}}, entry: e, called: map[plugincall.Point]bool{}, compares: true,
	}
	if err := compile(ctx, o, e); err != nil {
		return nil, 0, &NotComparedError{err}
	}
	if err := errors.Join(r.recordings(ctx), r.report()); err != nil {
		return nil, 0, err
	}
	return r.summary.Differences, r.summary.Ran, nil
}
