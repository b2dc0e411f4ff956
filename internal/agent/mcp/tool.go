package mcp

import (
	"cmp"
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/tool"
)

// remote is a tool of a server.
type remote struct {
	server *server
	// name is the server's own name for the tool.
	name       string
	definition tool.Definition
	// repeatable is set if calling the tool twice does no harm.
	repeatable bool
}

// Definition implements tool.Tool.
func (r *remote) Definition() tool.Definition { return r.definition }

// Execute implements tool.Tool. If the connection has ended, Execute reconnects once.
func (r *remote) Execute(ctx context.Context, call tool.Call) (string, error) {
	limit := cmp.Or(r.server.Timeout, DefaultCall)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w (%s)", errSlow, limit))
	defer cancel()
	ctx, release := r.server.shared.bound(ctx)
	defer release()
	result, err := r.call(ctx, call.Args)
	if err != nil {
		return "", err
	}
	return text(result)
}

func (r *remote) call(ctx context.Context, args map[string]any) (*sdk.CallToolResult, error) {
	l, fresh, err := r.server.connected(ctx)
	if err != nil {
		return nil, err
	}
	result, err := l.call(ctx, r.name, args)
	if err != nil && !fresh && ctx.Err() == nil && (undelivered(err) || r.repeatable && l.severed(err)) {
		l.close()
		if l, _, err = r.server.connected(ctx); err != nil {
			return nil, err
		}
		result, err = l.call(ctx, r.name, args)
	}
	switch {
	case err == nil:
		r.server.worked()
		return result, nil
	case ctx.Err() == nil && l.severed(err):
		return nil, fmt.Errorf("calling %q of MCP server %q: the connection broke, so that it is unknown whether the tool has done "+
			"its work; the next call connects again: %w", r.name, r.server.Name, err)
	default:
		return nil, fmt.Errorf("calling %q of MCP server %q: %w", r.name, r.server.Name, err)
	}
}

// worked records a successful call. It resets the number of attempts.
func (s *server) worked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts = 0
}
