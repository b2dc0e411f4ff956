package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/app/frontend"
)

// runOptions holds the flags of run, which tasks run shares.
type runOptions struct {
	timeout time.Duration
	json    bool
	health  bool
	record  bool
	events  []string
	// promptsFile has prompts as JSON lines.
	promptsFile string
	// attach holds the paths of files that are sent with the first prompt.
	attach []string
}

const runHelp = `Run prompts through the agent and print its answers.

Each argument is a prompt. aura runs them one after the other in one
conversation. A prompt that begins with a slash is a command, such as /plugins,
/reload or /help. @path in a prompt attaches a file; \@ is a plain @.

--attach FILE attaches a file to the first prompt that is not a command. An image,
audio or a PDF file is sent as such if the model takes it; other files are sent as text.

A prompt that is - is read from standard input, as is the only prompt if no
argument is given. Text that is piped beside other prompts is sent with the first
one. If the pipe is silent for 3 seconds, aura warns and sends the prompt alone.

--prompts-file FILE reads the prompts from a file, each line a JSON string. Unlike
arguments, they are not visible to other users of the machine.

The model's text goes to standard output; tool calls, notices and errors of
plugins go to standard error. With --json, standard output has events, one JSON
object per line, and nothing else. '--events plugins' adds an event for each call
of a plugin and for each change of a plugin's state, '--events waiting' one for
what the session waits for.

aura saves the session. 'aura sessions list' lists saved sessions, and 'aura paths'
shows where they are.`

const runExamples = `  aura run "Summarise the README"
  aura run "List the files" "/plugins" "Thanks"
  aura run "What does @main.go do?"
  aura run --attach screenshot.png "Why is the button cut off?"
  git diff | aura run "Review this change"
  echo "What does main.go do?" | aura run -
  jq --null-input --compact-output '"List the files", "Thanks"' | aura run --prompts-file -
  aura run --json --timeout 5m "Fix the failing test"`

func newRun(s streams, root *rootOptions) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:     "run [PROMPT...]",
		Short:   "Run prompts and print the answers",
		Long:    runHelp,
		Example: runExamples,
		Args:    cobra.ArbitraryArgs,

		ValidArgsFunction: completePrompts(s, root),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkEvents(root.debug); err != nil {
				return err
			}
			ctx, cancel, err := o.withTimeout(cmd.Context())
			if err != nil {
				return err
			}
			defer cancel()
			a, err := root.appOptions(s)
			if err != nil {
				return err
			}
			source := promptSource{in: s.in, warn: root.gateFor(s).Tell, after: time.After}
			prompts, err := source.all(ctx, o.promptsFile, args)
			if err != nil {
				return err
			}
			if err := o.checkAttach(prompts); err != nil {
				return err
			}
			if !o.json {
				if err := root.chooseFirst(ctx, s, &a); err != nil {
					return err
				}
			}
			return o.run(ctx, s, a, root.debug, prompts)
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&o.promptsFile, "prompts-file", "", "read the prompts from this file, each line a JSON string; - is standard input")
	cmd.Flags().StringArrayVar(&o.attach, "attach", nil, "attach this file to the first prompt; repeatable")
	return cmd
}

func (o *runOptions) register(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "end the run after this long, with exit code 4")
	cmd.Flags().BoolVar(&o.json, "json", false, "write events as JSON lines on standard output")
	cmd.Flags().BoolVar(&o.health, "health", false, "print the health of the plugins at the end")
	cmd.Flags().BoolVar(&o.record, "record", false, "keep the whole input and output of every plugin call, for 'aura plugins replay'")
	o.registerEvents(cmd)
}

// checkAttach returns an error if --attach cannot be used with the prompts.
func (o *runOptions) checkAttach(prompts []string) error {
	switch {
	case len(o.attach) == 0:
		return nil
	case slices.Contains(o.attach, fromInput), slices.Contains(o.attach, ""):
		return usageError{errors.New("--attach needs the path of a file; standard input is a prompt, not a file")}
	case firstPrompt(prompts) < 0:
		return usageError{errors.New("--attach needs a prompt that is not a slash command")}
	default:
		return nil
	}
}

// withTimeout returns a context that ends after the timeout.
func (o *runOptions) withTimeout(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if o.timeout < 0 {
		return nil, nil, usageError{fmt.Errorf("--timeout %s is negative", o.timeout)}
	}
	if o.timeout == 0 {
		return ctx, func() {}, nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, o.timeout, timeoutError(o.timeout))
	return limited, cancel, nil
}

// run runs one session from beginning to end.
func (o *runOptions) run(ctx context.Context, s streams, a app.Options, debug bool, prompts []string) error {
	r := o.renderer(s, debug)
	a.PluginEvents = slices.Contains(o.events, pluginEvents)
	a.PluginLogs = a.PluginEvents || debug
	a.Record = o.record
	err := converse(ctx, a, attend(s, r), prompts, o.attach, func(opened frontend.Session) {
		if o.health {
			o.showHealth(s, r, opened)
		}
	})
	r.finish()
	if text, ok := r.(*textRenderer); ok && text.failed && err != nil && ctx.Err() == nil {
		err = errors.Join(err, errShown)
	}
	if j, ok := r.(*jsonRenderer); ok && j.failure() != nil && err == nil {
		err = fmt.Errorf("writing events: %w", j.failure())
	}
	return err
}

// converse opens a session, runs it and closes it.
func converse(ctx context.Context, a app.Options, front frontend.FrontEnd, prompts, paths []string, last func(frontend.Session)) error {
	var attached []frontend.Attachment
	for _, path := range paths {
		attached = append(attached, frontend.Attachment{Path: path})
	}
	opened, err := app.Open(ctx, a, front)
	if err != nil {
		return because(ctx, err)
	}
	err = because(ctx, frontend.Run(ctx, opened, prompts, attached...))
	last(opened)
	return errors.Join(err, opened.Close(app.ReasonOf(ctx, err)))
}

// because replaces the error of an ended context with the cause.
func because(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (o *runOptions) renderer(s streams, debug bool) renderer {
	if o.json {
		return &jsonRenderer{out: s.out, listed: o.listed}
	}
	r := newTextRenderer(s)
	if debug {
		r.traced = o.listed
	}
	return r
}

// showHealth ends a run with one line per plugin.
func (o *runOptions) showHealth(s streams, r renderer, opened frontend.Session) {
	list := opened.Health()
	if o.json {
		for _, h := range list {
			r.Event(healthEvent(h))
		}
		return
	}
	r.finish()
	fmt.Fprintln(s.err)
	writeHealth(s.err, list)
}

// healthEvent returns the health of a plugin as an event.
func healthEvent(h host.PluginHealth) event.Health {
	return event.Health{
		Plugin: h.Name, State: string(h.State), Calls: h.Calls, Errors: h.Errors, Timeouts: h.Timeouts,
		Restarts: h.Restarts, LastExit: h.LastExit, P50Micros: h.P50, P99Micros: h.P99, ChunksDropped: h.ChunksDropped,
		EventsEmitted: h.Events.Emitted, EventsDelivered: h.Events.Delivered, EventsFailed: h.Events.Failed,
		EventsDropped: h.Events.Dropped, EventsWaiting: h.Events.Waiting,
	}
}
