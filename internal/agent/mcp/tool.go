package mcp

import (
	"cmp"
	"context"
	"errors"
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
	// output is the schema of structured results; nil if there is none. unchecked says why they cannot be checked.
	output    *tool.Schema
	unchecked error
	// repeatable is set if calling the tool twice does no harm.
	repeatable bool
}

// Definition implements tool.Tool.
func (r *remote) Definition() tool.Definition { return r.definition }

// Execute implements tool.Tool. If the connection has ended, Execute reconnects once.
func (r *remote) Execute(ctx context.Context, call tool.Call) (string, error) {
	ctx, end := r.server.limited(ctx)
	defer end()
	result, err := r.call(ctx, call.Args, call.Status)
	if err != nil {
		return "", err
	}
	if err := r.check(result); err != nil {
		return "", err
	}
	return text(result, call.Attach)
}

// check compares a structured result with the schema that the tool declares.
func (r *remote) check(result *sdk.CallToolResult) error {
	if r.output == nil || result == nil || result.IsError {
		return nil
	}
	const what = "the tool ran, but its structured result does not match the schema that it declares: %w"
	if result.StructuredContent == nil {
		return fmt.Errorf(what, errors.New("it sent none"))
	}
	if err := r.output.ValidateValue(result.StructuredContent); err != nil {
		return fmt.Errorf(what, err)
	}
	return nil
}

func (r *remote) call(ctx context.Context, args map[string]any, status func(text string)) (*sdk.CallToolResult, error) {
	l, fresh, err := r.server.connected(ctx)
	if err != nil {
		return nil, err
	}
	result, err := l.call(ctx, r.name, args, status)
	if err != nil && !fresh && ctx.Err() == nil && (undelivered(err) || r.repeatable && l.severed(err)) {
		l.close()
		if l, _, err = r.server.connected(ctx); err != nil {
			return nil, err
		}
		result, err = l.call(ctx, r.name, args, status)
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

// limited returns a context that also ends after the server's timeout, in which no question to the user counts, and when the Set is closed.
func (s *server) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := cmp.Or(s.Timeout, DefaultCall)
	ctx, cancel := s.patient(ctx, limit)
	ctx, release := s.shared.bound(ctx)
	return ctx, func() {
		release()
		cancel()
	}
}
