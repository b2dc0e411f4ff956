package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
)

// load reads the configuration for a session.
func (o *rootOptions) load(ctx context.Context, s streams) (*config.Config, error) {
	c, err := o.gateFor(s).Load(ctx, o.configOptions(s))
	return c, because(ctx, err)
}

// loadUsable reads the configuration for a command that uses a part of it without a session. What is faulty is left out, with notices.
func (o *rootOptions) loadUsable(ctx context.Context, s streams) (*config.Config, error) {
	options := o.configOptions(s)
	options.LeaveOut = true
	c, err := o.gateFor(s).Load(ctx, options)
	return c, because(ctx, err)
}

// list reads the configuration for a command that only shows it.
func (o *rootOptions) list(s streams) (gate.Listing, error) {
	return o.gateFor(s).List(o.configOptions(s))
}

// gateFor returns the gate of the command line. There is only one.
func (o *rootOptions) gateFor(s streams) *gate.Gate {
	if o.gate == nil {
		o.gate = &gate.Gate{
			Trust: o.trust, Safe: o.safe, Ask: asker(s),
			Tell: func(text string) { fmt.Fprintf(s.err, "! %s\n", clean(text)) },
		}
	}
	return o.gate
}

// renewing runs write, which changes the project's home. If the user had consented to the previous content, or there was none,
// the consent is extended to the new content. In other cases no consent is given. If the consent cannot be saved, renewing only
// reports that.
func (o *rootOptions) renewing(s streams, write func() error) error {
	gate := o.gateFor(s)
	renewal, failed := gate.Renew(o.configOptions(s))
	if err := write(); err != nil {
		return err
	}
	if failed == nil {
		failed = renewal.Done()
	}
	if failed != nil {
		gate.Tell(failed.Error())
	}
	return nil
}

// quietGate returns a gate that neither asks questions nor reports notices.
func (o *rootOptions) quietGate() *gate.Gate { return &gate.Gate{Trust: o.trust, Safe: o.safe} }

func (o *rootOptions) checkTrust() error {
	if o.trust && o.safe {
		return usageError{errors.New("--trust and --safe contradict each other: choose one")}
	}
	return nil
}

// contradicted returns the flag, of --trust and --safe, whose opposite is on the command line. The environment then does not set
// that flag.
func contradicted(cmd *cobra.Command) string {
	given := func(name string) bool {
		f := cmd.Root().PersistentFlags().Lookup(name)
		return f != nil && f.Changed && f.Value.String() == "true"
	}
	switch {
	case given("safe"):
		return "trust"
	case given("trust"):
		return "safe"
	default:
		return ""
	}
}

// asker returns a function that asks the user whether to trust a project. It returns nil if there is no terminal for the question
// or the answer.
func asker(s streams) func(context.Context, *gate.UntrustedError) (gate.Answer, error) {
	k, ok := keyboardOf(s)
	if !ok {
		return nil
	}
	return func(ctx context.Context, u *gate.UntrustedError) (gate.Answer, error) {
		question := fmt.Sprintf("%s\n\n%sChoose [q]: ", clean(u.Summary()), choices(u))
		for {
			text, err := k.ask(ctx, func() error {
				_, err := fmt.Fprint(s.err, question)
				return err
			})
			if err != nil {
				fmt.Fprintln(s.err)
				return gate.AnswerQuit, because(ctx, err)
			}
			if answer, ok := parseAnswer(u, text); ok {
				return answer, nil
			}
			question = "Type one of the letters.\nChoose [q]: "
		}
	}
}

// choices returns the possible answers. If the user's rule requires consent for files, consent for a directory is not offered.
func choices(u *gate.UntrustedError) string {
	text := ""
	if u.Rule != config.TrustPinned {
		text = "  d  trust this directory from now on, also when its files change\n"
	}
	return text + `  f  trust these files as they are; a change asks again
  s  safe mode: run without them, with your own configuration only
  q  quit
`
}

func parseAnswer(u *gate.UntrustedError, text string) (gate.Answer, bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "q", "quit":
		return gate.AnswerQuit, true
	case "d", "directory":
		return gate.AnswerDirectory, u.Rule != config.TrustPinned
	case "f", "files":
		return gate.AnswerFiles, true
	case "s", "safe":
		return gate.AnswerSafe, true
	default:
		return gate.AnswerQuit, false
	}
}
