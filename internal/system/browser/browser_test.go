//go:build unix

package browser_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/system/browser"
)

// TestOpen checks which program opens a file, and what is an error.
func TestOpen(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		// programs are the programs that there are, with their scripts.
		programs map[string]string
		system   string
		// want is what the program was started with; empty for an error that contains fault.
		want, fault string
	}{
		"a desktop":             {map[string]string{"xdg-open": "", "x-www-browser": "exit 1"}, "linux", "xdg-open FILE", ""},
		"without xdg-open":      {map[string]string{"x-www-browser": ""}, "linux", "x-www-browser FILE", ""},
		"macOS":                 {map[string]string{"open": "", "xdg-open": "exit 1"}, "darwin", "open FILE", ""},
		"Windows":               {map[string]string{"rundll32.exe": ""}, "windows", "rundll32.exe url.dll,FileProtocolHandler FILE", ""},
		"a program that fails":  {map[string]string{"xdg-open": "exit 3"}, "linux", "", "xdg-open: exit status 3"},
		"no program":            {nil, "linux", "", "xdg-open, wslview, x-www-browser"},
		"another system's only": {map[string]string{"open": ""}, "linux", "", "none of the programs"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for program, script := range row.programs {
				text := "#!/bin/sh\necho " + program + " \"$@\" >" + dir + "/done\n" + script + "\n"
				if err := os.WriteFile(filepath.Join(dir, program), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			err := browser.Open(t.Context(), browser.Options{System: row.system, Environ: []string{"PATH=relative:" + dir}, Dir: dir}, "FILE")
			if row.want == "" {
				if err == nil || !strings.Contains(err.Error(), row.fault) {
					t.Errorf("error %v, want one with %q", err, row.fault)
				}
				return
			}
			done, _ := os.ReadFile(filepath.Join(dir, "done"))
			if err != nil || strings.TrimSpace(string(done)) != row.want {
				t.Errorf("started %q, error %v, want %q", done, err, row.want)
			}
		})
	}
}

// TestOpenOutlives checks that the browser lives on: neither the end of the program that started it nor the end of the context kills it.
func TestOpenOutlives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := func(name string) string {
		path := filepath.Join(dir, name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	question, answer := pipe("question"), pipe("answer")
	// The program starts a browser and ends at once. The browser answers when it is asked.
	script := "#!/bin/sh\n(read line <" + question + "; echo alive >" + answer + ") &\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := browser.Open(ctx, browser.Options{System: "linux", Environ: []string{"PATH=" + dir}, Dir: dir}, "FILE"); err != nil {
		t.Fatal(err)
	}
	cancel()
	got := make(chan string, 1)
	go func() {
		err := os.WriteFile(question, []byte("well?\n"), 0o600)
		raw, readErr := os.ReadFile(answer)
		got <- fmt.Sprint(string(raw), err, readErr)
	}()
	select {
	case text := <-got:
		if text != "alive\n<nil> <nil>" {
			t.Errorf("the browser answers %q", text)
		}
	case <-time.After(time.Minute):
		t.Error("the browser was killed")
	}
}
