package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/system/process"
)

// programs checks aura itself and the programs that it starts for plugins and tools.
func (p patient) programs(ctx context.Context) []Check {
	own := build.Read()
	self, err := os.Executable()
	if err != nil {
		self = err.Error()
	}
	detail := own.String()
	if revision := own.Revision(); revision != "" {
		detail += ", commit " + revision
	}
	return []Check{{Area: "programs", Name: "aura", Status: OK, Detail: detail + ", " + self}, p.host(ctx, own), p.toolHost(ctx, own)}
}

// host checks that aura-plugin-host can be found and was built from the same version.
func (p patient) host(ctx context.Context, own build.Info) Check {
	c := Check{Area: "programs", Name: "aura-plugin-host", Status: Error}
	path, err := setup.HostProgram(p.listing.Config)
	if err != nil {
		c.Detail, c.Remedy = err.Error(), "install aura-plugin-host beside aura; without it no plugin runs"
		return c
	}
	return p.sameRelease(ctx, own, c, path)
}

// toolHost checks that aura-tool-host was built from the same version. Without the program, aura takes its place.
func (p patient) toolHost(ctx context.Context, own build.Info) Check {
	c := Check{Area: "programs", Name: toolhost.Name, Status: Error}
	program, err := toolhost.Program()
	if err != nil {
		c.Detail, c.Remedy = err.Error(), "install "+toolhost.Name+" beside aura; without it no tool runs"
		return c
	}
	if !program.Separate() {
		c.Status, c.Detail = Warning, "it is not beside aura, which runs tools and shell commands itself"
		c.Remedy = "install " + toolhost.Name + " beside aura; tool calls and shell commands start faster with it"
		return c
	}
	return p.sameRelease(ctx, own, c, program.Path)
}

// sameRelease completes the check of a program, whose version must be that of aura.
func (p patient) sameRelease(ctx context.Context, own build.Info, c Check, path string) Check {
	text, err := versionOf(ctx, p.Timeout, path, "--version")
	if err != nil {
		c.Detail, c.Remedy = fmt.Sprintf("%s does not run: %v", path, err), fmt.Sprintf("install %s of the same release as aura beside it", c.Name)
		return c
	}
	if theirs, _ := strings.CutPrefix(text, c.Name+" version "); theirs != own.String() {
		c.Detail = fmt.Sprintf("%s is version %s, and aura is version %s", path, theirs, own)
		c.Remedy = "install both programs from the same release"
		return c
	}
	c.Status, c.Detail = OK, own.String()+", "+path
	return c
}

// helper is an optional program that aura or the model uses.
type helper struct {
	name string
	args []string
	// without explains what does not work without the program.
	without string
}

var helpers = []helper{
	{"git", []string{"--version"}, "aura does not require git; without it, 'aura plugins add' asks no credential helper, and the model cannot use git"},
	{"go", []string{"version"}, "aura does not require Go; without it, 'aura plugins add' and 'update' cannot vendor imports (--no-vendor skips that)"},
}

// helpers looks for the programs in PATH as aura does: never where tools can write.
func (p patient) helpers(ctx context.Context) []Check {
	var out []Check
	path, _ := config.Lookup(p.listing.Inherited, "PATH")
	for _, h := range helpers {
		c := Check{Area: "tools", Name: h.name, Status: Warning, Remedy: h.without}
		found, err := install.LookPath(h.name, path, setup.Writable(p.listing.Config)...)
		if err != nil {
			c.Detail = "not found in PATH"
			out = append(out, c)
			continue
		}
		text, err := versionOf(ctx, p.Timeout, found, h.args...)
		if err != nil {
			c.Detail = fmt.Sprintf("%s does not run: %v", found, err)
			out = append(out, c)
			continue
		}
		out = append(out, Check{Area: "tools", Name: h.name, Status: OK, Detail: text + ", " + found})
	}
	return append(out, p.python())
}

// python checks which interpreter runs extensions.
func (p patient) python() Check {
	c := Check{Area: "tools", Name: "python3", Status: Warning}
	i, err := setup.Python(p.listing.Config)
	if err != nil {
		c.Detail, c.Remedy = err.Error(), "aura does not require Python; without it, Python extensions are not loaded, and the model cannot run Python programs"
		return c
	}
	c.Status, c.Detail = OK, "Python "+i.Version.String()+", "+i.Program
	return c
}

// mark is the environment variable by which descendants of the programs are found.
const mark = "AURA_DOCTOR"

// longestVersion limits how much of a program's output is kept, in bytes.
const longestVersion = 200

// versionOf returns the first line that a program prints. The program runs in its own directory, where a project cannot place
// files for it to read, and with few environment variables.
func versionOf(ctx context.Context, limit time.Duration, path string, args ...string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var out bytes.Buffer
	err := process.Run(limited, process.Spec{
		Path: path, Args: append([]string{path}, args...), Dir: filepath.Dir(path), Stdout: &out, Mark: mark, Guard: true, Linger: time.Second,
		Env: []string{"PATH=" + strings.Join([]string{filepath.Dir(path), "/usr/local/bin", "/usr/bin", "/bin"}, string(filepath.ListSeparator)), "GOTOOLCHAIN=local", "GOWORK=off", "LC_ALL=C"},
	})
	if ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		return "", fmt.Errorf("no answer within %s", limit)
	}
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	return line[:min(len(line), longestVersion)], nil
}
