package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/ui/terminal"
)

const (
	// statusTime is how long the user's status command may take, and how often it runs at most.
	statusTime = time.Second
	// statusBytes is how much of its output is read.
	statusBytes = 4 << 10
)

// status is what the live area shows of the session's state: the todos, and the last row.
type status struct {
	// command is the user's command for the row; empty for aura's own.
	command string
	now     frontend.Status
	branch  string
	// todos are the todos of the session.
	todos []todo.Item
	// plugins says whether the plugins are ready, or which are not.
	plugins string
	ready   bool
	// reading is set while the status is read; stale is set if it changed meanwhile. readers counts the readers.
	reading, stale bool
	readers        sync.WaitGroup
	// text is the last output of the command. running is set while it runs; again is set if it must run once more.
	text           string
	running, again bool
}

// after refreshes the status after events that change it.
func (s *status) after(u *UI, e event.Event) {
	switch e.(type) {
	case event.Message, event.Request, event.ToolResult, event.AgentSwitch, event.Compaction, event.Done, event.PluginError, event.PluginState, event.Command, event.Notice:
		s.refresh(u)
	}
}

// refresh reads the status again. It does not wait for the session, which may be busy.
func (s *status) refresh(u *UI) {
	if s.reading {
		s.stale = true
		return
	}
	s.reading = true
	session := u.session
	s.readers.Go(func() {
		head := branch(u.o.Workdir)
		if session == nil {
			u.do(func() { s.branch = head; s.read(u) })
			return
		}
		now, todos := session.Status(), session.Todos()
		plugins, ready := pluginsText(session.Health())
		u.do(func() {
			s.branch, s.now, s.todos, s.plugins, s.ready = head, now, todos, plugins, ready
			if s.command != "" {
				s.run(u)
			}
			s.read(u)
		})
	})
}

// read is called when the status was read.
func (s *status) read(u *UI) {
	s.reading = false
	if s.stale {
		s.stale = false
		s.refresh(u)
	}
}

// pluginsText says whether all plugins are ready, or which are not.
func pluginsText(list []host.PluginHealth) (text string, ready bool) {
	var not []string
	for _, h := range list {
		if h.State != host.StateReady && h.State != host.StateBusy && h.State != host.StateStarting {
			not = append(not, fmt.Sprintf("%s %s", h.Name, h.State))
		}
	}
	switch {
	case len(list) == 0:
		return "", true
	case len(not) == 0 && len(list) == 1:
		return "1 plugin ready", true
	case len(not) == 0:
		return fmt.Sprintf("%d plugins ready", len(list)), true
	}
	return strings.Join(not, ", "), false
}

// row returns the status line.
func (s *status) row(look *terminal.Look) terminal.Styled {
	if s.command != "" && s.text != "" {
		return look.Paint(terminal.Quiet, plaintext.Line(s.text))
	}
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, plaintext.Line(text))
		}
	}
	n := s.now
	if !s.ready { // it comes first, because the end of a long line is cut
		add(s.plugins)
	}
	add(n.Agent)
	if n.Mode != "" {
		add("mode " + n.Mode)
	}
	add(n.Model)
	if n.Limit > 0 {
		add(fmt.Sprintf("%.0f%% context", n.Percent))
	}
	if n.TokensIn+n.TokensOut > 0 {
		add(count(n.TokensIn+n.TokensOut) + " tokens")
	}
	if n.CostUSD != nil {
		cost := fmt.Sprintf("$%.4f", *n.CostUSD)
		if n.PricesOf != "" {
			cost += " at prices of " + n.PricesOf
		}
		add(cost)
	}
	if n.Background > 0 {
		add(fmt.Sprintf("%d running", n.Background))
	}
	if n.Sandbox != "" {
		add("sandbox " + n.Sandbox)
	}
	if n.Trust != frontend.TrustNone {
		add(string(n.Trust))
	}
	add(s.branch)
	if s.ready {
		add(s.plugins)
	}
	return look.Paint(terminal.Quiet, strings.Join(parts, " · "))
}

// count returns a number of tokens for people.
func count(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1000_000)
}

// statusInput is what the user's status command reads on its standard input.
type statusInput struct {
	Agent    string   `json:"agent"`
	Mode     string   `json:"mode"`
	Provider string   `json:"provider"`
	Model    string   `json:"model"`
	Context  int      `json:"context_tokens"`
	Limit    int      `json:"context_limit"`
	Percent  float64  `json:"context_percent"`
	In       int      `json:"tokens_in"`
	Out      int      `json:"tokens_out"`
	CostUSD  *float64 `json:"cost_usd,omitempty"`
	PricesOf string   `json:"prices_of,omitempty"`
	Sandbox  string   `json:"sandbox"`
	Trust    string   `json:"trust"`
	Session  string   `json:"session_id"`
	Title    string   `json:"title"`
	Workdir  string   `json:"workdir"`
	Branch   string   `json:"branch"`
	Plugins  string   `json:"plugins"`
	// Background is how many commands run beside the conversation.
	Background int `json:"background_commands"`
	Columns    int `json:"columns"`
}

func (s *status) input(columns int) statusInput {
	n := s.now
	return statusInput{
		Agent: n.Agent, Mode: n.Mode, Provider: n.Provider, Model: n.Model, Context: n.Context, Limit: n.Limit, Percent: n.Percent,
		In: n.TokensIn, Out: n.TokensOut, CostUSD: n.CostUSD, PricesOf: n.PricesOf, Sandbox: n.Sandbox, Trust: string(n.Trust), Session: n.SessionID, Title: n.Title,
		Workdir: n.Workdir, Branch: s.branch, Plugins: s.plugins, Columns: columns,
		Background: n.Background,
	}
}

// run starts the user's command, unless it runs already. It is then started again when it has ended.
func (s *status) run(u *UI) {
	if s.running {
		s.again = true
		return
	}
	in, err := json.Marshal(s.input(u.frame.width()))
	if err != nil {
		s.text = err.Error()
		return
	}
	s.running = true
	go func() {
		text := s.output(in, u)
		// A command that is quick must not run without a break.
		<-time.After(statusTime)
		u.do(func() {
			s.running, s.text = false, text
			if s.again {
				s.again = false
				s.run(u)
			}
		})
	}()
}

// output runs the user's command and returns its first line, or why there is none. The command runs again and again without being
// typed, so it finds nothing that tools wrote.
func (s *status) output(in []byte, u *UI) string {
	ctx, cancel := context.WithTimeout(context.Background(), statusTime)
	defer cancel()
	out := &head{most: statusBytes}
	path, args := statusShell(u.environ, s.command)
	err := process.Run(ctx, process.Spec{
		Path: path, Args: args, Dir: u.o.SafeDir, Env: u.o.SafeEnviron, Stdin: bytes.NewReader(in), Stdout: out,
	})
	line, _, _ := strings.Cut(out.String(), "\n")
	if err != nil && line == "" {
		return fmt.Sprintf("status command: %v; it runs in %s, so screen.status names files by absolute paths", err, u.o.SafeDir)
	}
	return line
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	most int
}

func (h *head) Write(b []byte) (int, error) {
	if room := h.most - h.Len(); room > 0 {
		h.Buffer.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

// branch returns the branch of the repository that holds a directory, or the beginning of the commit; empty if there is none. It reads
// files only, because a program could be slow and the configuration of a repository can name others.
func branch(dir string) string {
	const most = 4 << 10
	for {
		git := filepath.Join(dir, ".git")
		if info, err := os.Lstat(git); err == nil {
			if !info.IsDir() { // a worktree or a submodule
				text, err := files.Read(git, most)
				at, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
				if err != nil || !ok {
					return ""
				}
				if git = at; !filepath.IsAbs(git) {
					git = filepath.Join(dir, git)
				}
			}
			text, err := files.Read(filepath.Join(git, "HEAD"), most)
			if err != nil {
				return ""
			}
			head := strings.TrimSpace(string(text))
			if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
				return name
			}
			const short = 8
			return head[:min(short, len(head))]
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
