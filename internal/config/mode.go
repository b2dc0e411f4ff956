package config

// Mode is a way of working for any agent: modes/**/*.md, one per file.
type Mode struct {
	// Prompt is the body of the file, a template: it is added to the system prompt. Without a body it is that of the last
	// parent with one.
	Prompt string `yaml:"-"`
	// PromptAt is where Prompt stands.
	PromptAt Place `yaml:"-"`

	Name        string `check:"required" yaml:"name"`
	Description string `yaml:"description"`
	// Inherit names modes whose settings this one starts from, the last one winning. They are part of this value already.
	Inherit []string `yaml:"inherit"`
	// Hide keeps the mode out of lists.
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
	return settle("mode", declared, buildMode)
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
