package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/mcpauth"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// loginPatience is how long a login within a session waits for the user.
const loginPatience = 5 * time.Minute

var (
	errSessionEnds = errors.New("the session ended")
	errBegunAgain  = errors.New("another login to the server began")
)

// logins holds the logins to MCP servers that wait for the user, by the names of the servers.
type logins struct {
	mu   sync.Mutex
	open map[string]*openLogin
}

// openLogin is a login that waits for the user.
type openLogin struct {
	end    context.CancelCauseFunc
	pasted chan pasted
	// err is the outcome, once done is closed.
	done chan struct{}
	err  error
	// kept is set if the login outlives the prompt that began it, because the front end cannot ask for the address: the user enters it
	// as a further command. watched is set while a prompt waits for the outcome. The lock of logins guards them.
	kept, watched bool
}

// pasted is an address that the user entered. answer receives why it is not taken, or nil.
type pasted struct {
	address string
	answer  chan error
}

// Login logs in to a server and connects to it. The user opens the address that a notice shows. A user who declines to paste an address can still log in
// with a browser of this machine. A front end that cannot ask for the address leaves the login open; address is then what the user enters.
func (c control) Login(ctx context.Context, name, address string) error {
	server, err := c.webServer("logging in to", name)
	if err != nil {
		return err
	}
	if address == "" {
		err = c.beginLogin(ctx, name, server)
	} else {
		err = c.s.servers.logins.enter(ctx, name, address)
	}
	if err != nil {
		return fmt.Errorf("logging in to MCP server %q: %w", name, err)
	}
	c.s.hideLogins(c.s.setup.Config)()
	if !server.Of(c.s.setup.Role.Agent.Name) {
		return nil
	}
	return c.s.connect(ctx, name)
}

// beginLogin begins a login and waits for its end.
func (c control) beginLogin(ctx context.Context, name string, server config.MCPServer) error {
	s := c.s
	inquirer, ok := s.front.(frontend.Inquirer)
	if !ok {
		return fmt.Errorf("there is nobody to do it; run aura mcp login %s in a terminal", name)
	}
	detached, end := context.WithCancelCause(context.WithoutCancel(ctx))
	l := &openLogin{end: end, pasted: make(chan pasted), done: make(chan struct{}), watched: true}
	s.servers.logins.begin(name, l)
	ask, of := s.running.questions.inquiring(inquirer), s.setup.Config
	go func() {
		limited, cancel := context.WithTimeoutCause(detached, loginPatience, fmt.Errorf("nobody logged in within %s", loginPatience))
		defer cancel()
		l.err = setup.Logins(of).Login(limited, server.URL, setup.LoginSettings(server), mcpauth.User{
			Visit: func(address string) {
				s.notices.show(fmt.Sprintf("open this address in a browser, within %s: %s", loginPatience, address))
			},
			Paste: func(ctx context.Context, check func(string) error) (string, bool, error) {
				text, ok, err := ask(ctx, mcp.Inquiry{
					Server: name, Message: "a login. If the browser runs on this machine, aura notices the answer. Otherwise paste the address at which the browser ends, although it shows no page.",
					Field: "address", Check: check,
				})
				if !errors.Is(err, mcp.ErrNoText) {
					return text, ok, err
				}
				s.notices.show(fmt.Sprintf("if the browser runs on this machine, aura notices the answer. Otherwise stop this prompt, and enter "+
					"/mcp login %s ADDRESS with the address at which the browser ends, although it shows no page", name))
				s.servers.logins.keepOpen(l)
				return l.entered(ctx, check)
			},
		})
		if unseen := s.servers.logins.finish(name, l); unseen {
			c.reportUnseen(name, of, l.err)
		}
		close(l.done)
	}()
	return s.servers.logins.wait(ctx, l)
}

// reportUnseen reports the end of a login for which no prompt waits.
func (c control) reportUnseen(name string, of *config.Config, err error) {
	switch {
	case errors.Is(err, errSessionEnds) || errors.Is(err, errBegunAgain):
	case err != nil:
		c.s.notices.show(fmt.Sprintf("logging in to MCP server %q: %v", name, err))
	default:
		c.s.hideLogins(of)()
		c.s.notices.show(fmt.Sprintf("you are logged in to MCP server %q; /mcp %s connects to it", name, name))
	}
}

// entered returns the first address that the user enters and check accepts.
func (l *openLogin) entered(ctx context.Context, check func(string) error) (text string, ok bool, err error) {
	for {
		select {
		case p := <-l.pasted:
			fault := check(p.address)
			p.answer <- fault
			if fault == nil {
				return p.address, true, nil
			}
		case <-ctx.Done():
			return "", false, nil
		}
	}
}

// begin adds a login, and ends an earlier one to the same server.
func (o *logins) begin(name string, l *openLogin) {
	o.mu.Lock()
	earlier := o.open[name]
	if o.open == nil {
		o.open = map[string]*openLogin{}
	}
	o.open[name] = l
	o.mu.Unlock()
	if earlier != nil {
		earlier.end(errBegunAgain)
		<-earlier.done
	}
}

// keepOpen lets a login outlive the prompt that began it.
func (o *logins) keepOpen(l *openLogin) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l.kept = true
}

// finish removes a login that is over. It reports whether no prompt waits for it.
func (o *logins) finish(name string, l *openLogin) (unseen bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open[name] == l {
		delete(o.open, name)
	}
	return !l.watched
}

// wait waits for the end of a login. If ctx ends first, it ends the login, unless the login is kept.
func (o *logins) wait(ctx context.Context, l *openLogin) error {
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
	}
	o.mu.Lock()
	kept := l.kept
	l.watched = !kept
	o.mu.Unlock()
	if !kept {
		l.end(context.Cause(ctx))
		<-l.done
		return l.err
	}
	return context.Cause(ctx)
}

// enter passes an address to the login that waits for one, and waits for the end of the login. An address of another login ends nothing.
func (o *logins) enter(ctx context.Context, name, address string) error {
	o.mu.Lock()
	l := o.open[name]
	if l == nil || !l.kept {
		o.mu.Unlock()
		return fmt.Errorf("no login waits for an address; enter /mcp login %s first", name)
	}
	l.watched = true
	o.mu.Unlock()
	p := pasted{address, make(chan error, 1)}
	var err error
	select {
	case l.pasted <- p:
		err = <-p.answer
	case <-l.done:
	case <-ctx.Done():
	}
	if err != nil {
		o.mu.Lock()
		l.watched = false
		o.mu.Unlock()
		return err
	}
	return o.wait(ctx, l)
}

// close ends all logins.
func (o *logins) close() {
	o.mu.Lock()
	open := make([]*openLogin, 0, len(o.open))
	for _, l := range o.open {
		l.watched = true
		open = append(open, l)
	}
	o.mu.Unlock()
	for _, l := range open {
		l.end(errSessionEnds)
		<-l.done
	}
}
