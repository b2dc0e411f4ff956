//go:build unix

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// onWrite calls a function when the first line is written.
type onWrite struct {
	strings.Builder
	do func()
}

func (w *onWrite) Write(p []byte) (int, error) {
	n, err := w.Builder.Write(p)
	if w.do != nil {
		w.do()
		w.do = nil
	}
	return n, err
}

// TestPluginsWait runs several commands while another aura holds the plugins. The other aura releases them after the command
// reports that it waits.
func TestPluginsWait(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	root, source := filepath.Join(dir, ".aura", "plugins"), filepath.Join(dir, "greet")
	for _, path := range []string{root, source} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"plugin.yaml": "", "go.mod": "module greet\n\ngo 1.25\n",
		"main.go": "package greet\n\nimport (\n\t\"context\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\n" +
			"func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{}, nil }\n",
	} {
		if err := os.WriteFile(filepath.Join(source, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"add", source, "--no-vendor"}, {"trust", "greet"}, {"remove", "greet"}} {
		f, err := os.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		stderr := &onWrite{do: func() { _ = f.Close() }}
		s := streams{in: strings.NewReader(""), out: io.Discard, err: stderr, environ: []string{"HOME=" + t.TempDir(), "AURA_TRUST=1", "XDG_STATE_HOME=" + t.TempDir()}}
		code := execute(t.Context(), s, append([]string{"--workdir", dir, "plugins"}, args...))
		if want := "aura: waiting for another aura that is changing the plugins in " + root + "\n"; code != exitDone || stderr.String() != want {
			t.Errorf("%s: exit code %d, got %q, want %q", args[0], code, stderr.String(), want)
		}
	}
}
