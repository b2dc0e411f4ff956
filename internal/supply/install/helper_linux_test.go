package install

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestHelpersLeaveNothing makes git leave a process behind that has left its process group. The process holds a fifo open for
// as long as it lives.
func TestHelpersLeaveNothing(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "setsid")
	dir, bin := t.TempDir(), t.TempDir()
	life := filepath.Join(dir, "life")
	if err := unix.Mkfifo(life, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(life, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	script := "#!/bin/sh\nsetsid sleep 1000 >" + life + " 2>&1 </dev/null &\ncat >/dev/null\necho up >" + life + "\necho password=p\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	o := Options{Environ: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}, Workdir: t.TempDir()}
	if c, ok := o.fill(t.Context(), source{host: "example.org", protocol: "https"}); !ok || c.secret != "p" {
		t.Errorf("got %v, %t", c, ok)
	}
	if text, err := io.ReadAll(r); err != nil || string(text) != "up\n" {
		t.Errorf("got %q, %v", text, err)
	}
}
