// Command licenses checks that all modules that aura and its tests are built from have a license that allows it.
//
// Usage, from the root of the repository:
//
//	go run -C tools/release ./licenses ../..
//
// The arguments are directories of modules.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"github.com/idelchi/aura/tools/release/internal/license"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// own is the beginning of the paths of our own modules.
const own = "github.com/idelchi/aura"

// systems are those whose dependencies are looked at: some modules are linked on one system alone.
var systems = []string{"linux", "darwin", "windows"}

func run(ctx context.Context, dirs []string, out io.Writer) error {
	if len(dirs) == 0 {
		return errors.New("no directory of a module given")
	}
	found := map[string]string{}
	for _, dir := range dirs {
		for _, system := range systems {
			if err := modules(ctx, dir, system, found); err != nil {
				return err
			}
		}
	}
	return check(found, out)
}

// modules adds the modules whose packages the module in dir and its tests import, with their directories.
func modules(ctx context.Context, dir, system string, found map[string]string) error {
	const format = `{{with .Module}}{{.Path}}@{{.Version}}{{"\t"}}{{with .Replace}}{{.Dir}}{{else}}{{.Dir}}{{end}}{{end}}`
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-test", "-f", format, "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOWORK=off", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("listing the modules of %s: %w\n%s", dir, err, stderr.Bytes())
	}
	for line := range strings.Lines(string(text)) {
		name, at, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok && !ours(name) {
			found[name] = at
		}
	}
	return nil
}

func ours(name string) bool {
	path, _, _ := strings.Cut(name, "@")
	return path == own || strings.HasPrefix(path, own+"/")
}

// check reports each module without a license, or with one that is not allowed.
func check(found map[string]string, out io.Writer) error {
	var errs []error
	count := map[string]int{}
	for _, name := range sorted(found) {
		f, err := license.Of(found[name])
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		for _, id := range f.IDs {
			count[id]++
		}
		if bad := f.Refused(); len(bad) > 0 {
			errs = append(errs, fmt.Errorf("%s is under %s, which is not in the list of allowed licenses", name, strings.Join(bad, ", ")))
		}
	}
	fmt.Fprintf(out, "%d modules:", len(found))
	for _, id := range sorted(count) {
		fmt.Fprintf(out, " %s %d", id, count[id])
	}
	fmt.Fprintln(out)
	return errors.Join(errs...)
}

func sorted[V any](m map[string]V) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
