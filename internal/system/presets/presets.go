// Package presets finds the hosts that the user's own tools fetch packages and code from. It holds no list of hosts: it asks the tools, and
// reads the settings of the user and of the machine. It reads nothing of a working directory, and runs no program that confined code
// could have written.
package presets

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/process"
)

// The limits of one question to a tool: its time, its output and the size of a file of settings, in bytes.
const (
	toolTime   = 5 * time.Second
	toolOutput = 1 << 20
	maxFile    = 1 << 20
)

// Options says where the user's tools and settings are.
type Options struct {
	// Environ is the environment in which the user started aura. Env files of a project must not be part of it.
	Environ []string
	// Home is the home directory of the user; empty if there is none.
	Home string
	// Etc is the directory of the machine's settings; empty means /etc.
	Etc string
	// Writable holds the directories that confined code can write. Programs in them are not run, and if the home directory is in one of
	// them, the settings in it are not used.
	Writable []string
}

// Host is a host of a preset.
type Host struct {
	Pattern network.Pattern `json:"host"`
	// Source is where the host comes from, in words.
	Source string `json:"source"`
}

// Preset is what was found for a preset.
type Preset struct {
	Name  string `json:"preset"`
	Hosts []Host `json:"hosts"`
	// Notes holds sentences about what is not known, and what to do about it.
	Notes []string `json:"notes"`
}

// finders holds what looks for the hosts of each preset.
var finders = map[string]func(*search){
	"go": (*search).golang, "npm": (*search).npm, "pypi": (*search).pypi, "crates": (*search).crates, "debian": (*search).debian,
	"maven": (*search).maven, "github": (*search).github, "gitlab": (*search).gitlab,
}

// Find looks for the hosts of presets, side by side. The result has the order of the names.
func Find(ctx context.Context, o Options, names ...string) []Preset {
	out := make([]Preset, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			s := &search{ctx: ctx, Options: o, out: Preset{Name: name, Hosts: []Host{}, Notes: []string{}}}
			if find := finders[name]; find != nil {
				s.find(find)
			}
			out[i] = s.out
		})
	}
	all.Wait()
	return out
}

// Hosts returns the hosts by preset, as network.Rules.Expand takes them.
func Hosts(found []Preset) map[string][]network.Pattern {
	out := map[string][]network.Pattern{}
	for _, p := range found {
		for _, h := range p.Hosts {
			out[p.Name] = append(out[p.Name], h.Pattern)
		}
	}
	return out
}

// search looks for the hosts of one preset.
type search struct {
	Options

	ctx context.Context //nolint:containedctx // a search is one call of Find
	out Preset
}

func (s *search) find(look func(*search)) {
	if s.Home != "" && s.confinedCanWrite(s.Home) {
		s.addNote("tools can write your home directory %s, so its settings are not used; write the hosts into sandbox.network.allow", s.Home)
		return
	}
	look(s)
	if len(s.out.Hosts) == 0 && len(s.out.Notes) == 0 {
		s.addNote("no host was found; write the hosts into sandbox.network.allow")
	}
}

func (s *search) addNote(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.out.Notes, text) {
		s.out.Notes = append(s.out.Notes, text)
	}
}

// add adds a pattern, in the words of network.Parse.
func (s *search) add(text, source string) {
	p, err := network.Parse(text)
	if err != nil {
		s.addNote("%s: %v", source, err)
		return
	}
	for _, h := range s.out.Hosts {
		if h.Pattern == p {
			return
		}
	}
	s.out.Hosts = append(s.out.Hosts, Host{Pattern: p, Source: source})
}

// ports holds the ports of the schemes by which packages and code are fetched.
var ports = map[string]string{"https": "443", "http": "80", "ssh": "22", "git": "9418"}

// addURL adds the host of a URL. A URL that names no other machine adds nothing.
func (s *search) addURL(text, source string) {
	for _, prefix := range []string{"sparse+", "registry+", "git+"} {
		text = strings.TrimPrefix(text, prefix)
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Hostname() == "" || u.Scheme == "file" {
		return
	}
	port := cmp.Or(u.Port(), ports[u.Scheme])
	if port == "" {
		return
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	s.add(host+":"+port, source)
}

// variable returns a variable of the environment.
func (s *search) variable(name string) string {
	for _, entry := range slices.Backward(s.Environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// confinedCanWrite reports whether a path is in a directory that confined code can write.
func (s *search) confinedCanWrite(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	return slices.ContainsFunc(s.Writable, func(dir string) bool {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			dir = resolved
		}
		below, err := filepath.Rel(dir, real)
		return err == nil && filepath.IsLocal(below)
	})
}

// program returns the path of a tool: the first one of PATH that confined code cannot write.
func (s *search) program(name string) string {
	for _, dir := range filepath.SplitList(s.variable("PATH")) {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err == nil && filepath.IsAbs(dir) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && !s.confinedCanWrite(path) {
			return path
		}
	}
	return ""
}

// safePath returns PATH without the directories that confined code can write. A tool can be a script that starts others.
func (s *search) safePath() string {
	dirs := slices.DeleteFunc(filepath.SplitList(s.variable("PATH")), func(dir string) bool {
		return !filepath.IsAbs(dir) || s.confinedCanWrite(dir)
	})
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// ask runs a tool in the root directory, with no input, and returns its output. It notes a tool that is missing or fails.
func (s *search) ask(env []string, name string, args ...string) (string, bool) {
	path := s.program(name)
	if path == "" {
		s.addNote("%s is not installed", name)
		return "", false
	}
	ctx, cancel := context.WithTimeoutCause(s.ctx, toolTime, fmt.Errorf("no answer within %s", toolTime))
	defer cancel()
	out := &process.Tail{Max: toolOutput}
	root := filepath.VolumeName(path) + string(filepath.Separator)
	err := process.Run(ctx, process.Spec{
		Path: path, Args: append([]string{name}, args...), Dir: root, Env: slices.Concat(s.Environ, []string{"PWD=" + root, "PATH=" + s.safePath()}, env), Stdout: out, Guard: true,
	})
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		s.addNote("%s %s: %v; write the hosts into sandbox.network.allow", name, strings.Join(args, " "), err)
		return "", false
	}
	return out.String(), true
}

// read returns a file of settings; nil if there is none. It notes a file that cannot be read.
func (s *search) read(path string) []byte {
	if path == "" || !filepath.IsAbs(path) || s.confinedCanWrite(path) {
		return nil
	}
	data, err := files.Read(path, maxFile)
	if err != nil && !os.IsNotExist(err) {
		s.addNote("%v", err)
	}
	return data
}

func (s *search) etc() string { return cmp.Or(s.Etc, "/etc") }

// inHome returns a path below the home directory; empty if there is none.
func (s *search) inHome(parts ...string) string {
	if s.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{s.Home}, parts...)...)
}
