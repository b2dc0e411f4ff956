package acp

import (
	"context"
	"encoding/json"

	"github.com/idelchi/aura/internal/base/limit"
)

// The methods of the client that aura calls.
const (
	methodUpdate     = "session/update"
	methodPermission = "session/request_permission"
	// methodCancelRequest withdraws a request, in both directions.
	methodCancelRequest = "$/cancel_request"
	methodElicit        = "elicitation/create"
	methodReadFile      = "fs/read_text_file"
	methodWriteFile     = "fs/write_text_file"
	methodPlugins       = "_aura/plugins"
	methodPluginState   = "_aura/plugin_state"
)

// request is a request that is being answered.
type request struct {
	id     json.RawMessage
	params json.RawMessage
	// answer must be called once.
	answer func(result any, err error)
}

// method takes a request. It must not wait: what takes long has a goroutine of its own.
type method func(s *server, ctx context.Context, r request)

func methods() map[string]method {
	return map[string]method{
		"initialize":                (*server).initialize,
		"authenticate":              (*server).authenticate,
		"session/new":               (*server).newSession,
		"session/load":              (*server).loadSession,
		"session/resume":            (*server).resumeSession,
		"session/list":              (*server).listSessions,
		"session/prompt":            (*server).prompt,
		"session/set_mode":          (*server).setMode,
		"session/set_config_option": (*server).setOption,
		"session/close":             (*server).closeSession,
		methodPlugins:               (*server).plugins,
	}
}

// request takes a request of the client.
func (s *server) request(ctx context.Context, m message) {
	handle, known := methods()[m.Method]
	switch {
	case !known:
		s.conn.reply(m.ID, nil, failure(codeNoMethod, "aura has no method %q", m.Method))
		return
	case !s.begun && m.Method != "initialize":
		s.conn.reply(m.ID, nil, failure(codeInvalidRequest, "%s came before initialize", m.Method))
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	key := string(m.ID)
	s.mu.Lock()
	_, twice := s.requests[key]
	many := len(s.requests) >= limit.ACPRequests
	if !twice && !many {
		s.requests[key] = cancel
	}
	s.mu.Unlock()
	switch {
	case twice:
		cancel(nil)
		s.conn.reply(m.ID, nil, failure(codeInvalidRequest, "a request with this id is not answered yet"))
		return
	case many:
		cancel(nil)
		s.conn.reply(m.ID, nil, failure(codeInternal, "%d requests are not answered yet; aura takes no more at a time", limit.ACPRequests))
		return
	}
	handle(s, ctx, request{id: m.ID, params: m.Params, answer: func(result any, err error) {
		s.mu.Lock()
		delete(s.requests, key)
		s.mu.Unlock()
		cancel(nil)
		s.conn.reply(m.ID, result, err)
	}})
}

// notified takes a notification. Unknown notifications are ignored, as the protocol says.
func (s *server) notified(m message) {
	switch m.Method {
	case "session/cancel":
		var p sessionRequest
		if json.Unmarshal(m.Params, &p) != nil {
			return
		}
		if one := s.session(p.SessionID); one != nil {
			one.cancel(errCancelled)
		}
	case methodCancelRequest:
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &p) != nil {
			return
		}
		s.mu.Lock()
		cancel := s.requests[string(p.RequestID)]
		s.mu.Unlock()
		if cancel != nil {
			cancel(errCancelled)
		}
	}
}

// decode reads parameters.
func decode(params json.RawMessage, into any) error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if err := json.Unmarshal(params, into); err != nil {
		return failure(codeInvalidParams, "reading the parameters: %s", err)
	}
	return nil
}

func (s *server) initialize(_ context.Context, r request) {
	var p initializeRequest
	err := decode(r.params, &p)
	switch {
	case err != nil:
	case p.ProtocolVersion == nil:
		err = failure(codeInvalidParams, "initialize needs protocolVersion")
	case s.begun:
		err = failure(codeInvalidRequest, "initialize came twice")
	}
	if err != nil {
		r.answer(nil, err)
		return
	}
	s.client, s.begun = p.Capabilities, true
	// A client that speaks another version learns the version that aura speaks, and decides.
	out := initializeResponse{
		ProtocolVersion: version, AgentInfo: implementation{Name: "aura", Title: "aura", Version: s.o.Version},
		AuthMethods: []authMethod{setUp},
	}
	out.Capabilities.LoadSession = true
	out.Capabilities.Prompt.Image, out.Capabilities.Prompt.Audio, out.Capabilities.Prompt.EmbeddedContext = true, true, true
	out.Capabilities.MCP.HTTP = true
	r.answer(out, nil)
}

// setUp is the only method of authentication: aura has no account of its own, but needs a provider.
var setUp = authMethod{
	ID: "setup", Name: "Set up a model in a terminal",
	Description: "Run aura in a terminal, where it asks for a provider, its key and a model. Or put the key into the environment of the editor.",
}

// authenticate checks whether a provider offers a model. The user sets that up elsewhere.
func (s *server) authenticate(ctx context.Context, r request) {
	var p authenticateRequest
	err := decode(r.params, &p)
	if err == nil && p.MethodID != setUp.ID {
		err = failure(codeInvalidParams, "there is no method %q to authenticate; there is %q", p.MethodID, setUp.ID)
	}
	if err != nil {
		r.answer(nil, err)
		return
	}
	s.start(r, func() { r.answer(struct{}{}, s.o.Ready(ctx)) })
}

// session returns an open session; nil if there is none with this id.
func (s *server) session(id string) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id]
}

// find returns the session that a request is about.
func (s *server) find(r request) (*live, sessionRequest, error) {
	var p sessionRequest
	if err := decode(r.params, &p); err != nil {
		return nil, p, err
	}
	if one := s.session(p.SessionID); one != nil {
		return one, p, nil
	}
	return nil, p, failure(codeNotFound, "no session %q is open; session/new opens one, session/load a saved one", p.SessionID)
}

func (s *server) plugins(_ context.Context, r request) {
	one, _, err := s.find(r)
	if err != nil {
		r.answer(nil, err)
		return
	}
	s.start(r, func() { r.answer(one.health()) })
}

// start runs f, which answers a request, in a goroutine.
func (s *server) start(r request, f func()) {
	if !s.spawn(f) {
		r.answer(nil, errGone)
	}
}
