package mcp

// State says what a server is doing.
type State string

// The states of a server.
const (
	// StateConnected servers answer.
	StateConnected State = "connected"
	// StateLost servers were connected; the next call of one of their tools connects them again.
	StateLost State = "lost"
	// StateFailed servers could not be connected at the last attempt.
	StateFailed State = "failed"
	// StateDisabled servers are switched off in the configuration.
	StateDisabled State = "disabled"
	// StateDeferred servers wait for Load.
	StateDeferred State = "deferred"
	// StateCondition servers have a condition that does not hold.
	StateCondition State = "condition"
	// StateStarting servers have not answered yet.
	StateStarting State = "starting"
	// StateClosed servers went with their Set.
	StateClosed State = "closed"
)

// The types of a server.
const (
	TypeStdio = "stdio"
	TypeHTTP  = "http"
)

// Status is the state of one server at a moment.
type Status struct {
	Name string
	// Type is TypeStdio or TypeHTTP.
	Type  string
	State State
	// Deferred tells that the configuration has the server wait for Load, whether or not it has been loaded.
	Deferred bool
	// Error is why the server is lost or failed, or empty.
	Error string
	// Tools are the names by which models call the server's tools, sorted.
	Tools []string
	// Reconnects counts the successful connections after the first one.
	Reconnects int
}

func (s *server) status() Status {
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

// beginning is the state of a server before anything has been tried.
func (s Server) beginning() State {
	switch {
	case s.Disabled:
		return StateDisabled
	case s.Unmet:
		return StateCondition
	case s.Deferred:
		return StateDeferred
	default:
		return StateStarting
	}
}
