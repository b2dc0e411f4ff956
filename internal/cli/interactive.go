package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/ui/inputhistory"
	"github.com/idelchi/aura/internal/ui/tui"
)

// promptArgs returns an error if the arguments of the root command are probably a misspelt command, or a command of another program.
// Otherwise they are prompts. Words after -- are always prompts.
func promptArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || strings.ContainsAny(args[0], " \n") || cmd.ArgsLenAtDash() == 0 {
		return nil
	}
	unknown := fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	if does := meaningHere(args[0]); does != "" {
		return usageError{fmt.Errorf("%w: %s. To send it as a prompt, put -- before it", unknown, does)}
	}
	if err := meant(unknown, "", cmd, args[0]); err != unknown { //nolint:errorlint // whether it is the same, with nothing added
		return usageError{fmt.Errorf("%w To send it as a prompt, put -- before it", err)}
	}
	return nil
}

// interact runs the interactive screen.
func (o *rootOptions) interact(ctx context.Context, s streams, prompts []string, plain bool) error {
	in, inOK := s.in.(*os.File)
	if !inOK || !isTerminal(in) || !isTerminal(s.out) {
		return usageError{fmt.Errorf("the interactive screen needs a terminal; to run a prompt without one, use: aura run %s", promptExample(prompts))}
	}
	a, err := o.appOptions(s)
	if err != nil {
		return err
	}
	// The questions whether to trust the directory, and which model to use, come before the screen.
	c, err := o.load(ctx, s)
	if err != nil {
		return err
	}
	if err := o.chooseFirst(ctx, s, &a); err != nil {
		return err
	}
	features, err := c.FeaturesFor(config.Agent{}, config.Mode{}, nil)
	if err != nil {
		return err
	}
	history, err := inputhistory.Open(c.State.Prompts())
	if err != nil {
		o.gateFor(s).Tell(err.Error())
	}
	safeDir, safeEnviron, err := setup.Unconfined(c, s.environ)
	if err != nil {
		return err
	}
	resumable, before := "", ""
	options := tui.Options{
		SafeDir: safeDir, SafeEnviron: safeEnviron,
		In: in, Out: os.Stdout, Environ: s.environ, Workdir: c.Workdir, Drafts: c.State.Drafts(), Prompts: prompts, History: history, Hide: setup.Secrets(c, nil).String, Settings: features.Screen, Debug: o.debug,
		Uninterrupted: func() func() { return s.interrupts.divert(func() {}) },
		Close: func(ctx context.Context, opened frontend.Session, err error) error {
			if len(session.Prompts(opened.History())) > 0 {
				resumable = opened.Status().SessionID
			}
			return opened.Close(app.ReasonOf(ctx, err))
		},
	}
	a.Attended = true
	a.PluginEvents = true // the status line shows the state of the plugins
	options.Open = func(ctx context.Context, front frontend.FrontEnd) (frontend.Session, error) {
		return opened(app.Open(ctx, a, front))
	}
	if plain || isPlain(s.environ) {
		screen := tui.NewPlain(options, s.out)
		before = "\n" // the linear screen ends behind its prompt
		o.ask(s, screen)
		pressed := make(chan struct{}, 1)
		defer s.interrupts.divert(func() {
			select {
			case pressed <- struct{}{}:
			default:
			}
		})()
		err = screen.Run(ctx, pressed)
	} else {
		screen := tui.New(options)
		o.ask(s, screen)
		err = screen.Run(ctx)
	}
	if resumable != "" {
		fmt.Fprintf(s.err, "%sTo continue this session: aura --resume %s\n", before, resumable)
	}
	return because(ctx, err)
}

// chooser is a screen that can ask the user to choose.
type chooser interface {
	Choose(ctx context.Context, about string, choices []tui.Choice) (key string, err error)
	Tell(text string)
}

// ask lets a screen ask whether the directory is trusted, after a reload.
func (o *rootOptions) ask(s streams, screen chooser) {
	g := o.gateFor(s)
	g.Tell = screen.Tell
	g.Ask = func(ctx context.Context, u *gate.UntrustedError) (gate.Answer, error) {
		var list []tui.Choice
		for line := range strings.Lines(choices(u)) {
			key, text, _ := strings.Cut(strings.TrimSpace(line), " ")
			list = append(list, tui.Choice{Key: key, Text: strings.TrimSpace(text)})
		}
		key, err := screen.Choose(ctx, u.Summary(), list)
		if err != nil {
			return gate.AnswerQuit, err
		}
		answer, _ := parseAnswer(u, key)
		return answer, nil
	}
}

// opened avoids an interface that holds a nil session.
func opened(s *app.Session, err error) (frontend.Session, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// isPlain reports whether the environment asks for linear output.
func isPlain(environ []string) bool {
	term, _ := config.Lookup(environ, "TERM")
	accessible, _ := config.Lookup(environ, "ACCESSIBLE")
	return term == "dumb" || accessible != "" && accessible != "0" && !strings.EqualFold(accessible, "false")
}
