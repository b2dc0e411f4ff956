package config

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
	declared, err := loadKind(l, kind[declaration]{name: "mode", folder: "config/modes", ext: markdownFiles, read: l.readMode})
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
	return declare(declared, d.line("name"))
}

func buildMode(made lineage) (Mode, error) {
	f, overrides, err := combined[modeFile](made)
	m := f.Mode
	m.Prompt, m.PromptAt, m.Features, m.made = made.body(), made.place(), overrides, made
	return m, err
}
