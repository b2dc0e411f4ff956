package config

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Prompt is a text for the model: prompts/**/*.md, one per file.
type Prompt struct {
	// Body is a template.
	Body string `yaml:"-"`
	// BodyAt is the location of Body.
	BodyAt Place `yaml:"-"`

	Name string `check:"required" yaml:"name"`
}

// Command is a message that the user sends by a short name: commands/**/*.md, one per file.
type Command struct {
	Source Source `yaml:"-"`
	// Body is the message. $1 and so on are replaced by the arguments, and $ARGUMENTS by all of them.
	Body string `yaml:"-"`

	// Name does not include the slash. If the file sets no name, it is the name of the file.
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	// Hints label the arguments in completion.
	Hints []string `yaml:"hints"`
}

// Skill is a text that a model can read when it needs it: skills/**/*.md of a home, one per file.
type Skill struct {
	Source Source `yaml:"-"`
	Body   string `yaml:"-"`

	Name string `check:"required" yaml:"name"`
	// Description tells the model when the skill is needed.
	Description string `yaml:"description"`
}

// Dir returns the folder whose files belong to the skill. It is empty if the skill is a single file.
func (s Skill) Dir() string {
	if !strings.EqualFold(filepath.Base(s.Source.File), skillFile) {
		return ""
	}
	return filepath.Dir(s.Source.File)
}

func (l *loader) prompts() (map[string]Prompt, error) {
	return loadKind(l, kind[Prompt]{name: "prompt", folder: "config/prompts", ext: markdownFiles, read: l.readPrompt})
}

func (l *loader) readPrompt(d document) ([]entity[Prompt], error) {
	p := Prompt{Body: strings.TrimSpace(d.body), BodyAt: Place{Source: d.Source, Line: d.bodyLine}}
	if err := l.decode(d, &p); err != nil {
		return nil, err
	}
	if err := d.named("a prompt", p.Name); err != nil {
		return nil, err
	}
	return []entity[Prompt]{{name: p.Name, line: d.line("name"), value: p}}, nil
}

func (l *loader) commands() (map[string]Command, error) {
	return loadKind(l, kind[Command]{name: "command", folder: "config/commands", ext: markdownFiles, read: l.readCommand})
}

// isCommandName reports whether a name can be typed after a slash without looking like a path.
func isCommandName(name string) bool {
	for i, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && (i == 0 || !strings.ContainsRune("-_:.", r)) {
			return false
		}
	}
	return name != ""
}

func (l *loader) readCommand(d document) ([]entity[Command], error) {
	c := Command{Source: d.Source, Body: strings.TrimSpace(d.body)}
	if err := l.decode(d, &c); err != nil {
		return nil, err
	}
	if c.Name == "" {
		c.Name = strings.TrimSuffix(filepath.Base(d.File), filepath.Ext(d.File))
	}
	if !isCommandName(c.Name) {
		return nil, d.fault([]string{"name"}, "%q cannot be typed as a command: use letters, digits and - _ : . without a slash", c.Name)
	}
	if c.Body == "" {
		return nil, d.empty("command", c.Name)
	}
	return []entity[Command]{{name: c.Name, line: d.line("name"), value: c}}, nil
}

// skillFile is the main file of a skill that is a folder. All other files in the folder belong to the skill.
const skillFile = "SKILL.md"

func (l *loader) skills() (map[string]Skill, error) {
	return loadKind(l, kind[Skill]{name: "skill", folder: "skills", ext: markdownFiles, skip: belongsToSkill, read: l.readSkill})
}

// belongsToSkill reports whether a file is located in the folder of a skill but is not its main file.
func belongsToSkill(s Source) bool {
	if strings.EqualFold(filepath.Base(s.File), skillFile) {
		return false
	}
	top := filepath.Join(s.Home.Dir, "skills")
	for dir := filepath.Dir(s.File); len(dir) > len(top); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, skillFile)); err == nil {
			return true
		}
	}
	return false
}

func (l *loader) readSkill(d document) ([]entity[Skill], error) {
	s := Skill{Source: d.Source, Body: strings.TrimSpace(d.body)}
	if err := l.decode(d, &s); err != nil {
		return nil, err
	}
	if err := d.named("a skill", s.Name); err != nil {
		return nil, err
	}
	if s.Body == "" {
		return nil, d.empty("skill", s.Name)
	}
	return []entity[Skill]{{name: s.Name, line: d.line("name"), value: s}}, nil
}
