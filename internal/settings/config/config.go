// Package config reads the user's configuration from all homes into one value that does not change afterwards. It is strict:
// input that it does not understand is an error that names the file, the line and the key. Apart from the plugins' supervisor, it
// is the only package that reads the environment.
//
// To add a kind of entity, add a type, a kind that defines where its files are located and how one is read, and a line in Load.
package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/system/machinepolicy"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/state"
)

// Options defines where to look for the configuration.
type Options struct {
	// Configs holds the project's homes. The last one takes precedence. Each must exist. If it is empty, .aura is used, which
	// need not exist.
	Configs []string
	// Home is the user's home. Nil means .aura below UserHome. An empty string means that there is no home.
	Home *string
	// Workdir is the directory to which paths in Options are relative. If it is empty, the working directory of the process is
	// used.
	Workdir string
	// EnvFiles are read in order, and the last one takes precedence. Each must exist. Nil means secrets.env, which need not
	// exist.
	EnvFiles []string
	// Environ is the process environment, as NAME=value. Nil means the environment of this process.
	Environ []string
	// UserHome is the home directory of the user. It is empty if there is none.
	UserHome string
	// Safe ignores the files of the project: .aura, secrets.env and instructions, unless they are named explicitly or are in the
	// user's home.
	Safe bool
	// WithoutInstructions skips the files of instructions.
	WithoutInstructions bool
	// WithoutPackages leaves out the portable plugins.
	WithoutPackages bool
	// Text reads the configuration only to show it. Variables have no effect: env files are not applied, and ${NAME} in values
	// stays as written.
	Text bool
	// LeaveOut leaves out files that cannot be used, and reports them in Config.Faults, instead of returning an error. Faults of files that limit
	// what runs stay errors. A session never sets it.
	LeaveOut bool
	// SafePlugins denies plugins unsafe mode, whatever the settings say.
	SafePlugins bool
	// Network replaces every setting of sandbox.network; nil keeps them.
	Network *network.Setting
	// Machine is the policy of this machine; nil reads it. Only tests set it.
	Machine *machinepolicy.Policy
	// ClientServers holds the MCP servers that an editor passes. They are used only if the user's features allow it.
	ClientServers []MCPServer
}

// Config is the whole configuration. It and everything that it contains is read-only.
type Config struct {
	// Homes are in order of precedence, the lowest first. They include homes that do not exist.
	Homes []Home
	// Workdir is absolute.
	Workdir string
	// Project is the project's home, the last one given. It is absolute and need not exist.
	Project string
	// User is the absolute path of the user's home, or empty if there is none. It need not exist.
	User string
	Consent
	Restricted
	// Aar is the user's directory of Aar, in which extensions keep files, or empty if there is none. It need not exist.
	Aar string
	// State holds the paths of aura's own state for this project.
	State state.Paths

	Entities
	// Features holds the settings of the homes, including defaults; see FeaturesFor.
	Features Features

	// Instructions holds the files of instructions, the outermost first: the file of the user's home, then those of the project
	// from its root down to the working directory.
	Instructions []Instructions

	// Environ is the process environment combined with the env files. A variable of the process takes precedence.
	Environ []string
	// Inherited is the process environment alone. What tools may do must not depend on files that tools can write.
	Inherited []string
	// EnvFiles holds the paths of the env files, whether they exist or not.
	EnvFiles []string
	// Notices tells the user about configuration that was read but has no effect.
	Notices []string
	Broken
	// SkillsLeftOut holds the skills in directories of other agents that cannot be used.
	SkillsLeftOut []LeftOut
	// Packages holds the portable plugins in use, by name.
	Packages map[string]Package
	// References holds the locations of ${NAME} in values, in the order in which they were read.
	References []Reference

	defaultAgent string
	// safePlugins is Options.SafePlugins.
	safePlugins bool
	// network is Options.Network.
	network    *network.Setting
	globals    globals
	extensions []PluginRoot
	origins    origins
}

// Consent is what the user has agreed to. The gate sets it.
type Consent struct {
	// Untrusted is true if the project is excluded because the user has not agreed to it. Listings set it: they start nothing then,
	// not even the user's own programs.
	Untrusted bool
	// Agreed is true if the user has agreed to the project, or named its home. It is false for a project that needs no consent
	// because it contains only text. The gate sets it.
	Agreed bool
	// Unchanged returns an error if files of the project changed since then. It is nil if the user has not agreed to the files as they are.
	Unchanged func() error
	// Consented returns an error if the user has withdrawn the consent for the project. It is nil if the project needs none.
	Consented func() error
	// Covered lists the paths that the user's consents for directories cover, in all projects. They contain no links above the last
	// part, and need not exist. The gate sets it.
	Covered []string
}

// Entities are what the files of the homes define, by name.
type Entities struct {
	Providers  map[string]Provider
	Agents     map[string]Agent
	Modes      map[string]Mode
	Tasks      map[string]Task
	Prompts    map[string]Prompt
	Commands   map[string]Command
	Skills     map[string]Skill
	MCPServers map[string]MCPServer
	Hooks      map[string]Hook
	// ToolDefinitions maps the names of tools to their definitions.
	ToolDefinitions map[string]ToolDefinition
}

// Load reads the configuration. The error names the file and line of each fault, and contains one line for every faulty file.
func Load(o Options) (*Config, error) {
	c, err := load(o)
	if err != nil {
		return nil, fmt.Errorf("loading configuration: %w", err)
	}
	return c, nil
}

// Locate finds the homes and the state without reading any files. The returned Config lacks the settings of the homes.
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
	machine, err := o.machine()
	if err != nil {
		return nil, err
	}
	env, notices, err := loadEnvironment(o, p.workdir)
	if err != nil {
		return nil, err
	}
	l := &loader{places: p, foreign: o.foreignSkills(p), env: env, inherited: o.inherited(), text: o.Text, userHome: o.UserHome, seen: origins{}, withoutPackages: o.WithoutPackages, leavesOut: o.LeaveOut}
	c := &Config{
		Homes: p.homes, Workdir: p.workdir, Project: p.project, User: p.user, State: o.state(p), origins: l.seen, Restricted: Restricted{Machine: machine},
		Environ: env, Inherited: o.inherited(), EnvFiles: o.envFiles(p.workdir), Notices: notices,
		Aar: o.aarHome(p.workdir), extensions: o.extensionRoots(p),
	}
	if dir := filepath.Dir(p.project); len(o.Configs) == 0 && len(p.homes) > 0 && dir != p.workdir && p.homes[len(p.homes)-1].Dir == p.project {
		c.Notices = append(c.Notices, "using the configuration in "+p.project)
	}
	if o.Text {
		c.Environ = c.Inherited
	}
	var faults []error
	globals, globalsFault := l.features()
	c.globals = globals
	c.State = o.state(p)
	l.packages = l.findPackages(c)
	for _, read := range []func() error{
		into(&c.Providers, l.providers),
		func() (err error) { c.Agents, c.defaultAgent, err = l.agents(); return err },
		into(&c.Modes, l.modes),
		into(&c.Tasks, l.tasks),
		into(&c.Prompts, l.prompts),
		into(&c.Commands, l.commands),
		into(&c.Skills, l.skills),
		into(&c.ToolDefinitions, l.toolDefinitions),
		into(&c.MCPServers, func() (map[string]MCPServer, error) { return l.mcpServers(c.Agents) }),
		into(&c.Hooks, l.hooks),
		func() error { return globalsFault },
	} {
		err := read()
		faults = append(faults, err)
		// Report a home that cannot be read once, not once for each of its folders.
		if _, inFile := errors.AsType[*strictyaml.Error](err); err != nil && !inFile {
			break
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	c.safePlugins, c.network = o.SafePlugins, o.Network
	c.Features, c.References = c.restricted(c.globals.features), l.references
	c.SkillsLeftOut = l.leftOut
	c.Broken = Broken{LeavesOut: o.LeaveOut, Faults: l.faults, defaultFault: l.defaultFault}
	c.Packages = l.packages
	c.Notices = slices.Concat(c.Notices, l.notices, l.packageNotices(), l.strangeFolders(), idleTasks(c.Tasks))
	// Read the instructions even if they are disabled, because an agent may enable them.
	var shortened []string
	if c.Instructions, shortened = o.instructions(p); c.Features.Instructions.Enabled {
		c.Notices = append(c.Notices, shortened...)
	}
	c.addClientServers(o.ClientServers)
	c.applyMachine(o.Text)
	return c, nil
}

// into returns a function that reads one part of the configuration and stores it in place.
func into[T any](place *T, read func() (T, error)) func() error {
	return func() (err error) {
		*place, err = read()
		return err
	}
}

// DefaultAgent returns the default agent. If several homes mark one, the home of highest precedence decides.
func (c *Config) DefaultAgent() (Agent, bool) {
	a, ok := c.Agents[c.defaultAgent]
	return a, ok
}

// PluginRoots returns the directories that contain plugins, one per home, lowest precedence first. They need not exist.
func (c *Config) PluginRoots() []PluginRoot { return slices.Clone(c.globals.roots) }

// Roots returns the directories that contain plugins or Python extensions, lowest precedence first. The directories of one home are
// next to each other.
func (c *Config) Roots() []PluginRoot {
	var out []PluginRoot
	for _, kind := range []HomeKind{HomeUser, HomeProject} {
		for _, p := range c.globals.portable {
			if p.Home.Kind == kind {
				out = append(out, p)
			}
		}
		for _, e := range c.extensions {
			if e.Home.Kind != kind {
				continue
			}
			out = append(out, e)
			for _, p := range c.globals.roots {
				if p.Home.Dir == e.Home.Dir {
					out = append(out, p)
				}
			}
		}
	}
	return out
}
