package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// programs are the programs of aura, which belong together.
var programs = []string{"aura", "aura-plugin-host", "aura-tool-host"}

// build is what was compiled, and what the compiled program says about itself.
type build struct {
	platforms []platform
	// bin has a directory for each platform.
	bin     string
	version built
	// man and completions are files, by the names that they have in archives.
	man, completions []file
	// licenses is the text of all licenses of what is linked. modules is what is linked.
	licenses []byte
	modules  []module
}

// program returns the path of a compiled program.
func (b build) program(p platform, name string) string {
	return filepath.Join(b.bin, p.String(), p.exe(name))
}

// compile builds the programs for all platforms, and for this machine, which generates manual pages and completions with them.
func compile(ctx context.Context, src source, platforms []platform, scratch string, progress io.Writer) (build, error) {
	b := build{platforms: platforms, bin: filepath.Join(scratch, "bin")}
	here := platform{runtime.GOOS, runtime.GOARCH}
	targets := platforms
	if !slices.Contains(targets, here) {
		targets = append(slices.Clone(targets), here)
	}
	for i, p := range targets {
		fmt.Fprintf(progress, "building for %s (%d of %d)\n", p, i+1, len(targets))
		if err := goBuild(ctx, src, p, filepath.Join(b.bin, p.String())); err != nil {
			return b, err
		}
	}
	aura := b.program(here, "aura")
	text, err := command(ctx, src.root, nil, aura, "version", "--json")
	if err != nil {
		return b, err
	}
	if err := json.Unmarshal(text, &b.version); err != nil {
		return b, fmt.Errorf("reading what aura version --json prints: %w", err)
	}
	if b.completions, err = completions(ctx, aura); err != nil {
		return b, err
	}
	if b.man, err = manual(ctx, src, filepath.Join(scratch, "man")); err != nil {
		return b, err
	}
	if b.modules, err = linked(b); err != nil {
		return b, err
	}
	b.licenses, err = describe(ctx, src.root, b.modules)
	return b, err
}

// goBuild compiles for a platform. Whatever the user's settings could change in the result is set.
func goBuild(ctx context.Context, src source, p platform, dir string) error {
	const stamps = "github.com/idelchi/aura/internal/base/build"
	flags := fmt.Sprintf("-s -w -X %s.commit=%s -X %s.date=%s", stamps, src.commit, stamps, src.stamp())
	_, err := command(ctx, src.root, goEnv(p), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", dir+string(filepath.Separator), "./cmd/...")
	return err
}

func goEnv(p platform) []string {
	return []string{
		"GOOS=" + p.os, "GOARCH=" + p.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0",
		"GOWORK=off", "GOTOOLCHAIN=local", "GOFLAGS=-mod=readonly", "GODEBUG=",
	}
}

// completions asks aura for the completions of each shell.
func completions(ctx context.Context, aura string) ([]file, error) {
	var out []file
	for _, shell := range []struct{ name, file string }{
		{"bash", "aura.bash"}, {"fish", "aura.fish"}, {"powershell", "aura.ps1"}, {"zsh", "_aura"},
	} {
		text, err := command(ctx, "", nil, aura, "completion", shell.name)
		if err != nil {
			return nil, err
		}
		out = append(out, file{name: "completions/" + shell.file, mode: 0o644, data: text})
	}
	return out, nil
}

// manual generates the manual pages.
func manual(ctx context.Context, src source, dir string) ([]file, error) {
	here := platform{runtime.GOOS, runtime.GOARCH}
	if _, err := command(ctx, src.root, goEnv(here), "go", "run", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "./internal/cli/gen", "-man", dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the manual pages: %w", err)
	}
	var out []file
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading the manual pages: %w", err)
		}
		out = append(out, file{name: "man/man1/" + e.Name(), mode: 0o644, data: text})
	}
	return out, nil
}

// command runs a program and returns its standard output. The variables win over those of this process.
func command(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}
