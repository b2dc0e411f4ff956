// Package config reads everything that the user configures, from all homes, into one value that does not change
// afterwards. It is strict: whatever it reads and does not understand is an error that names the file, the line and the
// key. Beside the plugins' supervisor it is the only reader of the environment.
//
// A new sort of entity is a type, a kind that says where its files lie and how one is read, and a line in Load.
package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/state"
	"github.com/idelchi/aura/internal/strictyaml"
)

// Options say where to look.
type Options struct {
	// Configs are the project's homes, the last one winning. Each must exist. None is .aura, which need not.
	Configs []string
	// Home is the user's home; nil is .aura below UserHome, and an empty string is none.
	Home *string
	// Workdir is what relative paths in Options start from; empty is the process's own.
	Workdir string
	// EnvFiles are read in order, the last one winning. Each must exist. Nil is secrets.env, which need not.
	EnvFiles []string
	// Environ is the process environment, as NAME=value; nil is that of this process.
	Environ []string
	// UserHome is the home directory of the user; empty if there is none.
	UserHome string
	// Safe leaves out what the project holds: .aura, secrets.env and instructions, unless they are named or are in the user's home.
	Safe bool
	// WithoutInstructions reads no files of instructions.
	WithoutInstructions bool
	// Text reads the configuration to show it: no variable takes effect, neither those of env files nor ${NAME} in values,
	// which stays as it is written.
	Text bool
}

// Config is all of the configuration. It and everything that it holds is read-only.
type Config struct {
	// Homes are in order of precedence, the lowest first. Those that do not exist are among them.
	Homes []Home
	// Workdir is absolute.
	Workdir string
	// Project is the project's home: the last one given. It is absolute and need not exist.
	Project string
	// User is the user's home, absolute; empty if there is none. It need not exist.
	User string
	// State is where aura keeps its own state of this project.
	State state.Paths

	Providers  map[string]Provider
	Agents     map[string]Agent
	Modes      map[string]Mode
	Tasks      map[string]Task
	Prompts    map[string]Prompt
	Commands   map[string]Command
	Skills     map[string]Skill
	MCPServers map[string]MCPServer
	Hooks      map[string]Hook
	// ToolDefinitions are by the name of the tool.
	ToolDefinitions map[string]ToolDefinition
	// Features are as the homes have them, defaults included; see FeaturesFor.
	Features Features

	// Instructions are the files of instructions, the outermost first: that of the user's home, then those of the project from its
	// root down to the working directory.
	Instructions []Instructions

	// Environ is the process environment with the env files beneath it: a variable that the process has wins.
	Environ []string
	// Inherited is the process environment alone. What tools may do must not depend on files that tools can write.
	Inherited []string
	// EnvFiles are the env files, whether they exist or not.
	EnvFiles []string
	// Notices are what the user should know of what was read and has no effect.
	Notices []string
	// References are the places of ${NAME} in values, in the order in which they were read.
	References []Reference

	defaultAgent string
	globals      globals
	origins      origins
}

// Load reads the configuration. An error says where in which file it is, and one line each tells of all files at fault.
func Load(o Options) (*Config, error) {
	c, err := load(o)
	if err != nil {
		return nil, fmt.Errorf("loading configuration: %w", err)
	}
	return c, nil
}

// Locate finds the homes and the state without reading anything that is in them. What the homes configure is missing.
func Locate(o Options) (*Config, error) {
	p, err := locate(o)
	if err != nil {
		return nil, fmt.Errorf("looking for configuration: %w", err)
	}
	return &Config{
		Homes: p.homes, Workdir: p.workdir, Project: p.project, User: p.user, State: o.state(p),
		Environ: o.inherited(), Inherited: o.inherited(), EnvFiles: o.envFiles(p.workdir),
	}, nil
}

func load(o Options) (*Config, error) {
	p, err := locate(o)
	if err != nil {
		return nil, err
	}
	env, notices, err := loadEnvironment(o, p.workdir)
	if err != nil {
		return nil, err
	}
	l := &loader{places: p, env: env, inherited: o.inherited(), text: o.Text, seen: origins{}}
	c := &Config{
		Homes: p.homes, Workdir: p.workdir, Project: p.project, User: p.user, State: o.state(p), origins: l.seen,
		Environ: env, Inherited: o.inherited(), EnvFiles: o.envFiles(p.workdir), Notices: notices,
	}
	if dir := filepath.Dir(p.project); len(o.Configs) == 0 && len(p.homes) > 0 && dir != p.workdir && p.homes[len(p.homes)-1].Dir == p.project {
		c.Notices = append(c.Notices, "using the configuration in "+p.project)
	}
	if o.Text {
		c.Environ = c.Inherited
	}
	var faults []error
	for _, read := range []func() error{
		into(&c.Providers, l.providers),
		func() (err error) { c.Agents, c.defaultAgent, err = l.agents(); return err },
		into(&c.Modes, l.modes),
		into(&c.Tasks, l.tasks),
		into(&c.Prompts, l.prompts),
		into(&c.Commands, l.commands),
		into(&c.Skills, l.skills),
		into(&c.ToolDefinitions, l.toolDefinitions),
		into(&c.MCPServers, l.mcpServers),
		into(&c.Hooks, l.hooks),
		into(&c.globals, l.features),
	} {
		err := read()
		faults = append(faults, err)
		// A home that cannot be read is told once, not for each of its folders.
		if _, inFile := errors.AsType[*strictyaml.Error](err); err != nil && !inFile {
			break
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	c.Features, c.References = c.globals.features, l.references
	c.Notices = slices.Concat(c.Notices, l.strangeFolders(), idleTasks(c.Tasks))
	// An agent may turn them on.
	var shortened []string
	if c.Instructions, shortened = o.instructions(p); c.Features.Instructions.Enabled {
		c.Notices = append(c.Notices, shortened...)
	}
	return c, nil
}

// into is the reading of one part of the configuration to its place.
func into[T any](place *T, read func() (T, error)) func() error {
	return func() (err error) {
		*place, err = read()
		return err
	}
}

// DefaultAgent is the agent that is marked as the default in the home of highest precedence that marks one.
func (c *Config) DefaultAgent() (Agent, bool) {
	a, ok := c.Agents[c.defaultAgent]
	return a, ok
}

// PluginRoots are the directories that hold plugins, one per home, lowest precedence first. They need not exist.
func (c *Config) PluginRoots() []PluginRoot { return slices.Clone(c.globals.roots) }
