// Package setup determines what the configuration sets up for one role: the agent, its provider, its tools and plugins, and its
// rules. It starts nothing, so that every command can use the parts that it needs.
package setup

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// Options are the choices on the command line about the role and its tools.
type Options struct {
	// Agent, Mode, Provider, Model and System (a prompt) choose by name. An empty name uses the configuration.
	Agent    string
	Mode     string
	Provider string
	Model    string
	System   string
	// Script is a file with answers. If it is not empty, the answers come from it and not from a provider of the configuration.
	Script string
	// Think is how much the model thinks; empty uses the agent's setting.
	Think llm.Think
	// MaxSteps limits the turns of one interaction, TokenBudget the tokens of the session; 0 uses the configuration.
	MaxSteps    int
	TokenBudget int
	// IncludeTools and ExcludeTools are patterns of tool names. They are the first layer of filters.
	IncludeTools []string
	ExcludeTools []string
	// WithoutPlugins runs no plugins. UnsafePlugins grants all plugins the restricted packages.
	WithoutPlugins bool
	UnsafePlugins  bool
	// Task is the task being run, if any.
	Task *config.Task
	// Attended is set if a user works in the session, in a screen or an editor: it then has a mode from the beginning.
	Attended bool
}

// Source is the input of setups: one configuration and one command line. Source is a value; a change that the user makes in a
// session results in a new Source.
type Source struct {
	Config  *config.Config
	Options Options
	// TaskEnv holds the variables of the task, Vars the variables of templates.
	TaskEnv map[string]string
	Vars    map[string]string
	// Providers creates the providers, each once.
	Providers *Providers
	// OutputDir returns the directory for output that is too long for the model. If OutputDir is nil or returns an empty name, the
	// system's directory for temporary files is used.
	OutputDir func() string
	// Transcript writes the session in the form of Claude Code and returns the path of the file, or "" if the session is not saved. It may
	// be nil. Hooks that were written for that agent read the file.
	Transcript func() (string, error)
	// Spares starts confined processes in advance; nil if only one call is made.
	Spares *sandbox.Spares
	// Confirm asks the user about a tool call; nil if no user can be asked.
	Confirm func(ctx context.Context, q policy.Question) (policy.Answer, error)
	// Approvals holds what the user approved for the whole session. It is not nil if Confirm is not nil.
	Approvals *policy.Approvals
	// Emit receives notices. Uncovered receives descriptions of what the sandbox does not cover. Both may be called from any
	// goroutine, and both may be nil.
	Emit      func(event.Event)
	Uncovered func(sentences []string)
	// Made receives paths that confined code left where other programs run them. Exposed is called after a program ran that could
	// write protected paths, because there is no mount namespace. Both may be nil, and may be called from any goroutine.
	Made    func(paths []string)
	Exposed func()
	// Traffic is what the programs of the session do in the network; nil if nobody observes it.
	Traffic *Traffic
	// Told remembers what was reported about the tools of plugins and about instructions; nil if there is no session to report it to.
	Told *Told
	// SaveBuffers lets the editor save those of the files that it holds with changes; nil if there is no editor. It is used only if
	// the user's features allow it.
	SaveBuffers func(ctx context.Context, paths []string) error
}

func (s Source) notice(plugin, text string) {
	if s.Emit != nil {
		s.Emit(event.Notice{Plugin: plugin, Text: text})
	}
}

// Features returns the settings of a role.
func (s Source) Features(r Role) (config.Features, error) {
	f, err := s.Config.FeaturesFor(r.Agent, r.Mode, s.Options.Task)
	if err != nil || r.Within.Name == "" {
		return f, err
	}
	// A subagent must not do what the mode of the session forbids.
	of, err := s.Config.FeaturesFor(config.Agent{}, r.Within, nil)
	f.Tools.Bash.ReadOnly = f.Tools.Bash.ReadOnly || of.Tools.Bash.ReadOnly
	return f, err
}

// Plugins are the plugins of a role.
type Plugins struct {
	// Specs holds the plugins to run. Entries holds the same plugins by name.
	Specs   []host.Spec
	Entries map[string]Entry
	// found holds all plugins that were found, including those that do not run. Installed holds their names.
	found     []Entry
	Installed []string
	// Notices tells the user which plugins replace others, and which are not available.
	Notices []string
}

// Setup is what the configuration sets up for one role. A Setup is immutable; a change creates a new one.
type Setup struct {
	Source
	Plugins
	Chain
	Role     Role
	Features config.Features
}

// New returns the setup of a role.
func New(ctx context.Context, s Source, r Role) (*Setup, error) {
	out := &Setup{Source: s, Role: r}
	err := s.permitted(r)
	if err != nil {
		return nil, err
	}
	if out.Features, err = s.Features(r); err != nil {
		return nil, err
	}
	if out.Chain, err = s.NewChain(ctx, r); err != nil {
		return nil, err
	}
	if out.Plugins, err = s.FindPlugins(out.Features); err != nil {
		return nil, err
	}
	if err := s.checkRequired(out.Plugins); err != nil {
		return nil, err
	}
	return out, startupFaults(out.Specs)
}

// With returns the setup of another role with the same configuration. It does not search for plugins again: changed plugin files
// take effect at the next reload. The plugins that were found are chosen again if their settings differ, which include those of the
// sandbox.
func (s *Setup) With(ctx context.Context, source Source, r Role) (*Setup, error) {
	features, err := source.Features(r)
	if err == nil {
		err = source.permitted(r)
	}
	if err != nil {
		return nil, err
	}
	confines := !reflect.DeepEqual(features.Sandbox, s.Features.Sandbox) && sandbox.Support().Enabled
	out := &Setup{Source: source, Plugins: s.Plugins, Role: r, Features: features}
	if out.Chain, err = source.NewChain(ctx, r); err != nil {
		return nil, err
	}
	if !confines && reflect.DeepEqual(features.Plugins, s.Features.Plugins) {
		return out, nil
	}
	merged := *source.Config
	merged.Features = features
	entries := slices.Clone(s.found)
	for i := range entries {
		if entries[i].Status != StatusShadowed {
			entries[i].choose(features.Plugins)
			entries[i].require(source.Config)
		}
	}
	followPackages(entries)
	out.Plugins = source.choosePlugins(entries, &merged)
	if err := source.checkRequired(out.Plugins); err != nil {
		return nil, err
	}
	return out, startupFaults(out.Specs)
}

// Sandbox returns the confinement of the role.
func (s *Setup) Sandbox() Confinement { return s.Confinement(s.Features) }

// FindPlugins finds the plugins to run with the given settings.
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
	return s.choosePlugins(entries, &merged), nil
}

// choosePlugins returns the plugins to run of those that were found.
func (s Source) choosePlugins(entries []Entry, merged *config.Config) Plugins {
	out := Plugins{Entries: map[string]Entry{}, found: entries, Notices: append(noticesOf(entries), RootNotices(merged)...)}
	// No plugin of these runs before all policies are made, so none can change what another policy is made of.
	confined := sync.OnceValue(func() Confinement { return s.observed(NewConfinement(merged, merged.Features, "")).surveyed() })
	for _, e := range entries {
		out.Installed = append(out.Installed, e.Name)
		if _, twice := out.Entries[e.Name]; e.Status == StatusEnabled && !e.Portable() && !twice {
			out.Entries[e.Name] = e
			out.Specs = append(out.Specs, e.specIn(merged, confined(), s.Options.UnsafePlugins))
		}
	}
	return out
}

func (s Source) outputDir() string {
	if s.OutputDir == nil {
		return ""
	}
	return s.OutputDir()
}

// Confinement returns the confinement of tools with the given settings.
func (s Source) Confinement(f config.Features) Confinement {
	c := NewConfinement(s.Config, f, s.outputDir())
	c.tell, c.spares = s.Uncovered, s.Spares
	return s.observed(c).Noting(s.Uncovered, s.Made, s.Exposed)
}

// observed returns the confinement with the traffic of its programs observed.
func (s Source) observed(c Confinement) Confinement {
	c.traffic, c.programs = s.trafficOf, s.Traffic
	return c
}

// RequireSandbox returns an error if the settings require a sandbox and the system cannot enforce one.
func RequireSandbox(f config.Features) error {
	if s := sandbox.Support(); f.Sandbox.Required && !s.Enabled {
		return fmt.Errorf("starting tools and plugins: sandbox.required is set and this system cannot enforce a sandbox: %s; "+
			"use a system that can, or remove required from config/sandbox", s.Reason())
	}
	return nil
}

// RoleWithModel returns the role with another model, given as MODEL or PROVIDER/MODEL.
func (s *Setup) RoleWithModel(name string) Role {
	r := s.Role
	provider, model, both := strings.Cut(name, "/")
	if _, known := s.Config.Providers[provider]; both && known {
		r.Provider, r.Model = provider, model
	} else {
		r.Model = name
	}
	return r
}
