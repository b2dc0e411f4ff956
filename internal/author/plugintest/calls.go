package plugintest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/plugin/testfile"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/shared"
)

// test runs one test in a directory of its own and returns its failures. The error says that the test could not be run.
func (r *runner) test(ctx context.Context, t testfile.Test) (failures []string, err error) {
	scratch, work, err := newScratch()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := writeFiles(work, t.Files); err != nil {
		return nil, err
	}
	o := r.options(t, scratch, work)
	if r.record != nil {
		w, err := r.record.open(t)
		if err != nil {
			return nil, err
		}
		defer func() { r.record.addFailure(w.Close()) }()
		set := o.Adjust
		o.Adjust = func(h *host.Options) { set(h); r.record.watch(&h.Observer, w, t) }
	}
	caller, err := plugincall.New(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, caller.Close()) }()
	p, err := caller.Open(ctx, r.entry.Name)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		r.observe(outcome{what: loading, failure: err.Error(), kind: host.KindLoad})
		return []string{err.Error()}, nil
	}
	r.points = plugincall.Points(p.Exports())
	for _, c := range t.Calls {
		for _, text := range r.call(ctx, p, t, c) {
			failures = append(failures, fmt.Sprintf("%s:%d: %s: %s", t.File, c.Line, c.Point, text))
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return failures, nil
}

// options returns the options of the plugin's call for one test: another working directory, other places for its data, and only the
// variables that the test sets.
func (r *runner) options(t testfile.Test, scratch, work string) plugincall.Options {
	o := r.Options.Options
	c := *o.Config
	c.Workdir = work
	o.Config, o.Conditions, o.Scratch = &c, true, filepath.Join(scratch, "state")
	path, _ := config.Lookup(c.Inherited, "PATH")
	environ := []string{"PATH=" + path}
	for _, name := range slices.Sorted(maps.Keys(t.Env)) {
		environ = append(environ, name+"="+t.Env[name])
	}
	o.Adjust = func(h *host.Options) { h.Environ = environ }
	return o
}

// newScratch makes a directory for one test, and a working directory in it. The caller must remove scratch.
func newScratch() (scratch, work string, err error) {
	if scratch, err = os.MkdirTemp("", "aura-test-"); err != nil {
		return "", "", fmt.Errorf("making a directory for a test: %w", err)
	}
	// A path without links is the one that the plugin sees.
	resolved, err := filepath.EvalSymlinks(scratch)
	if err == nil {
		work = filepath.Join(resolved, "work")
		err = os.Mkdir(work, 0o700)
	}
	if err != nil {
		return "", "", errors.Join(fmt.Errorf("making a directory for a test: %w", err), os.RemoveAll(scratch))
	}
	return resolved, work, nil
}

func writeFiles(dir string, list map[string]string) error {
	for name, text := range list {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			return fmt.Errorf("writing a file of a test: %w", err)
		}
	}
	return nil
}

// call makes one call and returns what is not as expected.
func (r *runner) call(ctx context.Context, p *plugincall.Plugin, t testfile.Test, c testfile.Call) []string {
	at, err := plugincall.ParsePoint(c.Point)
	if err != nil {
		return []string{err.Error()}
	}
	input, err := inputOf(at, p, t, c)
	if err != nil {
		return []string{err.Error()}
	}
	out, err := p.Call(ctx, at, input)
	if err != nil {
		return []string{err.Error()}
	}
	if out.Called {
		r.called[at] = true
	}
	got, kind := "", host.ErrorKind("")
	if out.Err != nil {
		got, kind = host.Reason(out.Err).Error(), recording.KindOf(out.Err)
	}
	r.observe(outcome{what: fmt.Sprintf("%s:%d: %s", t.File, c.Line, c.Point), input: input, out: out.Output, failure: got, kind: kind})
	switch {
	case !out.Called && out.Err == nil && c.Called:
		return []string{"the plugin was not called: its condition or its once setting prevented it; expect that with called: false"}
	case out.Called && !c.Called:
		return []string{"the plugin was called, want no call"}
	case out.Err != nil && c.Error == nil:
		return []string{"got the error " + got}
	case c.Error != nil && out.Err == nil:
		return []string{fmt.Sprintf("got the result %s, want an error with %q", out.Output, *c.Error)}
	case c.Error != nil && !strings.Contains(got, *c.Error):
		return []string{fmt.Sprintf("got the error %q, want one with %q", got, *c.Error)}
	case out.Err != nil || !out.Called:
		return nil
	default:
		return compare(at, c, out.Output)
	}
}

// compare compares a result with what a call expects.
func compare(at plugincall.Point, c testfile.Call, got []byte) []string {
	if c.Match != nil {
		var tree any
		if err := unmarshal(got, &tree); err != nil {
			return []string{err.Error()}
		}
		return mismatches("", c.Match, tree)
	}
	if !c.HasResult {
		return nil
	}
	want, err := expected(at, c.Result)
	if err != nil {
		return []string{"reading the expected result: " + err.Error()}
	}
	list, err := differences(want, got)
	if err != nil {
		return []string{err.Error()}
	}
	return list
}

// inputOf returns the input of a call as exact JSON.
func inputOf(at plugincall.Point, p *plugincall.Plugin, t testfile.Test, c testfile.Call) ([]byte, error) {
	in := map[string]any{}
	fields := maps.Clone(c.Context)
	if fields == nil {
		fields = map[string]any{}
	}
	if _, given := fields["PluginConfig"]; !given && len(t.Config) > 0 {
		merged := map[string]any{}
		maps.Copy(merged, p.Base().PluginConfig)
		maps.Copy(merged, t.Config)
		fields["PluginConfig"] = merged
	}
	switch at.Kind {
	case "":
		if c.Args != nil {
			return nil, errors.New("a hook takes no args: write its input into context")
		}
		in = fields
	case host.PointTool, host.PointCommand:
		in["Context"] = fields
		if c.Args != nil {
			in["Args"] = c.Args
		}
	case host.PointPaths:
		in["Args"] = c.Args
	case host.PointEvent:
		in["Payload"], in["Sender"] = c.Args, "test"
	}
	document, err := shared.EncodeExact(in)
	if err != nil {
		return nil, fmt.Errorf("writing the input of %s: %w", at, err)
	}
	return document, nil
}
