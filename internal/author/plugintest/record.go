package plugintest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/plugin/testfile"
	"github.com/idelchi/aura/internal/settings/setup"
)

// Record runs the tests in the plugin's files and records their calls, so that the recordings are tests too. The recording of
// testdata/NAME.yaml is testdata/recordings/NAME.recording. The directory of recordings must not exist. version is that of aura. A failed
// test is an error.
func Record(ctx context.Context, o plugincall.Options, e setup.Entry, version string) error {
	dir, tests := place(e)
	to := &recorder{dir: filepath.Join(dir, filepath.FromSlash(tests), Recordings), version: version}
	err := os.Mkdir(to.dir, 0o755)
	if err == nil {
		r := &runner{Options: Options{Options: o, Report: to.report}, entry: e, called: map[plugincall.Point]bool{}, record: to}
		err = errors.Join(r.files(ctx), to.failed)
	}
	if err != nil {
		return fmt.Errorf("recording the tests of plugin %q: %w", e.Name, err)
	}
	return nil
}

// recorder records the calls of tests.
type recorder struct {
	dir, version string

	mu     sync.Mutex
	failed error
}

// open returns a writer for the calls of one test: a run of its own, because the test starts the plugin anew.
func (r *recorder) open(t testfile.Test) (*recording.Writer, error) {
	name := strings.TrimSuffix(path.Base(t.File), path.Ext(t.File))
	return recording.Create(filepath.Join(r.dir, name+recording.Ext), recording.Run{Aura: r.version, Session: t.Name}, nil)
}

// watch makes a fleet record its calls. The recording goes wherever the plugin goes, so it has only the variables that the test sets.
func (r *recorder) watch(o *host.Observer, w *recording.Writer, t testfile.Test) {
	o.OnStart = func(s host.Started) {
		s.Env = slices.DeleteFunc(slices.Clone(s.Env), func(v string) bool {
			name, _, _ := strings.Cut(v, "=")
			_, set := t.Env[name]
			return !set
		})
		r.addFailure(w.Start(s, false))
	}
	o.OnCall = func(_ context.Context, c host.Call) { r.addFailure(w.Call(1, c, false)) }
}

// report keeps what a failed test says.
func (r *recorder) report(e Event) {
	if e.Action == ActionOutput {
		r.addFailure(errors.New(strings.TrimSpace(e.Output)))
	}
}

func (r *recorder) addFailure(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = errors.Join(r.failed, err)
}
