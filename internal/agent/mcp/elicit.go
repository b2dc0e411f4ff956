package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/base/limit"
)

// Inquiry is one question of a server to the user: for one value of a form, or whether to open a URL. All texts come from the server.
type Inquiry struct {
	// Server is the name of the server in the configuration.
	Server string
	// Message says what the server wants.
	Message string
	// URL is the address to open; empty for a value.
	URL string
	// Field is the label of the value.
	Field string
	// Options are the only values, if there are any.
	Options []Option
	// Default is the value if the user enters none. Optional values may be left out: the answer is then empty.
	Default  string
	Optional bool
	// Check returns why a text is not a value.
	Check func(text string) error
}

// Option is one of the values that a user can choose.
type Option struct{ Value, Title string }

// ErrNoText is the error of a question for a text if the front end can only ask for a choice.
var ErrNoText = errors.New("it cannot ask for a text")

// Ask asks the user. ok is false if the user declines. It returns when ctx ends.
type Ask func(ctx context.Context, q Inquiry) (text string, ok bool, err error)

// The actions that answer an elicitation.
const (
	actionAccept  = "accept"
	actionDecline = "decline"
	actionCancel  = "cancel"
)

// asks holds the questions of a link. A question belongs to a call: it ends with the last call that runs.
type asks struct {
	mu sync.Mutex
	// open maps the questions that are open to what ends them. none is closed when there are none any more.
	open map[int]context.CancelFunc
	none chan struct{}
	// count is how many questions were asked since the last time that no call ran.
	count int
}

// begin begins a question. It returns false if too many were asked.
func (a *asks) begin(ctx context.Context) (context.Context, func(), bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count >= limit.MCPQuestions {
		return ctx, nil, false
	}
	if len(a.open) == 0 {
		a.open, a.none = map[int]context.CancelFunc{}, make(chan struct{})
	}
	a.count++
	number := a.count
	ctx, cancel := context.WithCancel(ctx)
	a.open[number] = cancel
	return ctx, func() {
		cancel()
		a.mu.Lock()
		defer a.mu.Unlock()
		if delete(a.open, number); len(a.open) == 0 {
			close(a.none)
		}
	}, true
}

// idle ends the questions that are open, because no call runs.
func (a *asks) idle() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.open) == 0 {
		a.count = 0
	}
	for _, cancel := range a.open {
		cancel()
	}
}

// waiting returns a channel that is closed when no question is open any more; nil if none is.
func (a *asks) waiting() chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.open) == 0 {
		return nil
	}
	return a.none
}

// elicit answers a question of the server. Without a user, and outside of calls, it declines.
func (l *link) elicit(ctx context.Context, server string, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	declined := &sdk.ElicitResult{Action: actionDecline}
	ask := l.shared.options.Ask
	switch {
	case ask == nil:
		l.shared.notify(fmt.Sprintf("MCP server %q asks for input: declined, because nobody can be asked here", server))
		return declined, nil
	case l.calls.Load() == 0:
		return declined, nil
	}
	ctx, end, ok := l.asks.begin(ctx)
	if !ok {
		l.shared.notify(fmt.Sprintf("MCP server %q asks for more input: declined, because it asked too often during one call", server))
		return declined, nil
	}
	defer end()
	if p.URL != "" {
		return askURL(ctx, ask, server, p)
	}
	f, err := readForm(p.RequestedSchema)
	if err != nil {
		l.shared.notify(fmt.Sprintf("MCP server %q asks for input: declined: %v", server, err))
		return declined, nil
	}
	return f.fill(ctx, ask, Inquiry{Server: server, Message: shortened(p.Message)})
}

// askURL asks whether to open a URL. aura opens nothing itself.
func askURL(ctx context.Context, ask Ask, server string, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	u, err := url.Parse(p.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || len(p.URL) > limit.MCPQuestionText {
		return &sdk.ElicitResult{Action: actionDecline}, nil //nolint:nilerr // such a URL cannot be shown to anybody
	}
	_, ok, err := ask(ctx, Inquiry{Server: server, Message: shortened(p.Message), URL: p.URL})
	return answered(ok, err, nil), nil
}

// answered returns the answer of a user who accepted, declined, or did not answer.
func answered(ok bool, err error, content map[string]any) *sdk.ElicitResult {
	switch {
	case err != nil:
		return &sdk.ElicitResult{Action: actionCancel}
	case !ok:
		return &sdk.ElicitResult{Action: actionDecline}
	default:
		return &sdk.ElicitResult{Action: actionAccept, Content: content}
	}
}

// shortened bounds a text of a server.
func shortened(text string) string {
	if len(text) <= limit.MCPQuestionText {
		return text
	}
	end := limit.MCPQuestionText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d more bytes)", text[:end], len(text)-end)
}

// patient ends a context after a time in which no question to the user is open.
func (s *server) patient(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for {
			if wait(ctx, after) != nil {
				return
			}
			open := s.question()
			if open == nil {
				cancel(fmt.Errorf("%w (%s)", errSlow, after))
				return
			}
			select {
			case <-open:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// question returns a channel that is closed when the question ends that the server asks; nil if it asks none.
func (s *server) question() chan struct{} {
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.asks.waiting()
}
