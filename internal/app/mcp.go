package app

import (
	"context"
	"fmt"
	"strings"
)

// loadTools loads the tools of a deferred server, which can be used from the next turn on.
func (s *Session) loadTools(ctx context.Context, server string) (string, error) {
	found, err := s.servers.set.Load(ctx, server)
	if err != nil {
		return "", err
	}
	tools, err := s.setup.Tools(s.live(s.setup, s.plugins.views(), s.servers.set))
	if err != nil {
		return "", err
	}
	s.talk.SetTools(tools.Registry)
	var names []string
	for _, f := range found {
		names = append(names, f.Definition().Name)
	}
	s.servers.loaded = append(s.servers.loaded, names...)
	s.refresh()
	return "you have these tools now: " + strings.Join(names, ", "), nil
}

// connect connects to a deferred server at the user's request.
func (s *Session) connect(ctx context.Context, server string) error {
	if s.servers.set == nil {
		return fmt.Errorf("connecting to MCP server %q: none is configured", server)
	}
	if _, err := s.servers.set.Load(ctx, server); err != nil {
		return err
	}
	s.servers.stale.Store(true)
	s.applyOutsideChanges(ctx)
	return nil
}
