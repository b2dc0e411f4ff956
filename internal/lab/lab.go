// Package lab provides an environment for measuring aura: a directory with freshly built binaries, for internal/lab/bench,
// internal/lab/soak and internal/lab/fleetlab.
package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// Lab is a temporary directory with all programs. The caller must close it.
type Lab struct {
	Dir string
	// Repo is the root of the repository.
	Repo string
}

// Open creates a temporary directory and builds the programs into it. The working directory must be the root of the repository.
func Open(ctx context.Context, name string) (*Lab, error) {
	repo, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "aura-"+name+"-")
	if err != nil {
		return nil, err
	}
	l := &Lab{Dir: dir, Repo: repo}
	if err := l.build(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close removes the directory.
func (l *Lab) Close() error { return os.RemoveAll(l.Dir) }

// Bin returns the path of a program.
func (l *Lab) Bin(name string) string { return filepath.Join(l.Dir, "bin", name) }

func (l *Lab) build(ctx context.Context) error {
	for _, name := range []string{"aura", "aura-plugin-host", "aura-tool-host"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", l.Bin(name), "./cmd/"+name)
		cmd.Dir = l.Repo
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", name, err, out)
		}
	}
	// Pages of a file that is not yet on disk count as private memory of the process that maps them.
	return exec.CommandContext(ctx, "sync").Run()
}

// Examples returns the manifests of the example plugins that are in use, sorted. The others need what a machine may not have.
func (l *Lab) Examples() ([]string, error) {
	manifests, err := filepath.Glob(filepath.Join(l.Repo, ".aura", "plugins", "*", "*", manifest.FileName))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, path := range manifests {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		m, err := manifest.Parse(path, data)
		if err != nil {
			return nil, err
		}
		if !m.Disabled {
			out = append(out, path)
		}
	}
	return out, nil
}

// WriteFiles writes files below root. It creates the directories.
func WriteFiles(root string, files map[string]string) error {
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
