package language_servers

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// severities are the names of the protocol's severities, from 1 on.
var severities = []string{"error", "warning", "information", "hint"}

// settings are the plugin's configuration.
type settings struct {
	wait, start   time.Duration
	max, restarts int
	severity      int
	languages     []language
}

// language is a row of the table of servers.
type language struct {
	name    string
	command []string
	// files maps the ending of a file's name to its language.
	files map[string]string
	roots []string
	// env are variables for the server, beside those of the plugin.
	env      []string
	options  any
	settings map[string]any
}

func readSettings(config map[string]any) (settings, error) {
	s := settings{
		wait:  time.Duration(number(config, "wait", 10)) * time.Second,
		start: time.Duration(number(config, "start", 30)) * time.Second,
		max:   number(config, "max", 20), restarts: number(config, "restarts", 4),
	}
	wanted, _ := config["severity"].(string)
	for i, name := range severities {
		if name == wanted {
			s.severity = i + 1
		}
	}
	if s.severity == 0 {
		return s, fmt.Errorf("severity %q is none of %s", wanted, strings.Join(severities, ", "))
	}
	table := map[string]any{}
	for _, key := range []string{"servers", "more"} {
		rows, ok := config[key].(map[string]any)
		if !ok && config[key] != nil {
			return s, fmt.Errorf("%s is no table of servers", key)
		}
		for name, row := range rows {
			table[name] = row
		}
	}
	for name, row := range table {
		l, err := readLanguage(name, row)
		if err != nil {
			return s, err
		}
		s.languages = append(s.languages, l)
	}
	sort.Slice(s.languages, func(i, j int) bool { return s.languages[i].name < s.languages[j].name })
	return s, nil
}

func readLanguage(name string, row any) (language, error) {
	fields, _ := row.(map[string]any)
	l := language{name: name, command: texts(fields["command"]), roots: texts(fields["roots"]), options: fields["options"], files: map[string]string{}}
	l.settings, _ = fields["settings"].(map[string]any)
	files, _ := fields["files"].(map[string]any)
	for ending, id := range files {
		l.files[ending] = fmt.Sprint(id)
	}
	variables, _ := fields["env"].(map[string]any)
	for name, value := range variables {
		l.env = append(l.env, name+"="+fmt.Sprint(value))
	}
	if len(l.command) == 0 || len(l.files) == 0 {
		return l, fmt.Errorf("the server %q needs a command and files", name)
	}
	return l, nil
}

// languageOf returns the row for a file.
func (s settings) languageOf(file string) (language, bool) {
	for _, l := range s.languages {
		if l.files[filepath.Ext(file)] != "" {
			return l, true
		}
	}
	return language{}, false
}

// rootOf returns the directory in which a server works: the nearest one above the file, within the working directory, that holds one of the marks.
// The marks are tried in their order.
func rootOf(file, workdir string, marks []string) string {
	for _, mark := range marks {
		for dir := filepath.Dir(file); within(dir, workdir); dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return dir
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	if within(file, workdir) {
		return workdir
	}
	return filepath.Dir(file)
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// number reads a whole number from the plugin's configuration. Anything but a positive int counts as not set.
func number(config map[string]any, key string, fallback int) int {
	if v, ok := config[key].(int); ok && v > 0 {
		return v
	}
	return fallback
}

func texts(list any) []string {
	values, _ := list.([]any)
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprint(v))
	}
	return out
}
