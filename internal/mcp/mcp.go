// Package mcp makes the tools of MCP servers tools of aura. A server is a program that aura starts, or a service that it
// reaches over HTTP. Nothing that a server does ends more than its own connection: one that does not start is a notice,
// and one that dies is started again by the next call of one of its tools.
package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/tool"
)

// Defaults of a Server without a timeout of its own.
const (
	DefaultStart = 30 * time.Second
	DefaultCall  = 2 * time.Minute
)

// Server says how one server is reached. It has either a Command or a URL.
type Server struct {
	// Name is part of the names of the server's tools.
	Name string
	// Command, Args and Env start a program that speaks on its standard streams. A relative Command with a slash in it is
	// relative to the working directory.
	Command string
	Args    []string
	Env     map[string]string
	// URL and Headers reach a service over HTTP.
	URL     string
	Headers map[string]string
	// Timeout bounds the start and each call; 0 means DefaultStart and DefaultCall.
	Timeout time.Duration
	// Disabled servers are listed, and never started.
	Disabled bool
	// Deferred servers are listed, and started by Load alone.
	Deferred bool
	// Unmet tells that the server's condition does not hold: it is listed, and started by Load alone.
	Unmet bool
	// Source is the file that a message tells the user to look at; it may be empty.
	Source string
}

// Options are what all servers have in common.
type Options struct {
	// Workdir is where programs are started.
	Workdir string
	// Environ is what programs get the harmless part of, as NAME=value; see Server.Env for the rest.
	Environ []string
	// Notify tells the user something. It may be nil; it is never called twice at a time.
	Notify func(text string)
	// OnChange is called, from any goroutine, when the tools have changed after Open returned: by the server, by a new
	// connection or by Load. It may be nil. Of the Set's methods, it and Notify may call Tools and Servers only.
	OnChange func()
	// Version is aura's, for the servers' logs.
	Version string
}

// Set is the servers of a session. Its methods may be called from several goroutines.
type Set struct {
	servers []*server
	shared  *shared
}

// Open connects to all servers side by side, but those that are disabled, deferred or unmet, and returns when each has
// answered or failed. It keeps nothing of ctx, which bounds the starting alone. The caller closes the Set.
func Open(ctx context.Context, o Options, servers []Server) *Set {
	return open(ctx, o, defaultPace(), servers)
}

func open(ctx context.Context, o Options, p pace, servers []Server) *Set {
	set := &Set{shared: &shared{options: o, pace: p, done: make(chan struct{})}}
	for _, s := range servers {
		set.servers = append(set.servers, newServer(s, set.shared))
	}
	slices.SortFunc(set.servers, func(a, b *server) int { return strings.Compare(a.Name, b.Name) })
	var starting sync.WaitGroup
	for _, s := range set.servers {
		if !s.Disabled && !s.Deferred && !s.Unmet {
			starting.Go(func() { s.begin(ctx) })
		}
	}
	starting.Wait()
	set.shared.opened.Store(true)
	return set
}

// Tools returns the tools of all servers that have been connected, sorted by name. The slice is the caller's.
func (s *Set) Tools() []tool.Tool {
	var out []tool.Tool
	for _, each := range s.servers {
		out = append(out, each.offered()...)
	}
	slices.SortStableFunc(out, func(a, b tool.Tool) int { return strings.Compare(a.Definition().Name, b.Definition().Name) })
	return out
}

// Servers returns the state of every server, sorted by name. The slice is the caller's.
func (s *Set) Servers() []Status {
	out := make([]Status, 0, len(s.servers))
	for _, each := range s.servers {
		out = append(out, each.status())
	}
	return out
}

// Load connects to a server that is not connected, whatever kept it from that but being disabled, and returns its tools.
// From then on they are among Tools.
func (s *Set) Load(ctx context.Context, name string) ([]tool.Tool, error) {
	i := slices.IndexFunc(s.servers, func(each *server) bool { return each.Name == name })
	switch {
	case i < 0:
		return nil, fmt.Errorf("connecting to MCP server %q: it does not exist; known servers: %s", name, s.names())
	case s.servers[i].Disabled:
		return nil, fmt.Errorf("connecting to MCP server %q: it is disabled; %s", name, s.servers[i].remedy("remove disabled: true"))
	}
	if _, _, err := s.servers[i].connected(ctx); err != nil {
		return nil, err
	}
	return s.servers[i].offered(), nil
}

func (s *Set) names() string {
	if len(s.servers) == 0 {
		return "none"
	}
	out := make([]string, 0, len(s.servers))
	for _, each := range s.servers {
		out = append(out, each.Name)
	}
	return strings.Join(out, ", ")
}

// Hurry has Close leave the servers only a moment for an orderly end.
func (s *Set) Hurry() { s.shared.hurried.Store(true) }

// Close ends all connections and programs. When it returns, nothing of them is left; a call that is going on fails. It
// may be called more than once.
func (s *Set) Close() {
	s.shared.stop()
	var closing sync.WaitGroup
	for _, each := range s.servers {
		closing.Go(each.close)
	}
	closing.Wait()
	s.shared.workers.Wait()
}
