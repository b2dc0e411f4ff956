package mcp

// State is the state of a server.
type State string

// The states of a server.
const (
	// StateConnected means that the server is connected.
	StateConnected State = "connected"
	// StateLost means that the connection has ended. The next call of one of the server's tools connects again.
	StateLost State = "lost"
	// StateFailed means that the last attempt to connect failed.
	StateFailed State = "failed"
	// StateNeedsLogin means that the server wants a login, which only the user can do. The server may be connected with a login that has too few scopes.
	StateNeedsLogin State = "needs login"
	// StateDisabled means that the server is disabled in the configuration.
	StateDisabled State = "disabled"
	// StateDeferred means that the server is not started until Load is called.
	StateDeferred State = "deferred"
	// StateStarting means that the server has not answered yet.
	StateStarting State = "starting"
	// StateClosed means that the server's Set was closed.
	StateClosed State = "closed"
)

// The types of a server.
const (
	TypeStdio = "stdio"
	TypeHTTP  = "http"
)

// Status is a snapshot of a server's state.
type Status struct {
	Name string
	// Type is TypeStdio or TypeHTTP.
	Type  string
	State State
	// Deferred is set if the server is configured as deferred, whether or not it has been loaded.
	Deferred bool
	// Error is the reason for StateLost or StateFailed, or empty.
	Error string
	// Tools holds the names by which models call the server's tools, sorted.
	Tools []string
	// Reconnects counts the successful connections after the first one.
	Reconnects int
}

func (s *server) status() Status {
	out := s.snapshot()
	if out.State != StateConnected {
		return out
	}
	// Another aura may have logged in or lost the login, so the store decides and not what this one saw.
	if need := s.logins().Needs(); need != nil {
		out.State, out.Error = StateNeedsLogin, s.loginHint(need)
	}
	return out
}

func (s *server) snapshot() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Status{Name: s.Name, Type: s.kind(), State: s.state, Deferred: s.Deferred, Reconnects: s.reconnects}
	if s.failure != nil {
		out.Error = s.failure.Error()
	}
	for _, t := range s.tools {
		out.Tools = append(out.Tools, t.definition.Name)
	}
	return out
}

func (s *server) kind() string {
	if s.Command != "" {
		return TypeStdio
	}
	return TypeHTTP
}

// beginning returns the state of a server before the first attempt to connect.
func (s Server) beginning() State {
	switch {
	case s.Disabled:
		return StateDisabled
	case s.Deferred:
		return StateDeferred
	default:
		return StateStarting
	}
}
