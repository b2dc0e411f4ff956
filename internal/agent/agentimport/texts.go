package agentimport

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/agent/foreign"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// commandFront is the front matter of a command of aura.
type commandFront struct {
	Name         string `yaml:"name,omitempty"`
	Description  string `yaml:"description,omitempty"`
	ArgumentHint string `yaml:"argument-hint,omitempty"`
	AllowedTools string `yaml:"allowed-tools,omitempty"`
}

// commandFile reads a command in Markdown. Folders are part of its name, as in Claude Code.
func commandFile(in *input) error {
	front, body := in.frontmatter()
	in.addCommand(in.nameInFolder(), front, body)
	return nil
}

// nameInFolder returns the name of a file without its extension, with the folders below that of the part.
func (in *input) nameInFolder() string {
	rel := strings.TrimPrefix(strings.TrimPrefix(in.file, in.folder), "/")
	if in.folder == "" || in.folder == in.file {
		rel = path.Base(in.file)
	}
	return strings.ReplaceAll(strings.TrimSuffix(rel, path.Ext(rel)), "/", ":")
}

func (in *input) addCommand(name string, front object, body string) {
	if in.plugin != "" {
		name = in.plugin + ":" + name
	}
	name = validName(name)
	it := Item{Name: name, File: "config/commands/" + fileName(name) + ".md"}
	f := commandFront{
		Description: in.literal(plaintext.OneLine(text(front["description"]))), ArgumentHint: in.literal(hint(front["argument-hint"])),
		AllowedTools: in.literal(strings.Join(names(front["allowed-tools"]), ", ")),
	}
	f.Name = name
	switch {
	case name == "":
		it.Skipped = "its name has no letter and no digit"
	case strings.TrimSpace(body) == "":
		it.Skipped = "it has no text"
	}
	if model := text(front["model"]); model != "" {
		it.addNote("model %q is left out: set model: to one of your provider's", model)
	}
	if agent := text(front["agent"]); agent != "" {
		it.addNote("agent %q is left out: the agent of the session answers", agent)
	}
	it.rest(front, "description", "argument-hint", "allowed-tools", "model", "agent", "name", "subtask")
	if it.Skipped == "" {
		var err error
		if it.Text, err = markdown(f, in.rooted(body)); err != nil {
			it.Skipped = err.Error()
		}
	}
	in.add(it)
}

// hint returns an argument hint, which YAML often reads as a list.
func hint(value any) string {
	if list, ok := value.([]any); ok {
		return "[" + strings.Join(texts(list), "] [") + "]"
	}
	return plaintext.OneLine(text(value))
}

// tomlCommand reads a command of Gemini CLI.
func tomlCommand(in *input) error {
	doc, err := in.document()
	if err != nil {
		return err
	}
	body := text(doc["prompt"])
	body = strings.ReplaceAll(body, "{{args}}", "$ARGUMENTS")
	body = shellBlock().ReplaceAllString(body, "!`$1`")
	body = fileBlock().ReplaceAllString(body, "@$1")
	front := object{"description": doc["description"]}
	for key, value := range doc {
		if key != "prompt" {
			front[key] = value
		}
	}
	in.addCommand(in.nameInFolder(), front, body)
	return nil
}

var (
	shellBlock = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("!\\{([^{}`\n]*)\\}") })
	fileBlock  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`@\{([^{}\s]+)\}`) })
)

// agentFront is the front matter of an agent of aura.
type agentFront struct {
	Name        string      `yaml:"name"`
	Description string      `yaml:"description,omitempty"`
	Subagent    bool        `yaml:"subagent"`
	Tools       agentFilter `yaml:"tools,omitempty"`
}

type agentFilter struct {
	Enabled  []string `yaml:"enabled,omitempty,flow"`
	Disabled []string `yaml:"disabled,omitempty,flow"`
}

// agentFile reads an agent in Markdown.
func agentFile(in *input) error {
	front, body := in.frontmatter()
	name := text(front["name"])
	if name == "" {
		name = in.nameInFolder()
	}
	in.addAgent(name, front, body)
	return nil
}

func (in *input) addAgent(name string, front object, body string) {
	name = validName(name)
	it := Item{Name: name, File: "config/agents/" + fileName(name) + ".md"}
	f := agentFront{Name: name, Description: in.literal(plaintext.OneLine(text(front["description"]))), Subagent: true}
	switch {
	case name == "":
		it.Skipped = "its name has no letter and no digit"
	case strings.TrimSpace(body) == "":
		it.Skipped = "it has no text"
	}
	in.agentTools(&it, &f, front)
	if model := text(front["model"]); model != "" && model != "inherit" {
		it.addNote("model %q is left out: the agent uses that of the session, unless you set model:", model)
	}
	it.rest(front, "name", "description", "tools", "disallowedTools", "model", "mode", "color", "prompt", "kind")
	if it.Skipped == "" {
		var err error
		// The body is a template.
		body = strings.ReplaceAll(in.rooted(body), "{{", `{{"{{"}}`)
		if it.Text, err = markdown(f, body); err != nil {
			it.Skipped = err.Error()
		}
	}
	in.add(it)
}

// agentTools maps the names of an agent's tools. An agent never gets more tools than it had.
func (in *input) agentTools(it *Item, f *agentFront, front object) {
	named := func(list []string, what string) []string {
		var out, none []string
		for _, name := range list {
			plain, arguments, limited := strings.Cut(name, "(")
			ours, known := in.toolIn(strings.TrimSpace(plain))
			switch {
			case limited && what == "tools":
				it.addNote("the tool %s(%s is left out: an agent has all calls of a tool or none", plain, arguments)
			case !known:
				none = append(none, name)
			case !slices.Contains(out, ours):
				out = append(out, ours)
			}
		}
		it.without("tool", none)
		return out
	}
	switch tools := front["tools"].(type) {
	case nil:
	case object:
		// OpenCode has a switch for each tool.
		var off []string
		for name, on := range tools {
			if on == false {
				off = append(off, name)
			}
		}
		slices.Sort(off)
		if slices.Contains(off, "*") {
			it.Skipped = "it turns all tools off, and then some on: write tools.enabled yourself"
		}
		f.Tools.Disabled = named(off, "disabledTools")
	default:
		list := names(tools)
		if slices.Contains(list, "*") {
			break
		}
		f.Tools.Enabled = named(list, "tools")
		if len(f.Tools.Enabled) == 0 {
			it.Skipped = "aura has none of its tools, and without a list it would have all of aura's"
		}
	}
	f.Tools.Disabled = append(f.Tools.Disabled, named(names(front["disallowedTools"]), "disallowedTools")...)
}

// toolIn returns aura's name for a tool. The tools of a plugin's servers have the plugin's name in them.
func (in *input) toolIn(name string) (string, bool) {
	if in.plugin != "" {
		if rest, ok := strings.CutPrefix(name, "mcp__plugin_"+in.plugin+"_"); ok {
			return "mcp__" + in.plugin + "-" + rest, true
		}
	}
	return foreign.NameIn(in.agent, name)
}
