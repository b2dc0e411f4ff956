// Package prompt converts what users write for a model to what the model receives. Prompts are templates that can refer to the
// session. Custom commands are messages with placeholders for arguments.
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

// Data holds the values that a template can refer to.
type Data struct {
	// Agent, Mode, Provider and Model are names. A name is empty if none is selected.
	Agent    string
	Mode     string
	Provider string
	Model    string
	Tools    Tools
	Hooks    Hooks
	Sandbox  Sandbox
	Workdir  string
	// Instructions holds the instruction files, each below a heading with its path.
	Instructions string
	// Vars holds the variables of the task and of the command line.
	Vars map[string]string
}

// Tools holds the names of the tools that are offered to the model at once, and of those that the model can request.
type Tools struct {
	Eager    []string
	Deferred []string
}

// Hooks describes the active shell hooks.
type Hooks struct {
	Active []HookInfo
	// Display is a summary of the hooks.
	Display string
}

// HookInfo describes a shell hook as configured.
type HookInfo struct {
	Name        string
	Description string
	// Event is "pre" or "post".
	Event   string
	Matcher string
	Files   string
	Command string
}

// Sandbox describes the sandbox of the tools. Requested means that it is configured. Enabled means that the system enforces it.
type Sandbox struct {
	Enabled   bool
	Requested bool
	// Display describes what the sandbox allows.
	Display string
}

// opening is the start of a template action. A text without it renders to itself.
const opening = "{{"

// templateName is the name of every template in the template library. Users know a template by the name of its prompt. A prompt
// is unlikely to define a template with this name.
const templateName = "aura prompt"

// Template is a prompt and its location, which is used in errors.
type Template struct {
	Name string
	Body string
	// File may be empty. Line is the line of File on which Body begins.
	File string
	Line int
}

// Render executes the template. An error names the prompt and the line: of the file if it is known, else of the body.
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

// located matches an error of the template library: the location, what was executed, and the fault. It is compiled only when an
// error occurs, not at every start of aura.
var located = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^template: ` + templateName + `:(\d+)(?::\d+)?: (?:executing ".*?" at (<.*?>): )?(.*)$`)
})

// explain rewrites an error of the template library in terms of the prompt.
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

// hint returns advice for common mistakes.
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
