package native

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// minMinor is the Go 1.x release that the SDK and the packages beside the plugin need.
const minMinor = 25

// Toolchain is a Go toolchain on this machine.
type Toolchain struct {
	// Go is the path of the go command, without links. Root is its GOROOT.
	Go, Root string
	// Version is such as go1.26.1, and Minor is 26 then.
	Version string
	Minor   int
}

// ErrNoToolchain means that there is no Go toolchain that may be used.
var ErrNoToolchain = errors.New("there is no Go toolchain: no directory of PATH outside of what tools can write has a program go; install Go (https://go.dev/dl)")

// Find finds the toolchain in a PATH. It skips relative directories, and programs in directories that confined code can write to.
func Find(path string, writable []string) (Toolchain, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || within(writable, dir) {
			continue
		}
		found, err := exec.LookPath(filepath.Join(dir, "go"))
		if err != nil {
			continue
		}
		program, err := filepath.EvalSymlinks(found)
		if err != nil || within(writable, program) {
			continue
		}
		return describe(program)
	}
	return Toolchain{}, ErrNoToolchain
}

// describe reads which toolchain a go command belongs to. It does not run the command.
func describe(program string) (Toolchain, error) {
	root := filepath.Dir(filepath.Dir(program))
	text, err := files.Read(filepath.Join(root, "VERSION"), files.MaxText)
	if err != nil {
		return Toolchain{}, fmt.Errorf("looking for the Go toolchain of %s: %w", program, err)
	}
	t := Toolchain{Go: program, Root: root}
	t.Version, _, _ = strings.Cut(strings.TrimSpace(string(text)), "\n")
	t.Version = strings.TrimSpace(t.Version)
	minor, ok := strings.CutPrefix(t.Version, "go1.")
	if ok {
		minor = minor[:len(minor)-len(strings.TrimLeft(minor, "0123456789"))]
		t.Minor, err = strconv.Atoi(minor)
	}
	if !ok || err != nil {
		return Toolchain{}, fmt.Errorf("looking for the Go toolchain of %s: %q is not the version of a release of Go", program, t.Version)
	}
	if t.Minor < minMinor {
		return Toolchain{}, fmt.Errorf("the Go toolchain %s is %s, and compiling plugins needs Go 1.%d or later", program, t.Version, minMinor)
	}
	return t, nil
}

// within reports whether a path is located in one of the trees, by its name or after links are resolved.
func within(trees []string, path string) bool {
	resolved := path
	if end, err := filepath.EvalSymlinks(path); err == nil {
		resolved = end
	}
	return slices.ContainsFunc(trees, func(tree string) bool {
		if tree == "" {
			return false
		}
		end := tree
		if r, err := filepath.EvalSymlinks(tree); err == nil {
			end = r
		}
		return below(tree, path) || below(end, resolved)
	})
}

func below(tree, path string) bool {
	rel, err := filepath.Rel(tree, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(os.PathSeparator))
}
