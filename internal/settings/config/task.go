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
)

// Task is a conversation that is prepared in advance: tasks/**/*.yaml, a map from names to tasks.
type Task struct {
	Name   string `yaml:"-"`
	Source Source `yaml:"-"`

	Description string `yaml:"description"`
	Agent       string `yaml:"agent"`
	Mode        string `yaml:"mode"`
	// Timeout limits the whole task. 0 means no limit. In a file, omit the key for no limit.
	Timeout time.Duration `yaml:"timeout"`
	// Workdir is absolute. If it is empty, the working directory of the session is used.
	Workdir string     `yaml:"workdir"`
	Tools   ToolFilter `yaml:"tools"`
	// Features overrides settings of features for this task; see FeaturesFor.
	Features map[string]any `yaml:"-"`
	// Vars is passed to the templates of prompts.
	Vars map[string]string `yaml:"vars"`
	// Env holds environment variables for shell commands, tools and plugins; see Environment.
	Env map[string]string `yaml:"env"`
	// EnvFile names files with more variables, as written; see Environment.
	EnvFile Names `yaml:"env_file"`
	// Pre and Post are shell commands that run before and after Commands. Commands are prompts; see Prompts.
	Pre      []string `yaml:"pre"`
	Commands []string `yaml:"commands"`
	Post     []string `yaml:"post"`
	// Inherit names the tasks from which this task takes its settings. The last one takes precedence. This value already includes
	// their settings.
	Inherit  []string `yaml:"inherit"`
	Disabled bool     `yaml:"disabled"`

	made lineage
	// base is the session's working directory.
	base string
}

// taskFile is a task as written in a file.
type taskFile struct {
	Task `yaml:",inline"`

	Features featureFile `yaml:"features"`
}

// Names holds names of files. A single name may be written without brackets. This does not apply to other lists.
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

// taskLines lists the keys whose values may refer to the task's own variables. The shell expands pre and post. Prompts expands
// commands.
var taskLines = []string{"pre", commandsKey, "post"}

const commandsKey = "commands"

func (l *loader) tasks() (map[string]Task, error) {
	declared, err := loadKind(l, kind[declaration]{name: "task", folder: "config/tasks", ext: yamlFiles, read: readMap(l, readTask, taskLines...)})
	if err != nil {
		return nil, err
	}
	return resolveInheritance(l, "task", declared, l.buildTask)
}

func readTask(d document, name string, f taskFile) (declaration, error) {
	if err := d.checkTimeout(name, f.Timeout); err != nil {
		return declaration{}, err
	}
	if err := d.checkVariables([]string{name, "env"}, f.Env); err != nil {
		return declaration{}, err
	}
	declared := declaration{document: d, name: name, keys: []string{name}, parents: f.Inherit, file: f}
	if err := f.Tools.Policy.check(declared.below(toolsKey).below("policy")); err != nil {
		return declaration{}, err
	}
	return declared, declared.below(featuresKey).checkOverrides()
}

// checkVariables refuses invalid names of variables.
func (d document) checkVariables(path []string, values map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !variableName().MatchString(name) {
			return d.fault(slices.Concat(path, []string{name}), "not a name of a variable: use letters, digits and _")
		}
	}
	return nil
}

func (l *loader) buildTask(made lineage) (Task, error) {
	f, overrides, err := combined[taskFile](made)
	t := f.Task
	t.Name, t.Source, t.Features, t.made, t.base = made.own().name, made.own().Source, overrides, made, l.workdir
	if t.Workdir != "" {
		t.Workdir = absolute(l.workdir, t.Workdir)
	}
	return t, err
}

// Environment returns the variables of the task's env files, overridden by Env. If several files set a variable, the last one
// takes precedence. The caller must apply the result over the process environment. Relative files are searched in the task's
// working directory, then in the home that names them.
func (t Task) Environment() (map[string]string, error) {
	values := map[string]string{}
	for _, name := range t.EnvFile {
		read, err := t.readEnvFile(name)
		if err != nil {
			return nil, fmt.Errorf("preparing task %s: %w", t.Name, err)
		}
		maps.Copy(values, read)
	}
	maps.Copy(values, t.Env)
	return values, nil
}

// Ignored returns notices about variables in the task's env files that have no effect.
func (t Task) Ignored() []string {
	var out []string
	for _, name := range t.EnvFile {
		if file, err := t.findEnvFile(name); err == nil {
			if _, notices, err := readEnvFile(file); err == nil {
				out = append(out, notices...)
			}
		}
	}
	return out
}

// EnvFiles returns the paths at which the task's env files may be located, whether they exist or not.
func (t Task) EnvFiles() []string {
	var out []string
	for _, name := range t.EnvFile {
		out = append(out, t.envCandidates(name)...)
	}
	return out
}

// Prompts returns the commands with their variables expanded. The variables of the task take precedence over those of the given
// environment.
func (t Task) Prompts(environ []string) ([]string, error) {
	own, err := t.Environment()
	if err != nil {
		return nil, err
	}
	known := environment{}
	for name, value := range own {
		known = append(known, name+"="+value)
	}
	known = append(known, environ...)
	var prompts []string
	for i, text := range t.Commands {
		prompt, err := known.expand(text)
		if err != nil {
			return nil, fmt.Errorf("preparing task %s: %w", t.Name, t.made.at(commandsKey).wrongItem(commandsKey, i, err))
		}
		prompts = append(prompts, prompt)
	}
	return prompts, nil
}

func (t Task) readEnvFile(name string) (map[string]string, error) {
	file, err := t.findEnvFile(name)
	if err != nil {
		return nil, err
	}
	values, _, err := readEnvFile(file)
	return values, err
}

func (t Task) findEnvFile(name string) (string, error) {
	candidates := t.envCandidates(name)
	file, ok := firstFile(candidates)
	if !ok {
		return "", t.made.at(envFileKey).wrong([]string{envFileKey}, "file %q does not exist; looked for %s", name, strings.Join(candidates, ", "))
	}
	return file, nil
}

const envFileKey = "env_file"

// envCandidates returns the paths at which an env file of the task may be located, the best first.
func (t Task) envCandidates(name string) []string {
	dir := t.Workdir
	if dir == "" {
		dir = t.base
	}
	if filepath.IsAbs(name) {
		return []string{filepath.Clean(name)}
	}
	// A task that no file declares has no home.
	return []string{absolute(dir, name), absolute(t.made.at(envFileKey).Home.Dir, name)}
}
