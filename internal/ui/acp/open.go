package acp

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
)

func (s *server) newSession(ctx context.Context, r request)    { s.open(ctx, r, false, false) }
func (s *server) loadSession(ctx context.Context, r request)   { s.open(ctx, r, true, true) }
func (s *server) resumeSession(ctx context.Context, r request) { s.open(ctx, r, true, false) }

// open opens a session in a goroutine. saved is for a session that was saved before, and replay shows its messages.
func (s *server) open(ctx context.Context, r request, saved, replay bool) {
	var p openRequest
	err := decode(r.params, &p)
	if err == nil {
		err = p.check(saved)
	}
	if err == nil {
		err = s.reserve(p.SessionID)
	}
	if err != nil {
		r.answer(nil, err)
		return
	}
	s.start(r, func() {
		// What the session starts lives longer than the request, which can only cancel the opening.
		lasting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		keep := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
		one, err := s.opened(lasting, r, p)
		keep()
		if err != nil {
			cancel(nil)
			s.release()
			r.answer(nil, err)
			return
		}
		// A client learns the id of a new session by the answer, so that updates must follow it. The history of a loaded session comes
		// before it.
		out := openResponse{Modes: one.modes(ctx), ConfigOptions: one.options(ctx, one.session.Role())}
		one.shown.options = out.ConfigOptions
		one.front.mu.Lock()
		one.front.mode = modeOf(one.session.Role())
		one.front.mu.Unlock()
		if !saved {
			out.SessionID = one.id
		}
		if replay {
			one.front.replay(one.session.History())
		}
		one.unlist = cancel
		s.register(one)
		r.answer(out, nil)
		one.front.release()
		one.sync(lasting)
		if saved {
			one.count()
		}
		go one.run()
		s.spawn(func() { one.listModels(lasting) })
	})
}

// check returns why a session cannot be opened with these parameters.
func (p openRequest) check(saved bool) error {
	switch {
	case !filepath.IsAbs(p.Cwd):
		return failure(codeInvalidParams, "cwd %q is not an absolute path", p.Cwd)
	case saved && p.SessionID == "":
		return failure(codeInvalidParams, "sessionId is missing")
	}
	if info, err := os.Stat(p.Cwd); err != nil || !info.IsDir() {
		return failure(codeInvalidParams, "cwd %q is not a directory", p.Cwd)
	}
	for _, server := range p.Servers {
		if server.Type != "" && server.Type != "stdio" && server.Type != "http" {
			return failure(codeInvalidParams, "MCP server %q has type %q; aura connects to servers of type stdio and http", server.Name, server.Type)
		}
	}
	return nil
}

// reserve makes room for a session.
func (s *server) reserve(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.sessions[id] != nil:
		return failure(codeInvalidRequest, "session %q is open already", id)
	case len(s.sessions)+s.opening >= limit.ACPSessions:
		return failure(codeInternal, "%d sessions are open; close one first", limit.ACPSessions)
	}
	s.opening++
	return nil
}

func (s *server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening--
}

// register makes a session known that reserve made room for.
func (s *server) register(one *live) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening--
	s.sessions[one.id] = one
}

// opened opens a session. Its updates are held until release.
func (s *server) opened(ctx context.Context, r request, p openRequest) (*live, error) {
	f := newFront(s, p.Cwd)
	ask := Request{Workdir: p.Cwd, Resume: p.SessionID, Servers: serversOf(p.Servers), Tell: f.tell}
	if s.client.forms() {
		ask.Choose = func(ctx context.Context, about string, choices []Choice) (string, error) {
			return s.choose(ctx, r.id, about, choices)
		}
	}
	opened, err := s.o.Open(ctx, ask, f)
	if err != nil {
		var coded *Error
		if errors.As(err, &coded) || ctx.Err() != nil {
			return nil, cmp.Or(context.Cause(ctx), err)
		}
		return nil, fmt.Errorf("opening a session in %s: %w", p.Cwd, err)
	}
	if len(p.AdditionalDirectories) > 0 {
		f.tell("additional directories are not supported and were left out: " + strings.Join(p.AdditionalDirectories, ", "))
	}
	f.id, f.todos = cmp.Or(p.SessionID, f.begun.ID, "unsaved-"+rand.Text()), opened.Todos
	f.workdir = cmp.Or(f.begun.Workdir, p.Cwd)
	return newLive(s, f.id, opened, f), nil
}

func serversOf(list []mcpServer) []Server {
	var out []Server
	for _, m := range list {
		out = append(out, Server{Name: m.Name, Command: m.Command, Args: m.Args, Env: mapOf(m.Env), URL: m.URL, Headers: mapOf(m.Headers)})
	}
	return out
}

func mapOf(list []nameValue) map[string]string {
	if len(list) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, v := range list {
		out[v.Name] = v.Value
	}
	return out
}

// pageSize is how many sessions one answer lists.
const pageSize = 100

func (s *server) listSessions(_ context.Context, r request) {
	var p listRequest
	err := decode(r.params, &p)
	if err == nil && p.Cwd != "" && !filepath.IsAbs(p.Cwd) {
		err = failure(codeInvalidParams, "cwd %q is not an absolute path", p.Cwd)
	}
	from := 0
	if err == nil && p.Cursor != "" {
		if from, err = strconv.Atoi(p.Cursor); err != nil || from < 0 {
			err = failure(codeInvalidParams, "unknown cursor %q", p.Cursor)
		}
	}
	if err != nil {
		r.answer(nil, err)
		return
	}
	s.start(r, func() {
		list, err := s.o.List(p.Cwd)
		r.answer(page(list, from), err)
	})
}

// page returns a part of the sessions, the one that was used last first.
func page(list []session.Summary, from int) listResponse {
	list = slices.DeleteFunc(slices.Clone(list), func(s session.Summary) bool { return s.Err != "" || !filepath.IsAbs(s.Workdir) })
	slices.SortStableFunc(list, func(a, b session.Summary) int { return b.UsedAt.Compare(a.UsedAt) })
	out := listResponse{Sessions: []sessionInfo{}}
	rest := list[min(from, len(list)):]
	if len(rest) > pageSize {
		rest, out.NextCursor = rest[:pageSize], strconv.Itoa(from+pageSize)
	}
	for _, one := range rest {
		out.Sessions = append(out.Sessions, sessionInfo{
			SessionID: one.ID, Cwd: one.Workdir, Title: plaintext.Line(one.Title), UpdatedAt: one.UsedAt.UTC().Format(time.RFC3339),
		})
	}
	return out
}
