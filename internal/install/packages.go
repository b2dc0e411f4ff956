package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/manifest"
	"github.com/idelchi/aura/internal/process"
	"github.com/idelchi/aura/internal/python"
)

// installPackages installs what the extensions of a staged unit depend on, each into a directory of its own in the unit. The lock
// covers the installed files.
func (p *prepared) installPackages(ctx context.Context, o Options) error {
	if o.NoVendor {
		return nil
	}
	var done []string
	for _, plugin := range p.plugins {
		if slices.Contains(done, plugin.Dir) {
			continue
		}
		done = append(done, plugin.Dir)
		needs, err := packagesOf(plugin)
		if err == nil && len(needs) > 0 {
			err = o.installPackages(ctx, plugin.Dir, needs)
		}
		if err != nil {
			return named(plugin, err)
		}
	}
	return nil
}

// packagesOf returns the packages that an extension depends on, as its pyproject.toml declares them.
func packagesOf(p manifest.Plugin) ([]string, error) {
	if strings.HasSuffix(p.Dir, pythonFile) {
		return nil, nil
	}
	project, err := python.ReadProject(p.Dir)
	return project.Dependencies, err
}

// installPackages runs uv or, if there is none, pip. Only wheels are installed: they are unpacked, while other packages run code of
// their own.
func (o Options) installPackages(ctx context.Context, dir string, needs []string) error {
	for _, need := range needs {
		if !python.IsPlainRequirement(need) {
			return fmt.Errorf("it depends on %q, which is not the name of a package; only packages of an index can be installed. --no-vendor installs the extension without it", need)
		}
	}
	if o.Python == nil {
		return errors.New("there is no Python to install packages for")
	}
	interpreter, err := o.Python()
	if err != nil {
		return fmt.Errorf("it depends on %s: %w; --no-vendor installs the extension without these packages", join(needs), err)
	}
	target := filepath.Join(dir, python.LibraryDir)
	name, path, args := "pip", interpreter, []string{
		"-I", "-m", "pip", "install", "--target", target, "--only-binary", ":all:", "--no-compile", "--no-input", "--disable-pip-version-check",
		"--no-warn-script-location", "--quiet", "--",
	}
	if uv, err := o.program("uv"); err == nil {
		name, path, args = "uv", uv, []string{"pip", "install", "--python", interpreter, "--target", target, "--only-binary", ":all:", "--no-config", "--quiet", "--"}
	}
	if err := o.runPackages(ctx, dir, path, append(args, needs...)); err != nil {
		return fmt.Errorf("installing %s with %s: %w\nNothing was installed. The packages must be available as wheels; --no-vendor installs the extension without them",
			join(needs), name, err)
	}
	return nil
}

// packageTail is how much of the program's output an error keeps, in bytes.
const packageTail = 2048

// runPackages runs uv or pip, which get no tokens of aura.
func (o Options) runPackages(ctx context.Context, dir, path string, args []string) error {
	var out bytes.Buffer
	err := process.Run(ctx, process.Spec{
		Path: path, Args: append([]string{path}, args...), Dir: dir, Stdout: &out, Stderr: &out,
		Env:    append(o.environ(append(tokenNames(), "PWD", "PIP_TARGET", "PIP_USER", "PIP_PREFIX", "PIP_REQUIRE_VIRTUALENV")...), "PWD="+dir),
		Linger: helperLinger, Guard: true, Mark: helperMark,
	})
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	text := strings.TrimSpace(out.String())
	if len(text) > packageTail {
		text = "…" + text[len(text)-packageTail:]
	}
	return fmt.Errorf("%w\n%s", err, text)
}
