// Package browser opens files in the user's browser, by the program that the system has for it.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/system/process"
)

// Options say how a browser is found.
type Options struct {
	// System is the operating system, as runtime.GOOS names it.
	System string
	// Environ is the environment of the program, whose PATH has no directory that confined code can write. Dir is where it starts.
	Environ []string
	Dir     string
}

// opener is a program that opens a file, with the arguments before the file.
type opener struct {
	program string
	args    []string
}

// openers lists the programs of a system, in the order in which they are tried.
func openers(system string) []opener {
	switch system {
	case "darwin":
		return []opener{{program: "open"}}
	case "windows":
		return []opener{{program: "rundll32.exe", args: []string{"url.dll,FileProtocolHandler"}}}
	default:
		return []opener{{program: "xdg-open"}, {program: "wslview"}, {program: "x-www-browser"}}
	}
}

// Open opens a file in the default browser. The browser is the user's from then on: it outlives aura. Open returns when the program that
// opens the file has ended, which may be when the browser does, or when ctx ends. It returns an error if nothing opens the file.
func Open(ctx context.Context, o Options, file string) error {
	var names []string
	for _, one := range openers(o.System) {
		names = append(names, one.program)
		path := o.program(one.program)
		if path == "" {
			continue
		}
		p, err := process.Start(process.Spec{
			Path: path, Args: append(append([]string{one.program}, one.args...), file), Dir: o.Dir, Env: o.Environ, Outlive: true,
		})
		if err != nil {
			return fmt.Errorf("starting %s: %w", one.program, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-p.Exited():
		}
		if err := p.Wait(); err != nil {
			return fmt.Errorf("%s: %w", one.program, err)
		}
		return nil
	}
	return errors.New("there is none of the programs that open one: " + strings.Join(names, ", "))
}

// program returns the path of a program in PATH, never one in a directory that is relative.
func (o Options) program(name string) string {
	list := ""
	for _, entry := range o.Environ {
		if rest, ok := strings.CutPrefix(entry, "PATH="); ok {
			list = rest
		}
	}
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}
