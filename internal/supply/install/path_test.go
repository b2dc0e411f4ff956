package install

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

func TestSafeEnviron(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		testneed.Missing(t, testneed.Unix, "paths are written in another way")
	}
	base := t.TempDir()
	work, other := filepath.Join(base, "work"), filepath.Join(base, "other")
	for _, dir := range []string{work + "/.venv/bin", other} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	testneed.Link(t, work+"/.venv/bin", other+"/linked")
	got, dropped := SafeEnviron([]string{"A=1", "HOME=" + work, "PYTHONPATH=" + work + ":" + other, "NODE_PATH=" + work + "/x", "PATH=" + work + "/.venv/bin:.::node_modules/.bin:" + other + "/linked:" + other + ":/usr/bin", "PWD=" + work, "CDPATH=.", "B=x=y"}, work)
	if want := []string{work + "/.venv/bin", ".", "", "node_modules/.bin", other + "/linked"}; !reflect.DeepEqual(dropped, want) {
		t.Errorf("dropped %q, want %q", dropped, want)
	}
	if want := []string{"A=1", "HOME=" + work, "PYTHONPATH=" + other, "PATH=" + other + ":/usr/bin", "B=x=y"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
