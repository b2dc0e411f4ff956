package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/app/migrate"
	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/ui/acp"
)

const acpHelp = `Serve an editor over standard input and output by the Agent Client Protocol.

Editors such as Zed, the JetBrains IDEs, Neovim and Emacs start this command. It
serves any number of sessions until the editor closes standard input. Each session
works in the directory that the editor names, with the configuration, the plugins,
the sandbox and the trust of that directory.

Standard output has messages of the protocol and nothing else. What concerns no
session goes to standard error.

The flags are defaults for all sessions. --trust and AURA_TRUST=1 trust every
directory that the editor opens; 'aura trust' in a directory trusts that directory.`

// readyTimeout is the time limit for each provider that is asked whether it offers a model.
const readyTimeout = 10 * time.Second

func newACP(s streams, root *rootOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "acp",
		Short: "Serve an editor by the Agent Client Protocol",
		Long:  acpHelp,
		Example: `  aura acp
  aura acp --agent reviewer
  aura acp --without-plugins`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return root.serveACP(cmd.Context(), s) },
	}
}

// serveACP serves an editor until it ends.
func (o *rootOptions) serveACP(ctx context.Context, s streams) error {
	a, err := o.appOptions(s)
	if err != nil {
		return err
	}
	a.Attended = true
	a.PluginEvents = true // the client is notified of the states of plugins
	defer keepOut()()
	tell := func(text string) { fmt.Fprintf(s.err, "! %s\n", clean(text)) }
	return because(ctx, acp.Serve(ctx, acp.Options{
		In: s.in, Out: s.out, Version: build.Version, Log: tell,
		Ready: func(ctx context.Context) error { return o.offersModel(ctx, s, tell) },
		Open: func(ctx context.Context, r acp.Request, front frontend.FrontEnd) (frontend.Session, error) {
			return o.openACP(ctx, a, r, front)
		},
		List: func(workdir string) ([]session.Summary, error) {
			c := o.configOptions(s)
			if workdir != "" {
				c.Workdir = workdir
			}
			return o.savedSessions(c, workdir == "", tell)
		},
	}))
}

// offersModel returns an error unless a provider offers a model, in the directory that the editor started aura in.
func (o *rootOptions) offersModel(ctx context.Context, s streams, tell func(string)) error {
	gate := &gate.Gate{Trust: o.trust, Safe: o.safe, Tell: tell}
	l, err := gate.List(o.configOptions(s))
	if err != nil {
		return err
	}
	offers, err := inspect.Models(ctx, l, inspect.ModelOptions{Timeout: readyTimeout, Notify: tell})
	for _, offer := range offers {
		if offer.Err == nil && len(offer.Models) > 0 {
			return nil
		}
		err = cmp.Or(err, offer.Err)
	}
	return acp.NeedsLogin(fmt.Errorf("looking for a model: %w", cmp.Or(err, errors.New("no provider offers one"))))
}

// keepOut lets what other code prints to standard output go to standard error, because standard output has the protocol alone.
func keepOut() (restore func()) {
	out := os.Stdout
	os.Stdout = os.Stderr
	return func() { os.Stdout = out }
}

// openACP opens a session as an editor asks for it.
func (o *rootOptions) openACP(ctx context.Context, a app.Options, r acp.Request, front frontend.FrontEnd) (frontend.Session, error) {
	a.Config.Workdir, a.Continue, a.Resume = r.Workdir, false, r.Resume
	a.Gate = &gate.Gate{Trust: o.trust, Safe: o.safe, Tell: r.Tell}
	if r.Choose != nil {
		a.Gate.Ask = func(ctx context.Context, u *gate.UntrustedError) (gate.Answer, error) {
			var list []acp.Choice
			for line := range strings.Lines(choices(u)) {
				key, text, _ := strings.Cut(strings.TrimSpace(line), " ")
				list = append(list, acp.Choice{Key: key, Text: strings.TrimSpace(text)})
			}
			key, err := r.Choose(ctx, u.Summary(), list)
			if err != nil {
				return gate.AnswerQuit, err
			}
			answer, _ := parseAnswer(u, key)
			return answer, nil
		}
	}
	for _, server := range r.Servers {
		a.Config.ClientServers = append(a.Config.ClientServers, config.MCPServer{
			Name: server.Name, Command: server.Command, Args: server.Args, Env: server.Env, URL: server.URL, Headers: server.Headers,
		})
	}
	if r.Resume != "" {
		if err := hasSession(a.Config, r.Resume); err != nil {
			return nil, err
		}
	}
	session, err := opened(app.Open(ctx, a, front))
	if _, missing := errors.AsType[*setup.NoProviderError](err); missing {
		err = acp.NeedsLogin(err)
	}
	return session, err
}

// hasSession returns an error unless a saved session has exactly this id.
func hasSession(o config.Options, id string) error {
	c, err := config.Locate(o)
	if err != nil {
		return err
	}
	found, err := inspect.FindSession(c, id)
	if err == nil && found.ID == id {
		return nil
	}
	if err == nil || errors.Is(err, session.ErrNone) {
		return acp.NotFound("no saved session has the id %q; session/list lists them", id)
	}
	return err
}

// savedSessions lists the sessions of a project, or of all projects. Their titles have no secrets.
func (o *rootOptions) savedSessions(c config.Options, all bool, tell func(string)) ([]session.Summary, error) {
	gate := &gate.Gate{Trust: o.trust, Safe: o.safe, Tell: tell}
	l, err := gate.List(c)
	if err != nil {
		return nil, err
	}
	migrate.State(l.Config, tell)
	list, err := session.List(sessionDirs(l.Config, all)...)
	secrets := setup.Secrets(l.Config, nil)
	for i := range list {
		list[i].Title, list[i].Name = secrets.String(list[i].Title), secrets.String(list[i].Name)
	}
	return list, err
}
