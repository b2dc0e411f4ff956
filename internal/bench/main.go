// Command bench measures what aura promises about speed and memory and prints it side by side, all taken in one run: on a
// noisy machine only the ratios mean anything. It runs from the root of the repository; `make bench` does it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// echoArgument makes this program the other end of the bare gRPC call.
const echoArgument = "echo"

func main() {
	if len(os.Args) == 3 && os.Args[1] == echoArgument {
		if err := serveEcho(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// lab is a place with fresh binaries.
type lab struct {
	dir  string
	repo string
	out  io.Writer
}

func (l *lab) aura() string { return filepath.Join(l.dir, "bin", "aura") }
func (l *lab) host() string { return filepath.Join(l.dir, "bin", "aura-plugin-host") }

// run measures the named parts, or all.
func run(ctx context.Context, out io.Writer, names []string) (err error) {
	l := &lab{out: out}
	parts, err := l.parts(names)
	if err != nil {
		return err
	}
	repo, err := os.Getwd()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "aura-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	l.dir, l.repo = dir, repo
	if err := l.build(ctx); err != nil {
		return err
	}
	for _, part := range parts {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// part is something to be measured.
type part func(context.Context) error

func (l *lab) parts(names []string) ([]part, error) {
	known := []string{"calls", "faults", "startup", "turns", "hooks", "sandbox"}
	all := []part{l.calls, l.faults, l.startup, l.turns, l.hooks, l.sandbox}
	if len(names) == 0 {
		return all, nil
	}
	var out []part
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, fmt.Errorf("there is no part %q; the parts are %s", name, strings.Join(known, ", "))
		}
		out = append(out, all[i])
	}
	return out, nil
}

func (l *lab) build(ctx context.Context) error {
	for _, name := range []string{"aura", "aura-plugin-host"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", filepath.Join(l.dir, "bin", name), "./cmd/"+name)
		cmd.Dir = l.repo
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", name, err, out)
		}
	}
	// Pages of a file that is not yet on disk count as private memory of whoever maps it.
	return exec.CommandContext(ctx, "sync").Run()
}

// table prints rows in columns under a title.
func (l *lab) table(title string, rows [][]string) {
	fmt.Fprintf(l.out, "%s\n\n", title)
	tw := tabwriter.NewWriter(l.out, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		fmt.Fprint(tw, "  ")
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(tw, "\t")
			}
			fmt.Fprint(tw, cell)
		}
		fmt.Fprintln(tw)
	}
	_ = tw.Flush()
	fmt.Fprintln(l.out)
}

// writeFiles makes a tree of files.
func writeFiles(root string, files map[string]string) error {
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}
