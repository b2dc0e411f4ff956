// Package mcp makes the tools, prompts and resources of MCP servers available to aura. A server is a program that aura starts, or a service
// that aura reaches over HTTP. A failure of a server affects only its own connection: a server that does not start is reported
// as a notice, and a server that dies is restarted by the next call of one of its tools.
package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/mcpauth"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/system/process"
)

// Defaults for a Server without a Timeout.
const (
	DefaultStart = 30 * time.Second
	DefaultCall  = 2 * time.Minute
)

// Server configures one server. It has either a Command or a URL.
type Server struct {
	// Name is part of the names of the server's tools.
	Name string
	// Command, Args and Env start a program that communicates over its standard streams. A relative Command that contains a
	// slash is relative to the working directory.
	Command string
	Args    []string
	Env     map[string]string
	// URL and Headers are for a service that is reached over HTTP.
	URL     string
	Headers map[string]string
	// Tokens gives the token of a login; nil if there is no way to log in. It is not used if Headers has an authorization.
	Tokens *mcpauth.Tokens
	// Timeout limits the start and each call. 0 means DefaultStart and DefaultCall.
	Timeout time.Duration
	// Disabled servers are listed but never started.
	Disabled bool
	// Deferred servers are listed but started only by Load.
	Deferred bool
	// Source is the configuration file that messages refer the user to. It may be empty.
	Source string
	// Variables are the names of the variables that Source refers to. A message about credentials names them.
	Variables []string
	// Launch is how the program is started; nil starts it in the working directory, unconfined.
	Launch *Launch
}

// Launch is how a program is started. Each function may be nil.
type Launch struct {
	// Environ returns the environment in which the program is searched and started.
	Environ func(env []string) []string
	// Check returns an error for a program that must not be started.
	Check func(program string) error
	// Outdated returns why the process that was started last must be replaced before the next call; empty if it need not.
	Outdated func() string
	// Start starts the process; see process.Start. The end of ctx ends only the start.
	Start func(ctx context.Context, s process.Spec) (*process.Process, error)
	// Hint is added to the error if the server does not start.
	Hint string
}

// Options holds the settings that all servers share.
type Options struct {
	// Workdir is the working directory of the programs.
	Workdir string
	// Environ is an environment as NAME=value. Programs get the harmless part of it, and the variables of Server.Env.
	Environ []string
	// Executable is a program that runs process.Reap, which ends the descendants of programs. If it is empty, a descendant
	// that left its group and cleared its environment is not found.
	Executable string
	// Notify shows a notice to the user. It may be nil. It is never called concurrently.
	Notify func(text string)
	// OnChange is called, from any goroutine, when the tools, the prompts or the resources change after Open has returned: because of the server, a new
	// connection or Load. It may be nil. OnChange and Notify must not call methods of the Set other than Tools and Servers.
	OnChange func()
	// Log receives the messages of the servers' logs, from any goroutine. It may be nil.
	Log func(server, level, text string)
	// Ask asks the user a question of a server, one at a time for each server. Without it, every question is declined.
	Ask Ask
	// Version is aura's version, for the servers' logs.
	Version string
}

// Set holds the servers of a session. Its methods are safe for concurrent use. A nil Set has no servers.
type Set struct {
	servers []*server
	// shared is nil in a Set that View returned.
	shared *shared
}

// View returns the servers of several sets for which keep returns true, as one Set. To close it has no effect.
func View(keep func(name string) bool, sets ...*Set) *Set {
	out := &Set{}
	for _, s := range sets {
		for _, each := range s.all() {
			if keep(each.Name) {
				out.servers = append(out.servers, each)
			}
		}
	}
	slices.SortFunc(out.servers, byName)
	return out
}

func byName(a, b *server) int { return strings.Compare(a.Name, b.Name) }

// Open connects to all servers in parallel, except those that are disabled, deferred or unmet. It returns when each server has
// answered or failed. ctx limits only the start and is not kept. The caller must close the Set.
func Open(ctx context.Context, o Options, servers []Server) *Set {
	return open(ctx, o, defaultPace(), servers)
}

func open(ctx context.Context, o Options, p pace, servers []Server) *Set {
	set := &Set{shared: &shared{options: o, pace: p, done: make(chan struct{})}}
	for _, s := range servers {
		set.servers = append(set.servers, newServer(s, set.shared))
	}
	slices.SortFunc(set.servers, byName)
	var starting sync.WaitGroup
	for _, s := range set.servers {
		if !s.Disabled && !s.Deferred {
			starting.Go(func() { s.begin(ctx) })
		}
	}
	starting.Wait()
	set.shared.opened.Store(true)
	return set
}

// Tools returns the tools of all servers that have been connected, sorted by name, and those that list and read their resources, if there
// are any. The caller owns the slice.
func (s *Set) Tools() []tool.Tool {
	out := s.resourceTools()
	for _, each := range s.all() {
		out = append(out, each.offered()...)
	}
	slices.SortStableFunc(out, func(a, b tool.Tool) int { return strings.Compare(a.Definition().Name, b.Definition().Name) })
	return out
}

// Servers returns the state of every server, sorted by name. The caller owns the slice.
func (s *Set) Servers() []Status {
	out := make([]Status, 0, len(s.all()))
	for _, each := range s.all() {
		out = append(out, each.status())
	}
	return out
}

// Connected returns the names of the connected servers, sorted.
func (s *Set) Connected() []string {
	var out []string
	for _, each := range s.all() {
		if each.snapshot().State == StateConnected {
			out = append(out, each.Name)
		}
	}
	return out
}

func (s *Set) all() []*server {
	if s == nil {
		return nil
	}
	return s.servers
}

// Load connects to a server that is not connected and returns its tools. It fails for a disabled server. Afterwards Tools
// includes the server's tools.
func (s *Set) Load(ctx context.Context, name string) ([]tool.Tool, error) {
	i := slices.IndexFunc(s.all(), func(each *server) bool { return each.Name == name })
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
	if len(s.all()) == 0 {
		return "none"
	}
	out := make([]string, 0, len(s.servers))
	for _, each := range s.servers {
		out = append(out, each.Name)
	}
	return strings.Join(out, ", ")
}

// Hurry makes Close give the servers only a short time to end gracefully.
func (s *Set) Hurry() {
	if s != nil && s.shared != nil {
		s.shared.hurried.Store(true)
	}
}

// Close ends all connections and programs. When Close returns, no resources of them are left. Calls in progress fail. Close may
// be called more than once.
func (s *Set) Close() {
	if s == nil || s.shared == nil {
		return
	}
	s.shared.stop()
	var closing sync.WaitGroup
	for _, each := range s.servers {
		closing.Go(each.close)
	}
	closing.Wait()
	s.shared.workers.Wait()
}
