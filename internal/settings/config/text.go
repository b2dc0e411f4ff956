package config

import (
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
	// ArgumentHint is the same as one text, as in the commands of other agents.
	ArgumentHint string `yaml:"argument-hint"`
	// AllowedTools is shown. It grants nothing.
	AllowedTools Names `yaml:"allowed-tools"`
	// Model answers the prompt instead of the current one: MODEL or PROVIDER/MODEL.
	Model string `yaml:"model"`
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
	own := kind[Command]{name: "command", folder: "config/commands", ext: markdownFiles, read: l.readCommand}
	return loadAround(l, own, l.readForeignCommands)
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
