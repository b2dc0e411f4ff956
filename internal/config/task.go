package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/strict"
)

// Task is a conversation prepared in advance: tasks/**/*.yaml, a map of names to these.
type Task struct {
	Name   string `yaml:"-"`
	Source Source `yaml:"-"`

	Description string `yaml:"description"`
	Agent       string `yaml:"agent"`
	Mode        string `yaml:"mode"`
	// Timeout bounds the whole task; 0 is none.
	Timeout time.Duration `yaml:"timeout"`
	// Workdir is absolute; empty is that of the session.
	Workdir string     `yaml:"workdir"`
	Tools   ToolFilter `yaml:"tools"`
	// Features overrides settings of features for this task.
	Features map[string]any `yaml:"features"`
	// Vars are given to the templates of prompts.
	Vars map[string]string `yaml:"vars"`
	// Env are variables for shell commands, tools and plugins; see Environment.
	Env map[string]string `yaml:"env"`
	// EnvFile are files with more of them, as written; see Environment.
	EnvFile Names `yaml:"env_file"`
	// Pre and Post are shell commands that run before and after Commands, which are prompts.
	Pre      []string `yaml:"pre"`
	Commands []string `yaml:"commands"`
	Post     []string `yaml:"post"`
	// Inherit names tasks whose settings this one starts from, the last one winning.
	Inherit  Names `yaml:"inherit"`
	Disabled bool  `yaml:"disabled"`

	// line is where EnvFile is written, base the session's working directory.
	line int
	base string
}

// Names is a list of names; a single one may be written without the brackets.
type Names []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *Names) UnmarshalYAML(n *yaml.Node) error {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	*s = Names{}
	for _, item := range items {
		if item.Kind != yaml.ScalarNode || item.ShortTag() != "!!str" {
			return errors.New("expected text, or a list of texts")
		}
		*s = append(*s, item.Value)
	}
	return nil
}

func (l *loader) tasks() (map[string]Task, error) {
	return loadKind(l, kind[Task]{name: "task", folder: "tasks", ext: yamlFiles, read: readMap(l, l.finishTask)})
}

func (l *loader) finishTask(d document, name string, t Task) (Task, error) {
	t.Name, t.Source, t.base = name, d.Source, l.workdir
	t.line = d.find(name, "env_file").Line
	if t.Timeout < 0 {
		return Task{}, d.fault([]string{name, "timeout"}, "%s is negative", t.Timeout)
	}
	for _, variable := range slices.Sorted(maps.Keys(t.Env)) {
		if !variableName.MatchString(variable) {
			return Task{}, d.fault([]string{name, "env", variable}, "not a name of a variable: use letters, digits and _")
		}
	}
	if t.Workdir != "" {
		t.Workdir = absolute(l.workdir, t.Workdir)
	}
	return t, nil
}

// Environment reads the task's env files, the last one winning, and puts Env over them. It is to be put over the process's
// environment. Relative files are looked for in the task's working directory, then in the home that declares the task.
func (t Task) Environment() (map[string]string, error) {
	dir := t.Workdir
	if dir == "" {
		dir = t.base
	}
	values := map[string]string{}
	for _, name := range t.EnvFile {
		candidates := []string{absolute(dir, name), absolute(t.Source.Home.Dir, name)}
		if filepath.IsAbs(name) {
			candidates = candidates[:1]
		}
		file, ok := firstFile(candidates)
		if !ok {
			return nil, fmt.Errorf("preparing task %s: %w", t.Name, &strict.Error{File: t.Source.File, Line: t.line, Err: fmt.Errorf(
				"key %q: file %q does not exist; looked for %s", t.Name+".env_file", name, strings.Join(candidates, ", "))})
		}
		read, err := readEnvFile(file)
		if err != nil {
			return nil, fmt.Errorf("preparing task %s: %w", t.Name, err)
		}
		maps.Copy(values, read)
	}
	maps.Copy(values, t.Env)
	return values, nil
}
