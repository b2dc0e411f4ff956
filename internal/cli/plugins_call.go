package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// callOptions holds the flags of plugins call.
type callOptions struct {
	input    string
	from     string
	template bool
}

func newPluginsCall(s streams, root *rootOptions) *cobra.Command {
	o := &callOptions{}
	cmd := &cobra.Command{
		Use:   "call NAME POINT",
		Short: "Call one hook, tool or command of a plugin and print the result",
		Long: `Call one plugin once, in a process of its own, without a conversation and without
a model. POINT is the name of a hook, tool:NAME or command:NAME.

The input is a JSON object. For a hook it is the hook's context, or a part of it: a
field that is not there has its zero value, except that PluginConfig is the plugin's
configuration. For a tool or a command it has the fields Context and Args.
--template prints an input with all fields. --from takes the input of a recorded
call instead: RECORDING@N is call N of a recording, or of a session that was recorded
with 'aura run --record', as 'aura plugins replay' counts them. With --template it is
printed. The plugin's condition and its once setting do not apply.

The result is a JSON object with the result, or the error, and the duration in
milliseconds. Exit codes: 0 the plugin answered, 1 the call failed, 2 there is no
such plugin or point, or the input is wrong.`,
		Example: `  aura plugins call max-steps BeforeChat
  aura plugins call max-steps BeforeChat --template > context.json
  aura plugins call max-steps BeforeChat --input context.json
  aura plugins call max-steps BeforeChat --from 01a1@3
  aura plugins call max-steps BeforeChat --from 01a1@3 --template > context.json
  echo '{"Args":{"action":"read","path":"notes.txt"}}' |
    aura plugins call notepad tool:Notepad --input -`,
		Args: exactArgs("NAME", "POINT"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, root, args[0], args[1]) },
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return pluginNames(s, root)(cmd, args, typed)
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&o.input, "input", "", "file with the input as JSON; - reads standard input")
	cmd.Flags().StringVar(&o.from, "from", "", "take the input of a recorded call, as RECORDING@N")
	cmd.Flags().BoolVar(&o.template, "template", false, "print an input for POINT instead of calling it")
	return cmd
}

// callReport is the result of a call as JSON.
type callReport struct {
	Plugin string          `json:"plugin"`
	Point  string          `json:"point"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
	// Kind is what caused the failure, such as "plugin", "timeout" or "crash".
	Kind host.ErrorKind `json:"error_kind,omitempty"`
	// Millis is how long the plugin worked on the call.
	Millis float64 `json:"duration_ms"`
}

func (o *callOptions) run(ctx context.Context, s streams, root *rootOptions, name, point string) (err error) {
	if o.input != "" && (o.template || o.from != "") {
		return usageError{errors.New("--input gives the whole input: leave out --template and --from")}
	}
	at, err := plugincall.ParsePoint(point)
	if err != nil {
		return usageError{err}
	}
	options, err := root.callOptions(ctx, s)
	if err != nil {
		return err
	}
	input, err := o.read(s, options.Config, at)
	if err != nil {
		return err
	}
	caller, err := plugincall.New(options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, caller.Close()) }()
	p, err := caller.Open(ctx, name)
	if _, unknown := errors.AsType[*plugincall.UnknownError](err); unknown {
		return usageError{err}
	}
	if err != nil {
		return because(ctx, err)
	}
	secrets := setup.Secrets(options.Config, nil)
	if o.template {
		return o.print(s, secrets, p, at, input)
	}
	if o.from == "" {
		if err := p.CheckArguments(at, input); err != nil {
			return usageError{o.named(err)}
		}
	}
	return call(ctx, s, secrets, p, at, input, o.named)
}

// named adds to an error about the input the file that it comes from.
func (o *callOptions) named(err error) error {
	if o.input == "" {
		return err
	}
	return fmt.Errorf("--input %s: %w", o.input, err)
}

// print prints the input of the call: the recorded one, or one with all fields.
func (o *callOptions) print(s streams, secrets *redact.Redactor, p *plugincall.Plugin, at plugincall.Point, input []byte) (err error) {
	if o.from == "" {
		if input, err = p.Template(at); err != nil {
			return usageError{err}
		}
	}
	return writeJSON(s.out, json.RawMessage(secrets.JSON(input)))
}

// call makes the call and prints what came of it.
func call(ctx context.Context, s streams, secrets *redact.Redactor, p *plugincall.Plugin, at plugincall.Point, input []byte, named func(error) error) error {
	outcome, err := p.Call(ctx, at, input)
	if err != nil {
		return usageError{named(err)}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	report := callReport{Plugin: p.Spec().Name, Point: at.String(), Millis: float64(outcome.Took) / float64(time.Millisecond)}
	if outcome.Output != nil {
		report.Result = secrets.JSON(outcome.Output)
	}
	if outcome.Err != nil {
		report.Error = secrets.String(host.Reason(outcome.Err).Error())
		if failure, ok := errors.AsType[*host.Error](outcome.Err); ok {
			report.Kind = failure.Kind
		}
	}
	if err := writeJSON(s.out, report); err != nil || outcome.Err == nil {
		return err
	}
	return errShown
}

// recorded returns the input of a recorded call of a point. The call may be one of another plugin.
func recorded(s streams, c *config.Config, from string, at plugincall.Point) ([]byte, error) {
	i := strings.LastIndexByte(from, '@')
	n, err := strconv.Atoi(from[i+1:])
	if i <= 0 || err != nil {
		return nil, usageError{fmt.Errorf("--from %s: write it as RECORDING@N, where N is the number of the call", from)}
	}
	r, err := openRecording(c, from[:i])
	if err != nil {
		return nil, err
	}
	tellRecording(s.err, r)
	if n < 1 || n > len(r.Calls) {
		return nil, usageError{fmt.Errorf("--from %s: the recording has the calls 1 to %d", from, len(r.Calls))}
	}
	call := r.Calls[n-1]
	request, err := call.Request()
	if err != nil {
		return nil, err
	}
	was, input, err := plugincall.InputOf(request)
	if err != nil {
		return nil, fmt.Errorf("--from %s: %w", from, err)
	}
	if was != at {
		return nil, usageError{fmt.Errorf("--from %s: this is a call of %s of plugin %q, which has no input for %s", from, was, call.Plugin, at)}
	}
	if call.Redacted {
		fmt.Fprintf(s.err, "! secrets were removed from the input of call %d\n", n)
	}
	return input, nil
}

// read returns the input of the call.
func (o *callOptions) read(s streams, c *config.Config, at plugincall.Point) ([]byte, error) {
	var text []byte
	var err error
	switch {
	case o.from != "":
		return recorded(s, c, o.from, at)
	case o.input == "":
		return []byte("{}"), nil
	case o.input == "-":
		text, err = readBounded(s.in)
	default:
		text, err = files.Read(o.input, files.MaxText)
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("reading the input of the call: %w", err)}
	}
	return text, nil
}

// callOptions returns how plugins of this command line are called. It asks for the user's consent if the project needs it.
func (o *rootOptions) callOptions(ctx context.Context, s streams) (plugincall.Options, error) {
	c, err := o.loadUsable(ctx, s)
	if err != nil {
		return plugincall.Options{}, err
	}
	features, err := o.features(c)
	if err != nil {
		return plugincall.Options{}, err
	}
	if err := setup.RequireSandbox(features); err != nil {
		return plugincall.Options{}, err
	}
	tell := notices(s.err, newMask(c))
	return plugincall.Options{Config: c, Features: features, Unsafe: o.unsafePlugins, Notify: func(n host.Notice) {
		if n.Kind == host.NoticeWarning { // the outcome of a call reports failures
			tell(n.Text)
		}
	}}, nil
}

// features returns the settings of the role that the command line names, or of the default agent.
func (o *rootOptions) features(c *config.Config) (config.Features, error) {
	agent, err := c.ChooseAgent(o.agent)
	if err != nil {
		return config.Features{}, err
	}
	role, err := setup.FindRole(c, agent, o.mode)
	if err != nil {
		return config.Features{}, err
	}
	return setup.Source{Config: c}.Features(role)
}
