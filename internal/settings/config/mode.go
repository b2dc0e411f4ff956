package config

import (
	"embed"
	"maps"
	"slices"
)

// The modes that aura brings along and that something else in aura names. NoMode stands for no mode, unless a mode has this name.
const (
	ModeAsk  = "ask"
	ModeAuto = "auto"
	NoMode   = "none"
)

// builtinModes lists the modes that aura brings along, in the order in which the user switches from one to the next.
var builtinModes = []string{ModeAsk, "edit", ModeAuto, "plan"}

//go:embed modes
var modeFiles embed.FS

// Mode is a way of working that any agent can use: modes/**/*.md, one per file.
type Mode struct {
	// Prompt is the body of the file, a template that is added to the system prompt. If the body is empty, the body of the last
	// parent that has one is used.
	Prompt string `yaml:"-"`
	// PromptAt is the location of Prompt.
	PromptAt Place `yaml:"-"`

	Name        string `check:"required" yaml:"name"`
	Description string `yaml:"description"`
	// Inherit names the modes from which this mode takes its settings. The last one takes precedence. This value already includes
	// their settings.
	Inherit []string `yaml:"inherit"`
	// Hide omits the mode from lists.
	Hide  bool       `yaml:"hide"`
	Tools ToolFilter `yaml:"tools"`
	Hooks HookFilter `yaml:"hooks"`
	// Features overrides settings of features for this mode; see FeaturesFor.
	Features map[string]any `yaml:"-"`

	made lineage
}

// modeFile is the frontmatter of a mode.
type modeFile struct {
	Mode `yaml:",inline"`

	Features featureFile `yaml:"features"`
}

func (l *loader) modes() (map[string]Mode, error) {
	var builtin []embedded
	for _, name := range builtinModes {
		text, err := modeFiles.ReadFile("modes/" + name + ".md")
		if err != nil {
			return nil, err
		}
		builtin = append(builtin, embedded{name + ".md", text})
	}
	declared, err := loadKind(l, kind[declaration]{name: "mode", folder: "config/modes", ext: markdownFiles, read: l.readMode, builtin: builtin})
	if err != nil {
		return nil, err
	}
	return resolveInheritance(l, "mode", declared, buildMode)
}

func (l *loader) readMode(d document) ([]entity[declaration], error) {
	var f modeFile
	if err := l.decode(d, &f); err != nil {
		return nil, err
	}
	if err := d.named("a mode", f.Name); err != nil {
		return nil, err
	}
	declared := declaration{document: d, name: f.Name, parents: f.Inherit, file: f}
	if err := f.Tools.Policy.check(declared.below(toolsKey).below("policy")); err != nil {
		return nil, err
	}
	if declared.get(featuresKey, toolsKey, "mode") != nil {
		return nil, declared.wrong([]string{featuresKey, toolsKey, "mode"}, "a mode does not choose a mode: remove it")
	}
	return declare(declared, d.line("name"))
}

// ModeNames returns the names of the modes in the order of the lists: those that aura brings along, whoever declares them now, and then all
// others by name. Hidden modes are not among them.
func (c *Config) ModeNames() []string {
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(c.Modes)), func(name string) bool { return slices.Contains(builtinModes, name) })
	return slices.DeleteFunc(slices.Concat(builtinModes, others), func(name string) bool {
		m, ok := c.Modes[name]
		return !ok || m.Hide || c.permitMode(m) != nil
	})
}

func buildMode(made lineage) (Mode, error) {
	f, overrides, err := combined[modeFile](made)
	m := f.Mode
	m.Prompt, m.PromptAt, m.Features, m.made = made.body(), made.place(), overrides, made
	return m, err
}
