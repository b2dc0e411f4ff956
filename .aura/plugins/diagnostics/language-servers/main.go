// Package language_servers adds the diagnostics of language servers to the results of edits, so that the model learns of a type error in its
// next request.
//
// A server is a child process of the plugin, started with the first edit of a file in its language. It may crash, hang or talk nonsense: the
// edit then goes on without diagnostics, and the server is started again a bounded number of times.
package language_servers

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"unicode"

	"github.com/idelchi/aura/sdk"
)

// maxFiles is how many files of one call are looked at, maxMessage how many bytes of a message are shown.
const (
	maxFiles   = 10
	maxMessage = 500
)

// servers holds a server for each language and directory. It is guarded by mu.
var (
	mu      sync.Mutex
	servers = map[string]*server{}
)

// AfterToolExecution adds the diagnostics of the files that the call wrote.
func AfterToolExecution(ctx context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	if c.ToolError != "" || len(c.Written) == 0 {
		return sdk.Result{}, nil
	}
	s, err := readSettings(c.PluginConfig)
	if err != nil {
		return sdk.Result{}, err
	}
	var lines, notices []string
	for _, group := range byServer(s, c.Workdir, c.Written) {
		found, notice := group.server.diagnose(ctx, s, group.files)
		lines = append(lines, listed(s, c.Workdir, found)...)
		if notice != "" {
			notices = append(notices, notice)
		}
	}
	result := sdk.Result{Notice: strings.Join(notices, "\n")}
	if len(lines) > 0 {
		text := strings.TrimRight(c.ToolResult, "\n") + "\n\nDiagnostics:\n" + strings.Join(bounded(lines, s.max), "\n")
		result.Output = &text
	}
	return result, nil
}

// SessionEnd ends the servers, so that they can save their caches. One that is busy is killed.
func SessionEnd(ctx context.Context, _ sdk.SessionEndContext) (sdk.Result, error) {
	mu.Lock()
	defer mu.Unlock()
	var wait sync.WaitGroup
	for _, s := range servers {
		wait.Add(1)
		go func(s *server) {
			defer wait.Done()
			s.close(ctx)
		}(s)
	}
	wait.Wait()
	servers = map[string]*server{}
	return sdk.Result{}, nil
}

// group is a server and the files that it is asked about.
type group struct {
	server *server
	files  []string
}

// byServer returns the servers for files, in the order of the files. Files in other languages are left out.
func byServer(s settings, workdir string, files []string) []*group {
	var groups []*group
	for i, file := range files {
		if i == maxFiles {
			break
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(workdir, file)
		}
		language, ok := s.languageOf(file)
		if !ok {
			continue
		}
		srv := serverFor(language, rootOf(file, workdir, language.roots))
		at := -1
		for j, g := range groups {
			if g.server == srv {
				at = j
			}
		}
		if at < 0 {
			groups, at = append(groups, &group{server: srv}), len(groups)
		}
		groups[at].files = append(groups[at].files, file)
	}
	return groups
}

// serverFor returns the server of a language in a directory.
func serverFor(l language, root string) *server {
	mu.Lock()
	defer mu.Unlock()
	key := l.name + "\x00" + root
	if servers[key] == nil {
		servers[key] = &server{language: l, root: root, turn: make(chan struct{}, 1), told: map[string]bool{}}
	}
	return servers[key]
}

// listed returns a line for each diagnostic that is severe enough, the most severe first.
func listed(s settings, workdir string, found []diagnostic) []string {
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i], found[j]
		if a.Severity != b.Severity {
			return a.Severity < b.Severity
		}
		if a.path != b.path {
			return a.path < b.path
		}
		return a.Range.Start.Line < b.Range.Start.Line
	})
	var lines []string
	for _, d := range found {
		if d.Severity <= s.severity {
			lines = append(lines, d.line(workdir))
		}
	}
	return lines
}

// bounded returns at most the given number of lines, and a line that says how many there are beyond.
func bounded(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	more := len(lines) - most
	return append(lines[:most:most], fmt.Sprintf("and %d more", more))
}

// line returns the diagnostic as compilers print it.
func (d diagnostic) line(workdir string) string {
	name := d.path
	if rel, err := filepath.Rel(workdir, d.path); err == nil && !strings.HasPrefix(rel, "..") {
		name = rel
	}
	message := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, d.Message)
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	origin := strings.TrimSpace(d.Source + " " + d.code())
	if origin != "" {
		origin = " (" + origin + ")"
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s%s", filepath.ToSlash(name), d.Range.Start.Line+1, d.Range.Start.Character+1, severities[d.Severity-1], message, origin)
}
