//go:build linux

package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestWebOpen checks that --open leads a browser to the pages by a file, that no command line has the token, and that the file is gone when
// the page is there.
func TestWebOpen(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Run("run", "hi")
	b := browse(p)
	// In place of the desktop's program, this one notes how it was started.
	bin := t.TempDir()
	opened := filepath.Join(bin, "opened")
	p.Check(os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\ntr '\\0' ' ' </proc/$$/cmdline >"+opened+".part\nstat -c ' %a' \"$1\" >>"+opened+".part\nmv "+opened+".part "+opened+"\n"), 0o700))
	cmd := p.Command("web", "--open")
	cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"))
	s := serving(p, cmd)
	p.Until("the browser", func() bool { _, err := os.Stat(opened); return err == nil })
	raw, err := os.ReadFile(opened)
	p.Check(err)
	fields := strings.Fields(string(raw))
	path := fields[len(fields)-2]
	if strings.Contains(string(raw), s.token) || fields[len(fields)-1] != "600" || filepath.Ext(path) != ".html" {
		t.Errorf("the browser was started with %q", raw)
	}
	dir, err := os.Stat(filepath.Dir(path))
	p.Check(err)
	if dir.Mode().Perm() != 0o700 {
		t.Errorf("others may enter %s: %v", filepath.Dir(path), dir.Mode())
	}
	b.do(chromedp.Navigate("file://" + path))
	b.shows("location.href === 'http://" + s.addr + "/sessions' && document.querySelector('#sessions a')")
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	b.quiet()
}

// TestWebOpenWithout checks what is reported if nothing opens a browser, and that no file is left.
func TestWebOpenWithout(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	cmd := p.Command("web", "--open")
	cmd.Env = append(cmd.Env, "PATH="+t.TempDir())
	errs, err := os.Create(p.Path("web-errors.txt"))
	p.Check(err)
	cmd.Stderr = errs
	s := serving(p, cmd)
	p.Check(errs.Close())
	p.Await("web-errors.txt", `! no browser was opened: .*xdg-open.*; open the address yourself`)
	s.Signal(os.Interrupt)
	s.Wait()
	found, err := filepath.Glob(filepath.Join(p.Runtime, "aura", "web-*"))
	p.Check(err)
	if len(found) > 0 {
		t.Errorf("left: %v", found)
	}
}
