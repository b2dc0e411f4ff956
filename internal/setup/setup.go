// Package setup works out what the configuration decides for one role: who answers, by which provider, with which tools and
// plugins, behind which rules. It starts nothing, so that every command uses the parts that it needs.
package setup

import (
	"context"
	"fmt"
	"reflect"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/policy"
	"github.com/idelchi/aura/internal/sandbox"
)

// Options are what a user decides on the command line about who answers, and with what.
type Options struct {
	// Agent, Mode, Provider, Model and System (a prompt) choose by name; empty leaves it to the configuration.
	Agent    string
	Mode     string
	Provider string
	Model    string
	System   string
	// Think is how much the model thinks; empty leaves it to the agent.
	Think llm.Think
	// MaxSteps bounds the turns of one interaction, TokenBudget the tokens of the session; 0 leaves it to the configuration.
	MaxSteps    int
	TokenBudget int
	// IncludeTools and ExcludeTools are patterns of tool names, the first layer of filters.
	IncludeTools []string
	ExcludeTools []string
	// WithoutPlugins runs none; UnsafePlugins grants all of them the restricted packages.
	WithoutPlugins bool
	UnsafePlugins  bool
	// Task is the task being run, if any.
	Task *config.Task
}

// Source is what setups are made of: one configuration, as one command line uses it. It is a value. What a user changes in a
// session makes another one.
type Source struct {
	Config  *config.Config
	Options Options
	// TaskEnv are the variables of the task, Vars those of templates.
	TaskEnv map[string]string
	Vars    map[string]string
	// Providers makes providers, each once.
	Providers *Providers
	// OutputDir is where tools keep what is too long for the model; nil, or an empty name, leaves it to the system's place for such
	// files.
	OutputDir func() string
	// Spares starts confined processes in advance; nil if there is only one call to be made.
	Spares *sandbox.Spares
	// Confirm asks the user about a tool call; nil if there is nobody to ask.
	Confirm func(ctx context.Context, q Question) (Answer, error)
	// Approvals are what the user agreed to for the whole session. It is there if Confirm is.
	Approvals *policy.Approvals
	// Emit is given notices, and Uncovered what the sandbox does not cover; both from any goroutine. Nil drops them.
	Emit      func(event.Event)
	Uncovered func(sentences []string)
	// Disabled remembers which patterns of plugins match no tool; nil if there is no session to report them to.
	Disabled *Told
}

func (s Source) notice(plugin, text string) {
	if s.Emit != nil {
		s.Emit(event.Notice{Plugin: plugin, Text: text})
	}
}

// Features are the settings that hold for a role.
func (s Source) Features(r Role) (config.Features, error) {
	return s.Config.FeaturesFor(r.Agent, r.Mode, s.Options.Task)
}

// Plugins are the plugins of a role.
type Plugins struct {
	// Specs are those to run, Entries the same by name.
	Specs   []host.Spec
	Entries map[string]Entry
	// Installed are the names of all that were found, whether they run or not.
	Installed []string
}

// Setup is what the configuration decides for one role. Nothing changes it: whoever wants another one makes it.
type Setup struct {
	Source
	Plugins
	Chain
	Role     Role
	Features config.Features
}

// New works out what a role is set up with.
func New(ctx context.Context, s Source, r Role) (*Setup, error) {
	out := &Setup{Source: s, Role: r}
	var err error
	if out.Features, err = s.Features(r); err != nil {
		return nil, err
	}
	if out.Chain, err = s.NewChain(ctx, r); err != nil {
		return nil, err
	}
	if out.Plugins, err = s.FindPlugins(out.Features); err != nil {
		return nil, err
	}
	return out, brokenGuards(out.Specs)
}

// With is the setup for another role, of the same configuration. Plugins whose settings are the same are not looked for again:
// what lies in their files counts from the next reload on. A sandbox that is stricter is no reason either, for their tools run
// under it in processes of their own; one that was off and is on confines the plugins themselves.
func (s *Setup) With(ctx context.Context, source Source, r Role) (*Setup, error) {
	features, err := source.Features(r)
	if err != nil {
		return nil, err
	}
	confines := features.Sandbox.Enabled && !s.Features.Sandbox.Enabled && sandbox.Support().Enabled
	if confines || !reflect.DeepEqual(features.Plugins, s.Features.Plugins) {
		return New(ctx, source, r)
	}
	out := &Setup{Source: source, Plugins: s.Plugins, Role: r, Features: features}
	out.Chain, err = source.NewChain(ctx, r)
	return out, err
}

// Sandbox is what the role is confined to.
func (s *Setup) Sandbox() Confinement { return s.confinement(s.Features) }

// FindPlugins finds the plugins to run under some settings.
func (s Source) FindPlugins(f config.Features) (Plugins, error) {
	if s.Options.WithoutPlugins {
		return Plugins{}, nil
	}
	merged := *s.Config
	merged.Features = f
	entries, err := Catalog(&merged)
	if err != nil {
		return Plugins{}, err
	}
	out := Plugins{Entries: map[string]Entry{}}
	for _, e := range entries {
		out.Installed = append(out.Installed, e.Name)
		if e.Status == StatusEnabled {
			out.Entries[e.Name] = e
			out.Specs = append(out.Specs, e.Spec(&merged, s.Options.UnsafePlugins))
		}
	}
	return out, nil
}

func (s Source) outputDir() string {
	if s.OutputDir == nil {
		return ""
	}
	return s.OutputDir()
}

// confinement is what some settings confine tools to.
func (s Source) confinement(f config.Features) Confinement {
	c := NewConfinement(s.Config, f, s.outputDir())
	c.tell, c.spares = s.Uncovered, s.Spares
	return c
}

// RequireSandbox refuses to go on where the settings demand a sandbox and the system has none.
func RequireSandbox(f config.Features) error {
	if s := sandbox.Support(); f.Sandbox.Required && !s.Enabled {
		return fmt.Errorf("starting tools and plugins: sandbox.required is set and this system cannot enforce a sandbox: %s; "+
			"use a system that can, or remove required from config/sandbox", s.Reason())
	}
	return nil
}
