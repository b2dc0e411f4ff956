// Package native compiles plugins to programs that aura-plugin-host runs as guests. It reads and checks the source, writes a module of which
// every file is known, and builds it with the Go toolchain of the machine, offline. Programs are kept under a hash of everything that went
// into them.
//
// The packages below it are part of every program, beside the plugin's own package and the SDK.
package native

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/lock"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/internal/runtime/native/gocmd"
)

// BuildTime is how long a build may take. The first one compiles the standard library.
const BuildTime = 5 * time.Minute

// KeptPrograms is how many programs are kept; those that were used last stay.
const KeptPrograms = 64

// maxOutput is how much of the output of a failed build is kept, in bytes.
const maxOutput = 4 << 10

// Builder builds programs. It is a value; several processes may use the same directory.
type Builder struct {
	// Dir is the directory of the programs, in aura's own state.
	Dir       string
	Toolchain Toolchain
	// SDK is the source of the SDK's module.
	SDK map[string]string
	// Version is that of aura.
	Version string
	// Run runs the go command, confined if this system can. It returns what the command printed. An error that is a *gocmd.FailedError means that
	// the command ran and failed.
	Run Runner
	// Confined reports whether Run confines the command. A process that Program.Ahead starts must do the same.
	Confined bool
}

// Runner runs the go command; see Builder.Run.
type Runner = func(ctx context.Context, c gocmd.Command) (output string, err error)

// Program is the program of one source.
type Program struct {
	builder Builder
	// pkg is the import path of the plugin's package, which is also the name of the program.
	pkg  string
	tree map[string][]byte
	// originals holds the path of the plugin's own file for each copy of one in the tree.
	originals map[string]string
	key       string
}

// Program returns the program of a source. It need not exist yet.
func (b Builder) Program(s *Source) (Program, error) {
	tree, err := s.tree(b.SDK, b.Toolchain)
	if err != nil {
		return Program{}, fmt.Errorf("writing the program of the plugin: %w", err)
	}
	h := sha256.New()
	enc := json.NewEncoder(h)
	err = enc.Encode([]any{"v1", b.Version, b.Toolchain.Version, b.Toolchain.Root, runtime.GOOS, runtime.GOARCH, s.hash()})
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		err = errors.Join(err, enc.Encode([]any{name, tree[name]}))
	}
	return Program{builder: b, pkg: s.Package, tree: tree, originals: s.originals(), key: hex.EncodeToString(h.Sum(nil)[:keySize])}, err
}

// keySize is the number of bytes of a key.
const keySize = 16

// Key identifies the program: it changes with everything that goes into it.
func (p Program) Key() string { return p.key }

func (p Program) dir() string { return filepath.Join(p.builder.Dir, p.key) }

// Path returns the path of the program, whether it exists or not.
func (p Program) Path() string { return filepath.Join(p.dir(), p.pkg) }

func (p Program) failure() string { return filepath.Join(p.builder.Dir, p.key+".failed") }

// Ready reports whether the program exists.
func (p Program) Ready() bool {
	info, err := os.Lstat(p.Path())
	return err == nil && info.Mode().IsRegular()
}

// Failed returns why the build failed, if it did. It fails again each time.
func (p Program) Failed() error {
	text, err := files.ReadNoFollow(p.failure(), files.MaxText)
	if err != nil {
		return nil //nolint:nilerr // there was no such build
	}
	return &gocmd.FailedError{Reason: string(text)}
}

// Build builds the program, unless it exists. It waits for other builds of this user. waiting is called if there is one.
func (p Program) Build(ctx context.Context, waiting func()) (err error) {
	if p.Ready() {
		// Programs that were not used for a long time are removed.
		now := time.Now()
		_ = os.Chtimes(p.dir(), now, now)
		return nil
	}
	if err := p.Failed(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.builder.Dir, 0o700); err != nil {
		return fmt.Errorf("compiling the plugin: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, BuildTime)
	defer cancel()
	held, err := lock.Wait(ctx, filepath.Join(p.builder.Dir, "lock"), waiting)
	if err != nil {
		return fmt.Errorf("compiling the plugin: waiting for another build: %w", err)
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if p.Ready() {
		return nil
	}
	p.builder.tidy()
	work, err := os.MkdirTemp(p.builder.Dir, workPrefix)
	if err != nil {
		return fmt.Errorf("compiling the plugin: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	return p.buildIn(ctx, work)
}

// workPrefix is the beginning of the names of directories in which programs are built.
const workPrefix = "work-"

func (p Program) buildIn(ctx context.Context, work string) error {
	for name, text := range p.tree {
		at := filepath.Join(work, "src", filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, text, 0o600)); err != nil {
			return fmt.Errorf("compiling the plugin: %w", err)
		}
	}
	out, temp, cache := filepath.Join(work, "out"), filepath.Join(work, "tmp"), filepath.Join(p.builder.Dir, "gocache")
	for _, dir := range []string{out, temp, cache} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("compiling the plugin: %w", err)
		}
	}
	// The sandbox follows no links. The directory belongs to aura, so a link in it is the user's.
	if end, err := filepath.EvalSymlinks(cache); err == nil {
		cache = end
	}
	args := []string{"build", "-mod=vendor", "-trimpath", "-buildvcs=false", "-tags=" + strings.Join(pluginsource.Tags(), ","), "-ldflags=-s -w"}
	if p.tree[overlayList] != nil {
		args = append(args, "-overlay="+overlayList)
	}
	text, err := p.builder.Run(ctx, gocmd.Command{
		Program: p.builder.Toolchain.Go, Root: p.builder.Toolchain.Root, Dir: filepath.Join(work, "src"), Writable: []string{work, cache},
		Args: append(args, "-o", filepath.Join(out, p.pkg), "./"+mainDir),
		Env:  environ(p.builder.Toolchain, work, temp, cache),
	})
	if ctx.Err() != nil {
		return fmt.Errorf("compiling the plugin: %w", ctx.Err())
	}
	if failed, ok := errors.AsType[*gocmd.FailedError](err); ok {
		reason := limit.Cut(p.explain(text, failed.Reason), maxOutput, "the output of go build")
		return errors.Join(&gocmd.FailedError{Reason: reason}, files.Replace(p.failure(), []byte(reason), 0o600))
	}
	if err != nil {
		return fmt.Errorf("compiling the plugin: %w", err)
	}
	// What has the final name is trusted at every later start, also after a power failure.
	err = syncTree(out)
	if err == nil {
		err = os.Rename(out, p.dir())
	}
	if err == nil {
		err = files.SyncDir(filepath.Dir(p.dir()))
	}
	if err != nil {
		return fmt.Errorf("compiling the plugin: %w", err)
	}
	return nil
}

// syncTree is replaced by a test, because nobody can see from outside whether data is durable.
var syncTree = files.SyncTree

// environ returns the environment of the go command. It has nothing of the user's: neither flags nor a program that would run in place of
// the compiler can come from there.
func environ(t Toolchain, work, temp, cache string) []string {
	return []string{
		"CGO_ENABLED=0", "GO111MODULE=on", "GOARCH=" + runtime.GOARCH, "GOCACHE=" + cache, "GOENV=off", "GOFLAGS=", "GOOS=" + runtime.GOOS,
		"GOPATH=" + filepath.Join(work, "gopath"), "GOPROXY=off", "GOROOT=" + t.Root, "GOSUMDB=off", "GOTELEMETRY=off", "GOTMPDIR=" + temp,
		"GOTOOLCHAIN=local", "GOVCS=*:off", "GOWORK=off", "HOME=" + work, "PATH=", "TMPDIR=" + temp,
	}
}

// explain turns the output of the go command into a message that names the plugin's own files.
func (p Program) explain(output, status string) string {
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		lines = append(lines, p.translate(line))
	}
	if len(lines) == 0 {
		return "go build failed: " + status
	}
	return "go build failed:\n" + strings.Join(lines, "\n")
}

// translate replaces the path of a copied file at the beginning of a line by that of the original. Lines that continue an error are indented.
func (p Program) translate(line string) string {
	text := strings.TrimLeft(line, " \t")
	name, rest, found := strings.Cut(text, ":")
	if original, ok := p.originals[filepath.ToSlash(name)]; ok && found {
		return line[:len(line)-len(text)] + original + ":" + rest
	}
	return line
}

// tidy removes what a killed build left, and the programs that were not used for the longest time. The caller holds the lock, so no other
// build runs.
func (b Builder) tidy() {
	entries, err := os.ReadDir(b.Dir)
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil, e.Name() == "gocache", e.Name() == "lock", e.Name() == queueDir, e.Name() == drainLock:
		case strings.HasPrefix(e.Name(), workPrefix):
			_ = os.RemoveAll(filepath.Join(b.Dir, e.Name()))
		default:
			kept = append(kept, info)
		}
	}
	sort.Slice(kept, func(i, j int) bool { return kept[i].ModTime().After(kept[j].ModTime()) })
	for i := KeptPrograms; i < len(kept); i++ {
		_ = os.RemoveAll(filepath.Join(b.Dir, kept[i].Name()))
	}
}
