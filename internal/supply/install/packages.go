package install

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/python"
	"github.com/idelchi/aura/internal/system/process"
)

// pinsFile is the file among the installed packages that lists their versions and hashes. It has the format of requirements.txt.
const pinsFile = ".requirements.txt"

// quietPip runs pip in a process that cannot start programs.
//
//go:embed quiet_pip.py
var quietPip string

// installPackages installs what the extensions of a staged unit depend on, each into a directory of its own in the unit. The lock
// covers the installed files.
func (p *prepared) installPackages(ctx context.Context, o Options) error {
	if o.NoVendor {
		return nil
	}
	var done []string
	for _, plugin := range p.plugins {
		if !plugin.Python() || slices.Contains(done, plugin.Dir) {
			continue
		}
		done = append(done, plugin.Dir)
		needs, err := declaredPackages(plugin)
		if err == nil && len(needs) > 0 {
			err = o.installPackages(ctx, plugin.Dir, needs)
		}
		if err != nil {
			return named(plugin, err)
		}
	}
	return nil
}

// declaredPackages returns the packages that an extension depends on, as its pyproject.toml declares them.
func declaredPackages(p manifest.Plugin) ([]string, error) {
	if strings.HasSuffix(p.Dir, pythonFile) {
		return nil, nil
	}
	project, err := python.ReadProject(p.Dir)
	return project.Dependencies, err
}

// packagesOf returns the versions of the packages that were installed for an extension, or the packages that it declares if none were
// installed.
func packagesOf(p manifest.Plugin) ([]string, error) {
	if text, err := files.Read(filepath.Join(p.Dir, python.LibraryDir, pinsFile), maxResolution); err == nil {
		pins, err := parseRequirements(text)
		var out []string
		for _, pin := range pins {
			out = append(out, pin.name+"=="+pin.version)
		}
		return out, err
	}
	return declaredPackages(p)
}

// installPackages lets uv or, if there is none, pip choose the versions of the packages and of what they depend on, checks the choice,
// and then installs exactly these files. Only wheels are installed: they are unpacked, while other packages run code of their own.
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
	// The directory belongs to aura: nothing of the source may be among the packages.
	target := filepath.Join(dir, python.LibraryDir)
	if err := errors.Join(os.RemoveAll(target), os.Mkdir(target, 0o755)); err != nil { //nolint:gosec // like the extension
		return err
	}
	i := o.installer(interpreter, target, needs)
	if err := o.put(ctx, i); err != nil {
		return fmt.Errorf("installing %s with %s: %w\nNothing was installed. The packages must be available as wheels; --no-vendor installs the extension without them",
			join(needs), i.name, err)
	}
	return nil
}

// installer is a program that chooses and installs packages.
type installer struct {
	name, path string
	// target is the directory of the packages.
	target string
	// choose are the arguments with which the program prints which packages it would install; input is its standard input. parse reads
	// what it prints.
	choose []string
	input  string
	parse  func(text []byte) ([]pin, error)
	// install are the arguments with which the program installs the packages of pinsFile.
	install []string
}

// installer returns how packages are installed into the target.
func (o Options) installer(interpreter, target string, needs []string) installer {
	exact := []string{"--target", target, "--require-hashes", "--no-deps", "--requirement", filepath.Join(target, pinsFile)}
	if uv, err := o.program("uv"); err == nil {
		common := []string{"--python", interpreter, "--only-binary", ":all:", "--no-config", "--quiet"}
		return installer{
			name: "uv", path: uv, target: target, parse: parseRequirements,
			choose:  slices.Concat([]string{"pip", "compile"}, common, []string{"--generate-hashes", "--no-header", "--no-annotate", "-"}),
			input:   strings.Join(needs, "\n") + "\n",
			install: slices.Concat([]string{"pip", "install"}, common, exact),
		}
	}
	common := []string{"-I", "-c", quietPip, "install", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--quiet"}
	return installer{
		name: "pip", path: interpreter, target: target, parse: parsePipReport,
		choose:  slices.Concat(common, []string{"--dry-run", "--ignore-installed", "--report", "-", "--"}, needs),
		install: slices.Concat(common, exact, []string{"--no-compile", "--no-warn-script-location"}),
	}
}

// put installs packages and writes the list of what was installed.
func (o Options) put(ctx context.Context, i installer) error {
	out, err := o.runPackages(ctx, i, i.choose, i.input)
	if err != nil {
		return err
	}
	pins, err := i.parse(out)
	if err != nil {
		return fmt.Errorf("checking which packages it would install: %w", err)
	}
	if err := files.Save(filepath.Join(i.target, pinsFile), requirements(pins), 0o644); err != nil {
		return err
	}
	_, err = o.runPackages(ctx, i, i.install, "")
	return err
}

// packageTail is how much of the program's error output an error keeps, in bytes.
const packageTail = 2048

// packageCaches returns the directories that uv and pip use instead of the user's caches and the temporary directory, which confined
// code can write to. A page of an index that was planted in a cache would name planted packages with their hashes.
func (o Options) packageCaches() ([]string, error) {
	if o.Private == "" {
		return []string{"PIP_NO_CACHE_DIR=1", "UV_NO_CACHE=1"}, nil
	}
	caches := filepath.Join(o.Private, "python")
	temporary := filepath.Join(caches, "tmp")
	if err := os.MkdirAll(temporary, 0o700); err != nil {
		return nil, err
	}
	return []string{"PIP_CACHE_DIR=" + filepath.Join(caches, "pip"), "UV_CACHE_DIR=" + filepath.Join(caches, "uv"), "TMPDIR=" + temporary}, nil
}

// runPackages runs uv or pip, which get no tokens of aura, and returns what the program prints.
func (o Options) runPackages(ctx context.Context, i installer, args []string, input string) ([]byte, error) {
	caches, err := o.packageCaches()
	if err != nil {
		return nil, err
	}
	own := append(caches, "PWD="+i.target)
	without := append(tokenNames(), "PIP_TARGET", "PIP_USER", "PIP_PREFIX", "PIP_REQUIRE_VIRTUALENV", "PIP_REPORT")
	for _, entry := range own {
		name, _, _ := strings.Cut(entry, "=")
		without = append(without, name)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, MaxFetch, fmt.Errorf("it takes more than the limit of %s", MaxFetch))
	defer cancel()
	out, errs := &capped{limit: maxResolution}, &tail{limit: packageTail}
	err = process.Run(ctx, process.Spec{
		Path: i.path, Args: append([]string{i.path}, args...), Dir: i.target, Stdin: strings.NewReader(input), Stdout: out, Stderr: errs,
		Env:    append(o.environ(without...), own...),
		Linger: helperLinger, Guard: true, Mark: helperMark,
	})
	switch {
	case err == nil && out.dropped:
		return nil, fmt.Errorf("it printed more than %d MiB", maxResolution>>20)
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	default:
		return nil, fmt.Errorf("%w\n%s", err, errs)
	}
}

// capped keeps the first bytes that are written to it.
type capped struct {
	bytes.Buffer
	limit   int
	dropped bool
}

func (c *capped) Write(b []byte) (int, error) {
	kept := b[:min(len(b), c.limit-c.Len())]
	c.dropped = c.dropped || len(kept) < len(b)
	_, _ = c.Buffer.Write(kept)
	return len(b), nil
}

// tail keeps the last bytes that are written to it.
type tail struct {
	text  []byte
	limit int
	cut   bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	if over := len(t.text) - t.limit; over > 0 {
		t.text, t.cut = append(t.text[:0], t.text[over:]...), true
	}
	return len(b), nil
}

func (t *tail) String() string {
	text := strings.TrimSpace(string(t.text))
	if t.cut {
		return "…" + text
	}
	return text
}
