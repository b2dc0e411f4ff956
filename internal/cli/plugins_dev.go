package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/author/check"
	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/author/plugindev"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

const devHelp = `Watch the files of a plugin, and check and reload the plugin when you save them.
What runs against the plugin is one of these:

  a conversation   Each PROMPT is sent, then each line that you type. After a save,
                   aura reloads the plugin when no prompt is running.
  --script FILE    Before the first save and after each one, a new session sends the
                   PROMPTs, and the model's answers come from FILE.
  --recording R    Before the first save and after each one, the plugin's calls in a
                   recording are made again and compared, as 'plugins replay' does.

Each line of output has a label: saved, check (a finding, with its place), reload,
call (a call of the plugin, with its outcome), log, state, replay and health. With
--json, standard output has events, one JSON object per line.

If the check finds an error, the plugin is not reloaded and the old version
continues. aura does not watch vendor/ and hidden files.

The project needs your consent, as for 'aura run'. If you agreed to the files as they
are, a save needs a new consent: use --trust, or trust the directory with
'aura trust'.

Ctrl-C or /exit ends the command. The end of standard input does not. Exit codes: 0
ended by Ctrl-C or /exit, 1 the session cannot start, 2 there is no such plugin.`

// devOptions holds the flags of plugins dev.
type devOptions struct {
	script    string
	recording string
	json      bool
}

func newPluginsDev(s streams, root *rootOptions) *cobra.Command {
	o := &devOptions{}
	cmd := &cobra.Command{
		Use:   "dev NAME [PROMPT...]",
		Short: "Check and reload a plugin whenever its files are saved",
		Long:  devHelp,
		Example: `  aura plugins dev max-steps
  aura plugins dev max-steps "What is here?"
  aura plugins dev max-steps --script talk.yaml "What is here?"
  aura plugins dev max-steps --recording 01a1`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("%s takes NAME [PROMPT...]", cmd.CommandPath())}
			}
			return o.check(args[1:])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), s, root, args[0], args[1:])
		},
		ValidArgsFunction: first(pluginNames(s, root)),
	}
	cmd.Flags().StringVar(&o.script, "script", "", "take the model's answers from this file, and send the prompts again after each save")
	cmd.Flags().StringVar(&o.recording, "recording", "", "replay the plugin's calls in this recording, and again after each save")
	cmd.Flags().BoolVar(&o.json, "json", false, "write events as JSON lines on standard output")
	return cmd
}

// check refuses flags and prompts that do not go together.
func (o *devOptions) check(prompts []string) error {
	switch {
	case o.script != "" && o.recording != "":
		return usageError{errors.New("--script and --recording exclude each other: choose one")}
	case o.recording != "" && len(prompts) > 0:
		return usageError{errors.New("--recording makes recorded calls again: leave out the prompts")}
	case o.script != "" && len(prompts) == 0:
		return usageError{errors.New("--script needs at least one prompt, to which the file has the answers")}
	default:
		return nil
	}
}

func (o *devOptions) run(ctx context.Context, s streams, root *rootOptions, name string, prompts []string) (err error) {
	if root.withoutPlugins {
		return usageError{errors.New("plugins dev runs a plugin: leave out --without-plugins")}
	}
	options, err := root.callOptions(ctx, s)
	if err != nil {
		return err
	}
	entry, err := devEntry(options, name)
	if err != nil {
		return err
	}
	d := &developed{streams: s, root: root, entry: entry, front: &noting{renderer: o.renderer(s, entry, root.debug)}, options: check.Options{
		Unsafe: root.unsafePlugins || options.Config.Features.Plugins.Unsafe, Taken: setup.TakenToolNames(options.Config),
	}}
	watcher, err := plugindev.Watch(entry.Dir)
	if err != nil {
		return err
	}
	defer watcher.Close()
	defer d.front.finish()
	d.findings()
	loop := plugindev.Options{Changes: watcher.Changes(), Check: d.check}
	switch {
	case o.recording != "":
		err = d.replays(ctx, loop, options.Config, o.recording)
	default:
		var a app.Options
		if a, err = root.appOptions(s); err != nil {
			return err
		}
		a.PluginEvents, a.PluginLogs = true, true
		if o.script == "" {
			if err = root.chooseFirst(ctx, s, &a); err != nil {
				return err
			}
			err = d.converses(ctx, loop, a, prompts)
			break
		}
		if a.Script, err = filepath.Abs(o.script); err == nil {
			err = d.plays(ctx, loop, a, prompts)
		}
	}
	err = unlessInterrupted(ctx, err)
	if j, ok := d.front.renderer.(*jsonRenderer); ok && j.failure() != nil {
		err = errors.Join(err, fmt.Errorf("writing events: %w", j.failure()))
	}
	return err
}

// unlessInterrupted returns nil for the error that says that the user pressed Ctrl-C, which is the usual end.
func unlessInterrupted(ctx context.Context, err error) error {
	if sig, ok := errors.AsType[signalled](context.Cause(ctx)); ok && sig.Signal == os.Interrupt && errors.Is(err, sig) {
		return nil
	}
	return err
}

// devEntry returns a plugin that sessions use.
func devEntry(options plugincall.Options, name string) (_ setup.Entry, err error) {
	caller, err := plugincall.New(options)
	if err != nil {
		return setup.Entry{}, err
	}
	defer func() { err = errors.Join(err, caller.Close()) }()
	e, err := caller.Find(name)
	switch {
	case err != nil:
		return e, usageError{err}
	case e.Status == setup.StatusDisabled || e.Status == setup.StatusExcluded:
		return e, usageError{fmt.Errorf("developing plugin %q: it is %s; 'aura plugins enable %s' enables it", name, e.Status, name)}
	case e.Status == setup.StatusUnavailable:
		return e, fmt.Errorf("developing plugin %q: %w", name, e.Err)
	}
	return e, nil
}

func (o *devOptions) renderer(s streams, e setup.Entry, debug bool) renderer {
	if o.json {
		return &jsonRenderer{out: s.out}
	}
	return &devRenderer{textRenderer: newTextRenderer(s), plugin: e.Name, dir: e.Dir, debug: debug}
}

// noting is a renderer that knows whether an error was shown.
type noting struct {
	renderer
	failed atomic.Bool
}

// Event shows an event.
func (n *noting) Event(e event.Event) {
	if _, ok := e.(event.Error); ok {
		n.failed.Store(true)
	}
	n.renderer.Event(e)
}

// ShowThinking forwards the call to the renderer.
func (n *noting) ShowThinking(on bool) {
	if viewer, ok := n.renderer.(frontend.ThinkingViewer); ok {
		viewer.ShowThinking(on)
	}
}

// after shows an error of what ran since the last call, unless it was shown as an event already.
func (n *noting) after(err error) {
	if shown := n.failed.Swap(false); err != nil && !shown {
		n.renderer.Event(event.Error{Message: err.Error()})
	}
}

// developed is a plugin that is developed.
type developed struct {
	streams
	root    *rootOptions
	entry   setup.Entry
	options check.Options
	front   *noting
}

// check reports a save and what the check finds in it. It returns whether the files can be loaded.
func (d *developed) check(c plugindev.Change) bool {
	if text, ok := d.front.renderer.(*devRenderer); ok {
		text.savedAt(c.At)
	}
	d.front.Event(plugindev.Saved{Plugin: d.entry.Name, Files: append([]string{}, c.Files...)})
	if c.Err != nil {
		d.front.Event(event.Notice{Text: c.Err.Error()})
	}
	return d.findings()
}

// findings reports what the check finds, and returns whether the files can be loaded.
func (d *developed) findings() bool {
	var found []check.Finding
	if d.entry.Python() {
		found = extensionFindings(d.entry.Plugin, setup.CheckExtension(d.entry))
	} else {
		found = check.Dir(d.entry.Dir, d.options)
	}
	for _, f := range found {
		d.front.Event(plugindev.Finding{Finding: f})
	}
	return !slices.ContainsFunc(found, func(f check.Finding) bool { return f.Severity == check.Error })
}

// failed reports an error after which the next save is awaited. It returns the cause if ctx has ended.
func (d *developed) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	d.front.after(err)
	return nil
}

// health reports the health of the plugin.
func (d *developed) health(opened frontend.Session) {
	for _, h := range opened.Health() {
		if h.Name == d.entry.Name {
			d.front.Event(healthEvent(h))
		}
	}
}

// converses runs a conversation, which is reloaded after each save.
func (d *developed) converses(ctx context.Context, loop plugindev.Options, a app.Options, prompts []string) error {
	opened, err := app.Open(ctx, a, attend(d.streams, d.front))
	if err != nil {
		return because(ctx, err)
	}
	loop.Line = typedLines(scanned(d.in), prompts)
	if k, ok := keyboardOf(d.streams); ok {
		loop.Line = typedLines(k.lines.prompts(k.in), prompts)
	}
	loop.Send = func(ctx context.Context, line string) (exit bool, err error) {
		exit, err = opened.RunLine(ctx, frontend.Line{Text: line})
		d.health(opened)
		return exit, d.failed(ctx, err)
	}
	loop.Reload = func(ctx context.Context) error {
		_, err := loop.Send(ctx, "/reload")
		return err
	}
	err = plugindev.Run(ctx, loop)
	return errors.Join(unlessInterrupted(ctx, err), opened.Close(app.ReasonOf(ctx, err)))
}

// scanned returns a function that returns the lines of an input.
func scanned(in io.Reader) func() (string, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, files.MaxText)
	return func() (string, error) {
		if lines.Scan() {
			return lines.Text(), nil
		}
		return "", cmp.Or(lines.Err(), io.EOF)
	}
}

// typedLines returns a function that returns the prompts and then the lines that next returns, without those that are blank.
func typedLines(next func() (string, error), prompts []string) func() (string, error) {
	return func() (string, error) {
		if len(prompts) > 0 {
			next := prompts[0]
			prompts = prompts[1:]
			return next, nil
		}
		for {
			text, err := next()
			switch {
			case errors.Is(err, io.EOF):
				return "", io.EOF
			case err != nil:
				return "", fmt.Errorf("reading standard input: %w", err)
			case strings.TrimSpace(text) != "":
				return strings.ToValidUTF8(strings.TrimRight(text, "\r\n"), "\uFFFD"), nil
			}
		}
	}
}

// plays sends the prompts in a new session, at first and after each save.
func (d *developed) plays(ctx context.Context, loop plugindev.Options, a app.Options, prompts []string) error {
	play := func(ctx context.Context) error {
		opened, err := app.Open(ctx, a, attend(d.streams, d.front))
		if err != nil {
			return err
		}
		err = frontend.Run(ctx, opened, prompts)
		d.health(opened)
		closing := opened.Close(app.ReasonOf(ctx, err))
		if ctx.Err() == nil {
			d.front.after(err)
		}
		d.front.after(closing)
		return nil
	}
	if err := play(ctx); err != nil {
		return because(ctx, err)
	}
	loop.Reload = func(ctx context.Context) error { return d.failed(ctx, play(ctx)) }
	return plugindev.Run(ctx, loop)
}

// replays makes the calls of a recording again, at first and after each save.
func (d *developed) replays(ctx context.Context, loop plugindev.Options, c *config.Config, word string) error {
	r, err := openRecording(c, word)
	if err != nil {
		return setup.Secrets(c, nil).Error(err)
	}
	tellRecording(d.err, r)
	if !slices.Contains(r.Plugins(), d.entry.Name) {
		return usageError{fmt.Errorf("replaying %s: it has no call of plugin %q; it has calls of %s", r.Path, d.entry.Name, strings.Join(r.Plugins(), ", "))}
	}
	loop.Reload = func(ctx context.Context) error { return d.failed(ctx, d.replay(ctx, word)) }
	if err := loop.Reload(ctx); err != nil {
		return err
	}
	return plugindev.Run(ctx, loop)
}

func (d *developed) replay(ctx context.Context, word string) (err error) {
	rec, err := d.root.openReplay(ctx, d.streams, word)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.close()) }()
	options := rec.options
	options.Adjust = func(h *host.Options) {
		h.Observer.OnLog = func(plugin, level, text string) {
			d.front.Event(event.PluginLog{Plugin: plugin, Level: level, Text: rec.secrets.String(text)})
		}
	}
	end := plugindev.ReplayEnd{Plugin: d.entry.Name}
	err = plugincall.Replay(ctx, options, rec.Recording, []string{d.entry.Name}, rec.secrets, func(result recording.Result) error {
		end.Calls++
		if result.Unrepeatable != "" {
			end.Unrepeated++
		} else if len(result.Differences) > 0 {
			end.Differ++
		}
		d.front.Event(plugindev.Replayed{
			Plugin: result.Call.Plugin, Call: result.Call.N, Turn: result.Call.Turn, Point: result.Call.Point, Name: result.Call.Name,
			Differences: result.Differences, Unrepeatable: result.Unrepeatable,
		})
		return nil
	})
	if err != nil {
		return rec.secrets.Error(err)
	}
	d.front.Event(end)
	return nil
}
