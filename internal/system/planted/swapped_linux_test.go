package planted_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/planted"
)

// TestSwapped replaces the directory of a file by a link while it is moved. Nothing outside is ever moved.
func TestSwapped(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	outside := filepath.Join(p.home, ".git")
	p.sh("mkdir " + outside + " && echo '[alias] mine = yes' >" + outside + "/config && mkdir n && ln -s " + p.home + " m")
	w := planted.In(p.Place)
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		work := p.Workdir
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			// The names change places: n is a directory, then a link that leads out.
			for _, step := range [][2]string{{"n", "x"}, {"m", "n"}, {"n", "m"}, {"x", "n"}} {
				if err := os.Rename(filepath.Join(work, step[0]), filepath.Join(work, step[1])); err != nil {
					done <- err
					return
				}
			}
		}
	}()
	for range 200 {
		w.Begin()
		for _, name := range []string{"n", "x"} {
			// The directory is at one of the two names, or neither.
			if info, err := os.Lstat(filepath.Join(p.Workdir, name)); err == nil && info.IsDir() {
				_ = os.Mkdir(filepath.Join(p.Workdir, name, ".git"), 0o755)
				_ = os.WriteFile(filepath.Join(p.Workdir, name, ".git", "config"), []byte("[alias] x = y\n"), 0o600)
			}
		}
		w.End()
		if text, err := os.ReadFile(filepath.Join(outside, "config")); err != nil {
			t.Fatal(err)
		} else if !strings.Contains(string(text), "mine") {
			// The test itself wrote through the link.
			if err := os.WriteFile(filepath.Join(outside, "config"), []byte("[alias] mine = yes\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
