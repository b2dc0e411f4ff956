package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// rootOptions holds the flags that several commands share. flagTable in flags.go defines which command takes which flags.
type rootOptions struct {
	configs []string
	home    string
	roleOptions
	auto           bool
	tokenBudget    int
	vars           []string
	workdir        string
	envFiles       []string
	maxSteps       int
	includeTools   []string
	excludeTools   []string
	withoutPlugins bool
	unsafePlugins  bool
	network        networkFlag

	withoutInstructions bool

	debug  bool
	resume string
	goOn   bool
	trust  bool
	safe   bool

	flags *pflag.FlagSet
	// gate is created when it is first needed, because the flags are known by then.
	gate *gate.Gate
}

// roleOptions choose who answers, and how.
type roleOptions struct {
	agent, mode, provider, model, system, think string
}

const rootHelp = `aura is a terminal coding agent whose plugins cannot take it down.

Without a command, aura opens the interactive screen and sends the prompts that
are given. 'aura run' runs prompts without a screen, for scripts; 'aura -p' is the
same. --resume as the last word, without a session, lets you choose one on the screen.

Every plugin runs in a process of its own. aura kills and restarts a plugin that
crashes or hangs, and the conversation continues. 'aura plugins show' shows the
health of a plugin.

Every flag below can also be set as AURA_<FLAG> in the environment, such as
AURA_WITHOUT_PLUGINS=true. The help of a command lists the flags that it takes.

What the files of a directory ask for beyond text takes effect only if you trust
the directory; otherwise the exit code is 2. See 'aura trust --help'.

Exit codes: 0 success, 1 error, 2 usage, 3 step or budget limit, 4 timeout (--timeout),
130 interrupted (Ctrl-C), 143 terminated, 129 hung up.`

const rootExamples = `  aura
  aura "What is in this directory?"
  aura run "What is in this directory?"
  aura run --without-plugins "hi"
  aura plugins
  aura plugins show notepad --json
  aura doctor`

func newRoot(s streams) *cobra.Command {
	o := &rootOptions{}
	plain := false
	cmd := &cobra.Command{
		Use:           "aura [PROMPT...]",
		Short:         "A terminal coding agent whose plugins cannot take it down",
		Long:          rootHelp,
		Example:       rootExamples,
		Version:       build.Read().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          promptArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			reportIdle(cmd, s.err)
			p, err := requirePolicy(cmd)
			if err != nil {
				return err
			}
			if err := s.audit.open(p, s.environ); err != nil {
				return err
			}
			if err := fromEnvironment(cmd, s.environ); err != nil {
				return err
			}
			return o.checkTrust()
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.interact(cmd.Context(), s, args, plain) },
	}
	cmd.SetIn(s.in)
	cmd.SetOut(s.out)
	cmd.SetErr(s.err)
	cmd.SetVersionTemplate("aura version {{ .Version }}\n")
	cmd.SetFlagErrorFunc(flagError)
	o.register(cmd.PersistentFlags())
	cmd.Flags().BoolVar(&plain, "plain", false, "linear output without redrawing, for screen readers (also ACCESSIBLE=1)")
	addGroup(cmd, "Work:", newRun(s, o), newACP(s, o), newTasks(s, o), newFleet(s, o), newSessions(s, o), newExplain(s, o), newWeb(s, o), newInit(s, o), newImport(s, o), newTrust(s, o), newApprovals(s, o))
	addGroup(cmd, "What a model can use:", newTools(s, o), newPlugins(s, o), newSources(s, o), newMCP(s, o), newHooks(s, o), newModelsNoun(s, o), newSandbox(s, o), newCache(s, o))
	addGroup(cmd, "Configuration:", append(newNouns(s, o), newShow(s, o), newPaths(s, o), newPolicy(s, o))...)
	addGroup(cmd, "aura itself:", newDoctor(s, o), newVersion(s))
	o.completeFlags(cmd, s)
	strictTopics(cmd)
	helpEverywhere(cmd)
	narrowHelp(cmd)
	return cmd
}

// addGroup adds commands under a heading of the help.
func addGroup(root *cobra.Command, title string, list ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, cmd := range list {
		cmd.GroupID = title
	}
	root.AddCommand(list...)
}

func (o *rootOptions) register(f *pflag.FlagSet) {
	o.flags = f
	f.StringArrayVar(&o.configs, "config", nil, "project home to use instead of .aura (repeatable, the last wins)")
	f.StringVar(&o.home, "home", "", `user's home (default ~/.aura; "" for none)`)
	f.StringVar(&o.agent, "agent", "", "agent to use")
	f.StringVar(&o.mode, "mode", "", "mode to work in")
	f.StringVar(&o.provider, "provider", "", "provider to use")
	f.StringVar(&o.model, "model", "", "model to use")
	f.StringVar(&o.system, "system", "", "prompt to use as the system prompt, by its name")
	f.StringVar(&o.think, "think", "", "how much the model thinks: off, on, low, medium or high")
	f.BoolVar(&o.auto, "auto", false, "continue automatically while todos are open")
	f.StringVar(&o.workdir, "workdir", "", "directory to work in")
	f.StringArrayVar(&o.envFiles, "env-file", nil, "file with environment variables (repeatable; default secrets.env if it exists)")
	f.IntVar(&o.maxSteps, "max-steps", 0, "model calls per prompt (default 50)")
	f.IntVar(&o.tokenBudget, "token-budget", 0, "tokens that the session may use, input and output together (default no limit)")
	f.StringArrayVar(&o.vars, "set", nil, "variable for the templates of prompts, as KEY=VALUE (repeatable)")
	f.StringSliceVar(&o.includeTools, "include-tools", nil, "offer only tools that match these patterns")
	f.StringSliceVar(&o.excludeTools, "exclude-tools", nil, "do not offer tools that match these patterns")
	f.BoolVar(&o.withoutPlugins, "without-plugins", false, "run without any plugin")
	f.BoolVar(&o.withoutInstructions, "without-instructions", false, "leave AGENTS.md and CLAUDE.md out of the system prompt")
	f.BoolVar(&o.unsafePlugins, "unsafe-plugins", false, "let plugins import os/exec, syscall and unsafe; =false denies it even if the settings allow it")
	f.Var(&o.network, "network", "what tools and plugins reach of the network: on, off, or the only hosts, separated by commas")
	f.BoolVar(&o.goOn, "continue", false, "continue the session that was used last")
	f.StringVar(&o.resume, "resume", "", "continue a session: its id or the beginning of it, its name, or the beginning of its title")
	f.BoolVar(&o.trust, "trust", false, "let this directory's files take effect in this run")
	f.BoolVar(&o.safe, "safe", false, "ignore this directory's .aura, secrets.env and instructions")
	f.BoolVar(&o.debug, "debug", false, "show every event on standard error")
}

// configOptions returns where this command line finds the configuration.
func (o *rootOptions) configOptions(s streams) config.Options {
	c := config.Options{Configs: o.configs, Workdir: o.workdir, EnvFiles: o.envFiles, Environ: s.environ, WithoutInstructions: o.withoutInstructions, WithoutPackages: o.withoutPlugins}
	if o.flags.Changed("home") {
		c.Home = &o.home
	}
	c.Network = o.network.setting
	c.SafePlugins = o.flags.Changed("unsafe-plugins") && !o.unsafePlugins
	if home, err := os.UserHomeDir(); err == nil {
		c.UserHome = home
	}
	return c
}

// appOptions returns the session options of the command line.
func (o *rootOptions) appOptions(s streams) (app.Options, error) {
	think, err := llm.ParseThink(o.think)
	if err != nil {
		return app.Options{}, usageError{fmt.Errorf("--think: %w", err)}
	}
	vars, err := o.variables()
	if err != nil {
		return app.Options{}, err
	}
	if o.flags.Changed("resume") && o.resume == "" {
		return app.Options{}, usageError{errors.New("--resume is empty: give the id or the name of a session; aura sessions list shows them")}
	}
	for flag, value := range map[string]int{"max-steps": o.maxSteps, "token-budget": o.tokenBudget} {
		if value < 0 {
			return app.Options{}, usageError{fmt.Errorf("--%s %d is negative", flag, value)}
		}
	}
	return app.Options{
		Options: setup.Options{
			Agent: o.agent, Mode: o.mode, Provider: o.provider, Model: o.model, System: o.system, Think: think,
			MaxSteps: o.maxSteps, TokenBudget: o.tokenBudget, IncludeTools: o.includeTools, ExcludeTools: o.excludeTools,
			WithoutPlugins: o.withoutPlugins, UnsafePlugins: o.unsafePlugins,
		},
		Config: o.configOptions(s), Gate: o.gateFor(s), Version: build.Version, Auto: o.auto, Vars: vars, Continue: o.goOn, Resume: o.resume,
		PolicyRead: func(p *machinepolicy.Policy) error { return s.audit.open(p, s.environ) },
	}, nil
}

// variables returns the variables of --set.
func (o *rootOptions) variables() (map[string]string, error) {
	vars := map[string]string{}
	for _, text := range o.vars {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, usageError{fmt.Errorf("--set %s: write it as KEY=VALUE", text)}
		}
		vars[key] = value
	}
	return vars, nil
}

// fromEnvironment sets the root's flags that are not on the command line from AURA_<FLAG>. It ignores variables whose flags do
// not affect the command.
func fromEnvironment(cmd *cobra.Command, environ []string) error {
	var failed error
	opposed := contradicted(cmd)
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		name := "AURA_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := config.Lookup(environ, name)
		if !ok || f.Changed || failed != nil || !takes(cmd, f.Name) || value == "" && f.Name != "home" || f.Name == opposed {
			return // an empty variable counts as unset, except that an empty home means no home
		}
		if err := cmd.Root().PersistentFlags().Set(f.Name, value); err != nil {
			failed = usageError{fmt.Errorf("reading %s: %w", name, err)}
		}
	})
	return failed
}
