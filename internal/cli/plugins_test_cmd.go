package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/author/plugincall"
	"github.com/idelchi/aura/internal/author/plugintest"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/setup"
)

// testOptions holds the flags of plugins test.
type testOptions struct {
	run     string
	verbose bool
	json    bool
	compare bool
}

func newPluginsTest(s streams, root *rootOptions) *cobra.Command {
	o := &testOptions{}
	cmd := &cobra.Command{
		Use:   "test [NAME...]",
		Short: "Run the tests that plugins bring along",
		Long: `Run the tests of the named plugins, or of all enabled ones: the files
testdata/*.yaml of a plugin and its recordings in testdata/recordings/, whose calls
run in processes of the plugin, and its Go tests, if there is a Go toolchain in PATH.
Go tests run in the sandbox of commands. A test has a working directory, data and
state of its own, and sees only the variables that it sets or that were recorded.

With --compare, each test of testdata/ runs in the interpreter and in the compiled
program, and a difference is a failure: a fault of aura, which writes a file for a
report. This needs a Go toolchain, and is the default if compiled plugins are
permitted ("plugins: native: true").

The output is that of 'go test', and --json writes the events of 'go test -json',
with the plugin as Package. The coverage is the share of the plugin's hooks, tools
and commands that testdata/ called.

Exit codes: 0 all tests passed, 1 a test failed, 2 there is no such plugin.`,
		Example: `  aura plugins test
  aura plugins test max-steps -v
  aura plugins test max-steps --run limit
  aura plugins test max-steps --compare
  aura plugins test --json`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeListing(s, root, installedNames),
	}
	f := cmd.Flags()
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return o.test(cmd.Context(), s, root, f.Changed("compare"), args)
	}
	f.StringVar(&o.run, "run", "", "run only tests whose names match this regular expression (also -run)")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "list all tests as they run, and the points that no test calls")
	f.BoolVar(&o.json, "json", false, "write one JSON object per event")
	f.BoolVar(&o.compare, "compare", false, "run each test interpreted and compiled, and compare the results")
	return cmd
}

// goStyle lets 'plugins test' take -run, as go test does. Other flags with one dash are letters.
func goStyle(args []string) []string {
	if i := slices.Index(args, "plugins"); i < 0 || i+1 >= len(args) || args[i+1] != "test" {
		return args
	}
	out := slices.Clone(args)
	for i, arg := range out {
		if arg == "-run" || strings.HasPrefix(arg, "-run=") {
			out[i] = "-" + arg
		}
	}
	return out
}

func (o *testOptions) test(ctx context.Context, s streams, root *rootOptions, chosen bool, names []string) (err error) {
	var run *regexp.Regexp
	if o.run != "" {
		if run, err = regexp.Compile(o.run); err != nil {
			return usageError{fmt.Errorf("--run: %w", err)}
		}
	}
	options, err := root.callOptions(ctx, s)
	if err != nil {
		return err
	}
	options.Notify = nil // a failed test reports what happened
	entries, err := tested(options, names)
	if err != nil {
		return err
	}
	if !chosen {
		o.compare = options.Features.Plugins.Native
	}
	view := testView{w: s.out, secrets: setup.Secrets(options.Config, nil), verbose: o.verbose, json: o.json}
	failed := false
	for _, e := range entries {
		summary, err := plugintest.Plugin(ctx, plugintest.Options{Options: options, Run: run, Compare: o.compare, Report: view.event}, e)
		if err != nil {
			return because(ctx, err)
		}
		view.summary(summary)
		failed = failed || summary.Failed > 0
	}
	if view.err != nil {
		return view.err
	}
	if !failed {
		return nil
	}
	if !o.json {
		fmt.Fprintln(s.out, "FAIL")
	}
	return errShown
}

// tested returns the named plugins, or all that are enabled.
func tested(o plugincall.Options, names []string) (out []setup.Entry, err error) {
	caller, err := plugincall.New(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, caller.Close()) }()
	for _, name := range names {
		e, err := caller.Find(name)
		if err != nil {
			return nil, usageError{err}
		}
		out = append(out, e)
	}
	for _, e := range caller.Entries() {
		if len(names) == 0 && (e.Status == setup.StatusEnabled || e.Status == setup.StatusUnavailable) {
			out = append(out, e)
		}
	}
	return out, nil
}

// testView writes what happens to tests, as go test does.
type testView struct {
	w       io.Writer
	secrets *redact.Redactor
	verbose bool
	json    bool
	// waiting holds the output of the running tests, by name. Without -v, only that of failed tests is shown.
	waiting map[string][]string
	err     error
}

// testEvent is an event as go test -json writes it.
type testEvent struct {
	Time    time.Time
	Action  plugintest.Action
	Package string
	Test    string   `json:",omitempty"`
	Elapsed *float64 `json:",omitempty"`
	Output  string   `json:",omitempty"`
}

func (v *testView) event(e plugintest.Event) {
	e.Output = v.secrets.String(e.Output)
	if v.json {
		v.write(testEvent{Action: e.Action, Package: e.Plugin, Test: e.Test, Output: e.Output}, e.Action != plugintest.ActionRun && e.Action != plugintest.ActionOutput, e.Elapsed)
		return
	}
	if v.waiting == nil {
		v.waiting = map[string][]string{}
	}
	switch e.Action {
	case plugintest.ActionRun:
		if v.verbose {
			fmt.Fprintf(v.w, "=== RUN   %s\n", clean(e.Test))
		}
	case plugintest.ActionOutput:
		if e.Test == "" {
			fmt.Fprint(v.w, clean(e.Output))
			return
		}
		v.waiting[e.Test] = append(v.waiting[e.Test], e.Output)
	default:
		if v.verbose || e.Action == plugintest.ActionFail {
			fmt.Fprintf(v.w, "--- %s: %s (%.2fs)\n", strings.ToUpper(string(e.Action)), clean(e.Test), e.Elapsed.Seconds())
			for _, text := range v.waiting[e.Test] {
				fmt.Fprintf(v.w, "    %s\n", indent(clean(strings.Trim(text, "\n"))))
			}
		}
		delete(v.waiting, e.Test)
	}
}

func (v *testView) write(e testEvent, ended bool, elapsed time.Duration) {
	e.Time = time.Now()
	if ended {
		seconds := elapsed.Seconds()
		e.Elapsed = &seconds
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = v.w.Write(append(plaintext.JSON(line), '\n'))
	}
	if err != nil && v.err == nil {
		v.err = fmt.Errorf("writing JSON: %w", err)
	}
}

// summary writes the line of one plugin.
func (v *testView) summary(t plugintest.Summary) {
	coverage := ""
	if points := len(t.Covered) + len(t.Missed); points > 0 {
		coverage = fmt.Sprintf("\tcoverage: %.1f%% of points", 100*float64(len(t.Covered))/float64(points))
	}
	action, text := plugintest.ActionPass, fmt.Sprintf("ok  \t%s\t%.3fs%s\n", clean(t.Plugin), t.Elapsed.Seconds(), coverage)
	switch {
	case t.Failed > 0:
		action, text = plugintest.ActionFail, fmt.Sprintf("FAIL\t%s\t%.3fs%s\n", clean(t.Plugin), t.Elapsed.Seconds(), coverage)
	case t.Skipped != "":
		action, text = plugintest.ActionSkip, fmt.Sprintf("?   \t%s\t[%s]\n", clean(t.Plugin), t.Skipped)
	}
	if v.json {
		v.write(testEvent{Action: plugintest.ActionOutput, Package: t.Plugin, Output: text}, false, 0)
		v.write(testEvent{Action: action, Package: t.Plugin}, true, t.Elapsed)
		return
	}
	if v.verbose && len(t.Missed) > 0 && t.Ran > 0 {
		fmt.Fprintf(v.w, "not called by a test: %s\n", clean(strings.Join(t.Missed, ", ")))
	}
	fmt.Fprint(v.w, text)
}
