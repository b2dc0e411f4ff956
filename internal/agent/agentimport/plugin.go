package agentimport

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/idelchi/aura/internal/agent/foreign"
	"github.com/idelchi/aura/internal/agent/mcpimport"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/plugin/portable"
)

// PluginManifest is the manifest of a plugin of Claude Code.
const PluginManifest = ".claude-plugin/plugin.json"

// The keys of the manifest, which are also the names of the default folders.
const (
	commandsKey = "commands"
	agentsKey   = "agents"
	skillsKey   = "skills"
	hooksKey    = "hooks"
	serversKey  = "mcpServers"
)

// unsupported lists what a plugin can have in fixed places and aura has nothing like.
var unsupported = []string{".lsp.json", "output-styles", "themes", "monitors", "workflows", "bin", "settings.json"}

// maxLeftOut limits what a converted plugin says about what was left out, and maxNote the length of one text.
const (
	maxLeftOut = 200
	maxNote    = 300
)

// conversion is a plugin of Claude Code that becomes a portable plugin.
type conversion struct {
	dir      Dir
	name     string
	manifest object
	items    []Item
	leftOut  []string
	out      portable.Converted
}

// Plugin converts a plugin of Claude Code. entry is what a marketplace says about it; nil without one. It adds to the manifest.
func Plugin(dir Dir, entry map[string]any) (portable.Converted, error) {
	c := &conversion{dir: dir, out: portable.Converted{Files: map[string][]byte{}, Skills: map[string]string{}}}
	var err error
	if c.manifest, err = c.object(PluginManifest); err != nil && (entry == nil || !errors.Is(err, fs.ErrNotExist)) {
		return portable.Converted{}, err
	}
	if c.name = portable.ValidName(text(pick(c.manifest, entry, "name"))); c.name == "" {
		return portable.Converted{}, fmt.Errorf("%s has no name", PluginManifest)
	}
	claude := Agent{Name: string(foreign.Claude)}
	for _, p := range []part{{kind: KindCommand, key: commandsKey, read: commandFile}, {kind: KindAgent, key: agentsKey, read: agentFile}} {
		for _, file := range c.paths(p.key, entry, true) {
			if path.Ext(file) != ".md" {
				file += "/**.md"
			}
			c.items = append(c.items, claude.readPart(dir, file, p, Options{plugin: c.name})...)
		}
	}
	c.hooks(entry)
	if err := c.servers(entry); err != nil {
		return portable.Converted{}, err
	}
	c.skills(entry)
	c.files()
	return c.out, c.describe(entry)
}

// pick returns the value of a key in the manifest, or else in the entry of the marketplace.
func pick(manifest, entry object, key string) any {
	if value, ok := manifest[key]; ok {
		return value
	}
	return entry[key]
}

func (c *conversion) leave(format string, args ...any) {
	note := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, plaintext.OneLine(fmt.Sprintf(format, args...))))
	if len(note) > maxNote {
		note = append(note[:maxNote], '…')
	}
	if text := string(note); len(c.leftOut) < maxLeftOut && !slices.Contains(c.leftOut, text) {
		c.leftOut = append(c.leftOut, text)
	}
}

// object reads a JSON file of the plugin.
func (c *conversion) object(file string) (object, error) {
	data, err := c.dir.Read(file)
	if err != nil {
		return nil, err
	}
	var out object
	if err := json.Unmarshal(mcpimport.Standard(data), &out); err != nil {
		return nil, fmt.Errorf("reading %s as JSON: %w", file, err)
	}
	return out, nil
}

// paths returns the places of a kind of component: those that the manifest and the entry name and, unless they replace it, the default one.
func (c *conversion) paths(key string, entry object, replace bool) []string {
	named := slices.Concat(texts(c.manifest[key]), texts(entry[key]))
	var out []string
	for _, name := range named {
		clean := path.Clean(name)
		if !strings.HasPrefix(name, "./") && !strings.HasSuffix(name, ".md") || !filepath.IsLocal(filepath.FromSlash(clean)) {
			c.leave("%s %q is left out: a path begins with ./ and stays in the plugin", key, name)
			continue
		}
		out = append(out, clean)
	}
	for _, from := range []object{c.manifest, entry} {
		if _, inline := from[key].(object); inline && (key == commandsKey || key == agentsKey) {
			c.leave("%s in the manifest are left out: aura reads them from files", key)
		}
	}
	if len(named) == 0 || !replace {
		out = append(out, key)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// objects returns the objects of a key whose values are paths or objects, and that of the default file. inner is the key in a file that holds
// the object; without it, the file is the object.
func (c *conversion) objects(key, inner, file string, entry object) []object {
	var out []object
	read := func(name string) {
		found, err := c.object(name)
		if errors.Is(err, fs.ErrNotExist) && name == file {
			return
		}
		if err != nil {
			c.leave("%s is left out: %v", name, err)
			return
		}
		if below, ok := found[inner].(object); ok {
			found = below
		}
		out = append(out, found)
	}
	names := []string{file}
	for _, from := range []object{c.manifest, entry} {
		if inline, ok := from[key].(object); ok {
			if below, ok := inline[inner].(object); ok {
				inline = below
			}
			out = append(out, inline)
		}
		for _, name := range texts(from[key]) {
			if clean := path.Clean(name); filepath.IsLocal(filepath.FromSlash(clean)) && path.Ext(clean) == ".json" {
				names = append(names, clean)
			} else {
				c.leave("%s %q is left out: it is not the path of a JSON file in the plugin", key, name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		read(name)
	}
	return out
}

// hooks joins all hooks, so that each has a name of its own.
func (c *conversion) hooks(entry object) {
	const file = "hooks/hooks.json"
	all := object{}
	for _, o := range c.objects(hooksKey, hooksKey, file, entry) {
		for event, groups := range o {
			if list, ok := groups.([]any); ok {
				before, _ := all[event].([]any)
				all[event] = slices.Concat(before, list)
			}
		}
	}
	in := &input{Options: Options{plugin: c.name}, part: part{kind: KindHook}, agent: foreign.Claude}
	in.hookGroups(all, file)
	c.items = append(c.items, in.items...)
}

// files writes the items, and says of each what was left out.
func (c *conversion) files() {
	items := distinct(c.items)
	for _, f := range Written(items) {
		c.out.Files[path.Join(portable.Namespace, f.Path)] = f.Text
	}
	for _, it := range items {
		if it.Skipped != "" {
			c.leave("%s %s is left out: %s", it.Kind, it.Name, it.Skipped)
		}
		for _, note := range it.Notes {
			c.leave("%s %s: %s", it.Kind, it.Name, note)
		}
	}
}

// serverKeys maps the keys of a server to their kinds. Other keys are left out.
var serverKeys = map[string]string{"command": portable.TypeStdio, "args": portable.TypeStdio, "env": portable.TypeStdio, "url": portable.TypeHTTP, "headers": portable.TypeHTTP}

// servers writes mcp.json. What it cannot express is refused when the package is read.
func (c *conversion) servers(entry object) error {
	all := object{}
	for _, o := range c.objects(serversKey, serversKey, ".mcp.json", entry) {
		for _, name := range sortedKeys(o) {
			if server, ok := o[name].(object); ok {
				all[name] = c.server(name, server)
			} else {
				c.leave("MCP server %s is left out: it is not an object", name)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	var err error
	c.out.Files[portable.MCPFile], err = json.MarshalIndent(object{"$schema": portable.MCPSchema, serversKey: all}, "", "  ")
	return err
}

func (c *conversion) server(name string, from object) object {
	kind := text(from["type"])
	switch {
	case kind == "" && from["url"] == nil:
		kind = portable.TypeStdio
	case kind == "" || kind == "http":
		kind = portable.TypeHTTP
	}
	out := object{"type": kind}
	for _, key := range sortedKeys(from) {
		of, known := serverKeys[key]
		switch {
		case key == "type":
		case known && (of == kind || of == portable.TypeHTTP && kind == portable.TypeSSE):
			out[key] = plainTexts(from[key])
		default:
			c.leave("MCP server %s: the key %q is left out: aura has nothing like it", name, key)
		}
	}
	if command, ok := strings.CutPrefix(text(out["command"]), "${CLAUDE_PLUGIN_ROOT}/"); ok {
		out["command"] = "./" + command
	}
	return out
}

var option = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{user_config\.([A-Za-z0-9_]+)\}`) })

// plainTexts returns a value with numbers and booleans as texts. A setting that Claude Code asks the user for is a variable.
func plainTexts(value any) any {
	switch v := value.(type) {
	case string:
		return option().ReplaceAllStringFunc(v, func(match string) string {
			return "${CLAUDE_PLUGIN_OPTION_" + strings.ToUpper(option().FindStringSubmatch(match)[1]) + "}"
		})
	case float64, bool:
		return fmt.Sprint(v)
	case []any:
		for i := range v {
			v[i] = plainTexts(v[i])
		}
	case object:
		for key := range v {
			v[key] = plainTexts(v[key])
		}
	}
	return value
}

// skills finds the skills outside of skills/. An entry that replaces the manifest lists all skills.
func (c *conversion) skills(entry object) {
	listed := texts(entry[skillsKey])
	if len(listed) > 0 && entry["strict"] == false {
		c.out.Only = []string{}
	}
	found := false
	for _, folder := range c.paths(skillsKey, entry, c.out.Only != nil) {
		for _, dir := range c.skillsIn(folder) {
			found = true
			name := path.Base(dir)
			if dir == "." {
				name = c.name
			}
			if c.out.Only != nil {
				c.out.Only = append(c.out.Only, name)
			}
			if dir != path.Join(portable.SkillsDir, name) {
				c.out.Skills[name] = dir
			}
		}
	}
	if _, err := c.dir.Read(portable.SkillFile); err == nil && !found {
		c.out.Skills[c.name] = "."
	}
}

// skillsIn returns a folder if it is a skill, or else the folders in it that are.
func (c *conversion) skillsIn(folder string) []string {
	if _, err := c.dir.Read(path.Join(folder, portable.SkillFile)); err == nil {
		return []string{folder}
	}
	found, err := c.dir.Files(folder, portable.SkillFile)
	if err != nil && folder != portable.SkillsDir {
		c.leave("skills in %s are left out: %v", folder, err)
	}
	var out []string
	for _, file := range found {
		if dir := path.Dir(file); path.Base(file) == portable.SkillFile && path.Dir(dir) == folder {
			out = append(out, dir)
		}
	}
	return out
}

// known are the keys of manifests and entries that are used or say nothing about what a plugin does.
var known = []string{
	"$schema", "name", "displayName", "version", "description", "author", "homepage", "repository", "license", "keywords",
	commandsKey, agentsKey, skillsKey, hooksKey, serversKey, "source", "strict", "category", "tags",
}

// describe writes plugin.json.
func (c *conversion) describe(entry object) error {
	out := object{"$schema": portable.PluginSchema, "name": c.name}
	for _, key := range []string{"version", "description", "homepage", "license", "repository"} {
		value := pick(c.manifest, entry, key)
		if of, ok := value.(object); ok {
			value = of["url"]
		}
		if s := text(value); s != "" {
			out[key] = s
		}
	}
	if list := texts(pick(c.manifest, entry, "keywords")); len(list) > 0 {
		out["keywords"] = list
	}
	switch author := pick(c.manifest, entry, "author").(type) {
	case string:
		out["author"] = object{"name": author}
	case object:
		fields := object{}
		for _, key := range []string{"name", "email", "url"} {
			if s := text(author[key]); s != "" {
				fields[key] = s
			}
		}
		out["author"] = fields
	}
	for _, o := range []object{c.manifest, entry} {
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if !slices.Contains(known, key) {
				c.leave("%s is left out: aura has nothing like it", key)
			}
		}
	}
	for _, name := range unsupported {
		_, read := c.dir.Read(name)
		if found, err := c.dir.Files(name, ""); read == nil || err == nil && len(found) > 0 {
			c.leave("%s is left out: aura has nothing like it", name)
		}
	}
	ours := object{"protocol": portable.ProtocolClaude}
	if len(c.leftOut) > 0 {
		ours["left_out"] = c.leftOut
	}
	out["extensions"] = object{portable.Namespace: ours}
	var err error
	c.out.Files[portable.FileName], err = json.MarshalIndent(out, "", "  ")
	return err
}
