// Package agentimport turns the configuration of other agents into files of aura. A table describes each agent: which files it has, what
// they hold, and what becomes of it. The package reads through an interface, and writes and runs nothing.
package agentimport

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/foreign"
)

// Kind is what a part of a configuration holds.
type Kind string

// The kinds.
const (
	KindServer       Kind = "MCP server"
	KindHook         Kind = "hook"
	KindCommand      Kind = "command"
	KindAgent        Kind = "agent"
	KindInstructions Kind = "instructions"
	KindPolicy       Kind = "policy"
	KindSkill        Kind = "skill"
)

// Dir is a directory that is read: the user's home directory, or the project. Names are slash-separated and relative.
type Dir interface {
	// Read returns a file. The error is fs.ErrNotExist if there is none.
	Read(name string) ([]byte, error)
	// Files returns the files in a folder and in its folders whose names end in ext, sorted.
	Files(folder, ext string) ([]string, error)
}

// Options configures an import.
type Options struct {
	// User is set if the directory is the user's home directory.
	User bool
	// KeepSecrets writes secrets as they are.
	KeepSecrets bool
	// Project is the absolute path of the project, by which some agents keep settings in the user's home.
	Project string

	// plugin is the name of the plugin that is converted; empty for settings.
	plugin string
}

// Item is one thing of a configuration.
type Item struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	// From is the file, relative to the directory that was read.
	From string `json:"from"`
	// File is the file that the item becomes, relative to the home, or to the directory of AGENTS.md for instructions. It is empty if the
	// item becomes none.
	File string `json:"file,omitempty"`
	// Skipped is the reason why the item is not taken over.
	Skipped string `json:"skipped,omitempty"`
	// Notes lists what was changed or left out.
	Notes []string `json:"notes,omitempty"`
	// Variables lists the environment variables that must be set before aura starts.
	Variables []string `json:"-"`
	// Text is the content of the file, or the item's part of it.
	Text []byte `json:"-"`
}

func (i *Item) addNote(format string, args ...any) {
	i.Notes = append(i.Notes, fmt.Sprintf(format, args...))
}

// part is a part of an agent's configuration: a row of the table in docs/coming-from.md.
type part struct {
	kind Kind
	// user and project list the files, or folders as FOLDER/**.EXT. A part without files is only described.
	user, project []string
	// key is the key in these files; empty for the whole file.
	key string
	// becomes is what it becomes, or where it is read in place if read is nil.
	becomes string
	// by is the command, if it is another one than import.
	by string
	// not says why it is not taken over, or what of it is not.
	not string
	// read adds the items of a file.
	read func(in *input) error
}

// Agent is another agent.
type Agent struct {
	// Name is the argument of the command; Title is what people call the agent.
	Name, Title string
	parts       []part
}

// Agents returns the agents whose configuration can be imported.
func Agents() []Agent { return []Agent{claude(), codex(), gemini(), openCode()} }

// Find returns the agent of a name.
func Find(name string) (Agent, error) {
	var names []string
	for _, a := range Agents() {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return Agent{}, fmt.Errorf("there is no import from %q; known: %s", name, strings.Join(names, ", "))
}

// input is one file of one part.
type input struct {
	Options

	part
	agent foreign.Agent
	// file is the file, relative to the directory. folder is the folder of a part with several files.
	file, folder string
	text         []byte
	items        []Item
}

func (in *input) add(i Item) {
	i.Kind, i.From = in.kind, in.file
	if i.Skipped != "" {
		i.File, i.Text = "", nil
	}
	in.items = append(in.items, i)
}

// maxItems limits the items of an agent.
const maxItems = 2000

// Read reads the configuration of an agent in a directory. Files that do not exist are no fault.
func (a Agent) Read(dir Dir, o Options) []Item {
	var out []Item
	for _, p := range a.parts {
		names := p.project
		if o.User {
			names = p.user
		}
		if p.read == nil {
			continue
		}
		for _, name := range names {
			out = append(out, a.readPart(dir, name, p, o)...)
		}
	}
	return distinct(out)
}

func (a Agent) readPart(dir Dir, name string, p part, o Options) []Item {
	folder, ext, several := strings.Cut(name, "/**")
	found := []string{name}
	if several {
		var err error
		if found, err = dir.Files(folder, ext); err != nil {
			return broken(p, folder, err)
		}
	}
	var out []Item
	for _, file := range found {
		in := &input{Options: o, part: p, agent: foreign.Agent(a.Name), file: file, folder: folder}
		var err error
		if in.text, err = dir.Read(file); err == nil {
			in.text = bytes.TrimPrefix(in.text, []byte("\ufeff"))
			err = p.read(in)
		}
		out = append(out, in.items...)
		out = append(out, broken(p, file, err)...)
	}
	return out
}

// broken returns an item for a file that cannot be read.
func broken(p part, file string, err error) []Item {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return []Item{{Kind: p.kind, Name: path.Base(file), From: file, Skipped: err.Error()}}
}

// distinct leaves out items whose names are taken by earlier ones.
func distinct(items []Item) []Item {
	taken := map[string]string{}
	for i := range items {
		it := &items[i]
		key := string(it.Kind) + "\x00" + it.Name
		if from, ok := taken[key]; ok && it.Skipped == "" {
			it.Skipped, it.File, it.Text = fmt.Sprintf("%s has another one of this name", from), "", nil
		} else if it.Skipped == "" {
			taken[key] = it.From
		}
	}
	if len(items) > maxItems {
		items = append(items[:maxItems], Item{Name: "more", Skipped: fmt.Sprintf("there are more than %d parts", maxItems)})
	}
	return items
}

// File is a file to write.
type File struct {
	Path string
	Text []byte
}

// Written returns the files of the items, sorted. Several items may share a file.
func Written(items []Item) []File {
	var out []File
	for _, it := range items {
		if it.File == "" || it.Skipped != "" {
			continue
		}
		i := slices.IndexFunc(out, func(f File) bool { return f.Path == it.File })
		if i < 0 {
			out = append(out, File{Path: it.File})
			i = len(out) - 1
		}
		out[i].Text = append(out[i].Text, it.Text...)
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out
}
