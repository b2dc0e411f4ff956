// Package prompt turns what users write for a model into what the model is sent: prompts are templates that can speak of
// the session, and custom commands are messages with places for arguments.
package prompt

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

// Data is what a template can speak of.
type Data struct {
	// Agent, Mode, Provider and Model are names; those that are not chosen are empty.
	Agent    string
	Mode     string
	Provider string
	Model    string
	Tools    Tools
	Hooks    Hooks
	Sandbox  Sandbox
	Workdir  string
	// Instructions are the files of instructions, each below a heading with its path.
	Instructions string
	// Vars are the task's variables and those of the command line.
	Vars map[string]string
}

// Tools are the names of those that the model is offered at once, and of those that it can ask for.
type Tools struct {
	Eager    []string
	Deferred []string
}

// Hooks are the shell hooks that are in force.
type Hooks struct {
	Active []HookInfo
	// Display is a summary of them.
	Display string
}

// HookInfo is a shell hook as its file describes it.
type HookInfo struct {
	Name        string
	Description string
	// Event is pre or post.
	Event   string
	Matcher string
	Files   string
	Command string
}

// Sandbox is what confines the tools. It is requested by the configuration and enabled where the system enforces it.
type Sandbox struct {
	Enabled   bool
	Requested bool
	// Display is a description of what it allows.
	Display string
}

// opening is how an action of a template begins. A text without one is the same before and after.
const opening = "{{"

// templateName is what the template library calls every template; the user knows it by the name of the prompt. It is not
// one that a prompt is likely to define itself.
const templateName = "aura prompt"

// Template is a prompt and where it stands, for errors.
type Template struct {
	Name string
	Body string
	// File may be empty. Line is that of the file that the body begins on.
	File string
	Line int
}

// Render executes the template. An error names the prompt and the line, of the file if that is known and else of the body.
func (p Template) Render(data Data) (string, error) {
	body := p.Body
	if !strings.Contains(body, opening) {
		return body, nil
	}
	m := &meter{}
	t, err := p.parse(m)
	if err != nil {
		return "", p.explain(err)
	}
	lenient(t)
	bound(t)
	if err := t.Execute(m, data); err != nil {
		return "", p.explain(err)
	}
	return string(m.out), nil
}

func (p Template) parse(m *meter) (*template.Template, error) {
	return template.New(templateName).Option("missingkey=error").Funcs(m.functions(p.Body)).Parse(p.Body)
}

// located matches what the template library says: the place, what it was executing, and the fault. It is compiled when
// something is wrong, and not whenever aura starts.
var located = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^template: ` + templateName + `:(\d+)(?::\d+)?: (?:executing ".*?" at (<.*?>): )?(.*)$`)
})

// explain says what the template library says in terms of the prompt.
func (p Template) explain(err error) error {
	match := located().FindStringSubmatch(err.Error())
	if match == nil {
		if limit := reached(err); limit != nil {
			err = limit
		}
		return fmt.Errorf("rendering prompt %q: %w", p.Name, err)
	}
	line, convErr := strconv.Atoi(match[1])
	if convErr != nil {
		return fmt.Errorf("rendering prompt %q: %w", p.Name, err)
	}
	text := match[3]
	if match[2] != "" {
		text = match[2] + ": " + text
	}
	fault := errors.New(text + hint(match[3]))
	if limit := reached(err); limit != nil {
		fault = limit
	}
	if p.File == "" {
		return fmt.Errorf("rendering prompt %q: line %d: %w", p.Name, line, fault)
	}
	return fmt.Errorf("rendering prompt %q: %s:%d: %w", p.Name, p.File, p.Line+line-1, fault)
}

// hint helps with the usual mistakes.
func hint(fault string) string {
	switch {
	case strings.Contains(fault, "in type prompt.Data"):
		return "; known: " + fields()
	case strings.Contains(fault, "map has no entry for key"):
		return "; set it with --set or in the vars of the task"
	case isWithheld(fault):
		return "; it is withheld, for a prompt must not read the environment or the network"
	}
	return ""
}

func fields() string {
	var names []string
	for field := range reflect.TypeFor[Data]().Fields() {
		names = append(names, "."+field.Name)
	}
	return strings.Join(names, ", ")
}
