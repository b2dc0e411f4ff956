package install

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/native/gocmd"
	"github.com/idelchi/aura/sdk/version"
)

const sdkPath = "github.com/idelchi/aura/sdk"

// vendoring copies the source of imported packages into the vendor directories of plugins.
type vendoring struct {
	options Options
	// tree is the directory that a replace directive in a go.mod must not lead out of.
	tree string
	// sdk is the directory from which the Go command reads the SDK's source. modules is where it keeps what it downloads.
	sdk, modules string
}

// newVendoring writes the SDK's source to a directory of its own. close removes it.
func newVendoring(o Options, tree string) (v vendoring, remove func() error, err error) {
	if o.Private != "" {
		if err := os.MkdirAll(o.Private, 0o700); err != nil {
			return vendoring{}, nil, fmt.Errorf("preparing the download of modules: %w", err)
		}
	}
	private, err := os.MkdirTemp(o.Private, "aura-vendor-")
	if err != nil {
		return vendoring{}, nil, fmt.Errorf("preparing the download of modules: %w", err)
	}
	remove = func() error { return removeAll(private) }
	v = vendoring{options: o, tree: tree, sdk: filepath.Join(private, "sdk"), modules: filepath.Join(private, "go")}
	if o.Private != "" {
		v.modules = filepath.Join(o.Private, "go") // later runs need not download the same again
	}
	if err := errors.Join(v.writeSDK(), os.MkdirAll(filepath.Join(v.modules, "tmp"), 0o700)); err != nil {
		return vendoring{}, nil, errors.Join(err, remove())
	}
	return v, remove, nil
}

func (v vendoring) writeSDK() error {
	for name, text := range sdkSource {
		file := filepath.Join(v.sdk, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("writing the SDK's source: %w", err)
		}
		if err := files.Save(file, []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing the SDK's source: %w", err)
		}
	}
	return nil
}

// plugin runs `go mod tidy` and `go mod vendor` for the plugin in dir. The Go command gets aura's own SDK, so that the SDK
// need not be downloaded and fits this aura. Afterwards go.mod does not mention this SDK directory. A plugin without a go.mod
// has nothing to vendor.
func (v vendoring) plugin(ctx context.Context, dir string) error {
	file := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	path, err := v.options.program("go")
	if err != nil {
		return errors.New("vendoring needs the Go toolchain, and there is no go in PATH; install Go (https://go.dev/dl), or use --no-vendor if the plugin brings its vendor directory or imports nothing but the SDK and the standard library")
	}
	if err := editModule(file, func(f *modfile.File) error { return v.provide(dir, f) }); err != nil {
		return err
	}
	for _, args := range [][]string{{"mod", "tidy"}, {"mod", "vendor"}} {
		if err := v.run(ctx, dir, path, args); err != nil {
			return err
		}
	}
	if err := editModule(file, withdraw); err != nil {
		return err
	}
	return cleanModules(filepath.Join(dir, vendorDir, "modules.txt"))
}

// editModule changes a go.mod.
func editModule(file string, edit func(*modfile.File) error) error {
	text, err := files.Read(file, files.MaxText)
	if err != nil {
		return fmt.Errorf("reading the module: %w", err)
	}
	f, err := modfile.Parse("go.mod", bytes.TrimPrefix(text, []byte("\ufeff")), nil)
	if list, ok := errors.AsType[modfile.ErrorList](err); ok && len(list) > 0 {
		err = &list[0]
	}
	if err != nil {
		return fmt.Errorf("reading the module: %w", err)
	}
	if err := edit(f); err != nil {
		return err
	}
	f.Cleanup()
	if text, err = f.Format(); err != nil {
		return fmt.Errorf("writing the module: %w", err)
	}
	if err := files.Save(file, text, 0o644); err != nil {
		return fmt.Errorf("writing the module: %w", err)
	}
	return nil
}

// provide makes the module require aura's own SDK.
func (v vendoring) provide(dir string, f *modfile.File) error {
	for _, r := range f.Require {
		if r.Mod.Path == sdkPath {
			if err := checkRequired(r.Mod.Version); err != nil {
				return err
			}
		}
	}
	for _, r := range slices.Clone(f.Replace) {
		if r.Old.Path == sdkPath {
			if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return fmt.Errorf("providing the SDK: %w", err)
			}
			continue
		}
		if r.New.Version == "" && !v.inside(dir, r.New.Path) {
			return fmt.Errorf("go.mod:%d: the replacement of %s leads out of the source, to %s", r.Syntax.Start.Line, r.Old.Path, r.New.Path)
		}
	}
	err := errors.Join(f.AddRequire(sdkPath, "v"+version.Version), f.AddReplace(sdkPath, "", v.sdk, ""))
	if err != nil {
		return fmt.Errorf("providing the SDK: %w", err)
	}
	return nil
}

// inside reports whether a replacement in the go.mod of dir is a directory of the source itself. No directory of a source is a
// link, so comparing paths is enough.
func (v vendoring) inside(dir, target string) bool {
	native := filepath.FromSlash(target)
	return !filepath.IsAbs(native) && !strings.HasPrefix(target, "/") && files.Within(v.tree, filepath.Join(dir, native))
}

// noVersion is the version that a go.mod requires if its author chose no version.
const noVersion = "v0.0.0"

// checkRequired returns an error if this aura does not support the SDK version that a module requires.
func checkRequired(v string) error {
	if module.IsPseudoVersion(v) {
		base, err := module.PseudoVersionBase(v)
		if err != nil {
			return fmt.Errorf("reading the version of the SDK that go.mod requires: %w", err)
		}
		v = cmp.Or(base, noVersion)
	}
	if v == noVersion {
		return nil
	}
	return manifest.CompatibleSDK(strings.TrimPrefix(v, "v"), version.Version)
}

func withdraw(f *modfile.File) error {
	if err := f.DropReplace(sdkPath, ""); err != nil {
		return fmt.Errorf("withdrawing the SDK: %w", err)
	}
	return nil
}

// cleanModules removes the path of the SDK's source from a modules.txt, so that it is consistent with go.mod again.
func cleanModules(file string) error {
	text, err := files.Read(file, files.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading what was vendored: %w", err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "# "+sdkPath+" => "):
			continue
		case strings.HasPrefix(line, "# "+sdkPath+" v"):
			line, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " => ")
			line += "\n"
		}
		out.WriteString(line)
	}
	if err := files.Save(file, []byte(out.String()), 0o644); err != nil {
		return fmt.Errorf("writing what was vendored: %w", err)
	}
	return nil
}

// goTail is how much of the Go command's output an error keeps, in bytes.
const goTail = 2048

// run runs the Go command. It downloads modules and runs git for that, so it uses nothing that confined code can have written: neither
// the user's module cache, in which a planted repository would run programs, nor a build cache, nor a workspace, nor another toolchain. It
// does not get aura's tokens.
func (v vendoring) run(ctx context.Context, dir, path string, args []string) error {
	run := v.options.Go
	if run == nil {
		run = gocmd.Unconfined
	}
	ctx, cancel := context.WithTimeoutCause(ctx, MaxFetch, fmt.Errorf("vendoring takes more than the limit of %s", MaxFetch))
	defer cancel()
	out, err := run(ctx, gocmd.Command{
		Program: path, Root: filepath.Dir(filepath.Dir(resolved(path))), Args: args, Env: v.environ(dir), Dir: dir,
		Writable: []string{v.tree, v.modules, v.sdk}, Readable: v.options.goSettings(), Network: true,
	})
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	text := strings.TrimSpace(out)
	if len(text) > goTail {
		text = "…" + text[len(text)-goTail:]
	}
	return fmt.Errorf("vendoring: go %s: %w\n%s\nAll imports of the plugin must be available; --no-vendor leaves its vendor directory as it is", strings.Join(args, " "), err, text)
}

// environ returns the environment of the Go command. The user's settings of proxies and checksums apply; the directories are aura's, and
// only git is used to download modules that no proxy has.
func (v vendoring) environ(dir string) []string {
	own := []string{
		"GOFLAGS=-mod=mod", "GOWORK=off", "GO111MODULE=on", "GOTOOLCHAIN=local", "GOVCS=*:git", "GOPATH=" + v.modules,
		"GOMODCACHE=" + filepath.Join(v.modules, "mod"), "GOCACHE=" + filepath.Join(v.modules, "cache"), "GOTMPDIR=" + filepath.Join(v.modules, "tmp"),
		"TMPDIR=" + filepath.Join(v.modules, "tmp"), "PWD=" + dir, "GIT_TERMINAL_PROMPT=0", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(v.modules),
	}
	without := tokenNames()
	for _, entry := range own {
		name, _, _ := strings.Cut(entry, "=")
		without = append(without, name)
	}
	inherited := slices.DeleteFunc(v.options.environ(without...), func(entry string) bool { return strings.HasPrefix(entry, "GIT_") })
	return append(inherited, own...)
}

// goSettings returns the user's settings that the Go command and its git read.
func (o Options) goSettings() []string {
	if o.UserHome == "" {
		return nil
	}
	config := cmp.Or(o.variable("XDG_CONFIG_HOME"), filepath.Join(o.UserHome, ".config"))
	return []string{
		cmp.Or(o.variable("GOENV"), filepath.Join(config, "go", "env")), filepath.Join(o.UserHome, ".netrc"), filepath.Join(o.UserHome, ".gitconfig"),
		filepath.Join(config, "git", "config"),
	}
}

// checkSDK returns an error if this aura cannot run a plugin with its vendored SDK. A plugin without a vendored SDK is not
// checked.
func checkSDK(dir string) error {
	v, vendored, err := manifest.VendoredSDK(dir)
	if err != nil || !vendored {
		return err
	}
	return manifest.CompatibleSDK(v, version.Version)
}
