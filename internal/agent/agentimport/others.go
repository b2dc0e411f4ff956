package agentimport

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/mcpimport"
)

func sortedKeys(o object) []string { return slices.Sorted(maps.Keys(o)) }

// servers reads a list of MCP servers.
func servers(in *input) error {
	doc, err := in.document()
	if err != nil {
		return err
	}
	found, err := section(doc, in.key)
	if err != nil || len(found) == 0 {
		return err
	}
	return in.addServers(found)
}

func (in *input) addServers(found object) error {
	// The parts of a server are looked at as JSON.
	data, err := json.Marshal(map[string]any{"mcpServers": found})
	if err != nil {
		return err
	}
	list, err := mcpimport.Parse(data, mcpimport.Options{KeepSecrets: in.KeepSecrets})
	if err != nil {
		return err
	}
	for _, s := range list {
		it := Item{Name: s.Name, Skipped: s.Skipped, Notes: s.Notes, Variables: s.Variables, File: "config/mcp/" + s.Name + ".yaml"}
		if s.Name == "" {
			it.Name = s.Original
		}
		if s.Skipped == "" {
			if it.Text, err = encode(map[string]mcpimport.Entry{s.Name: s.Entry}); err != nil {
				return err
			}
		}
		in.add(it)
	}
	return nil
}

const instructionsFile = "AGENTS.md"

// instructions reads a file of instructions that aura does not read in place. A project imports it, so that it stays the only copy; the
// user's is copied.
func instructions(in *input) error {
	if strings.TrimSpace(string(in.text)) == "" {
		return nil
	}
	it := Item{Name: path.Base(in.file), File: instructionsFile, Text: []byte("@" + in.file + "\n")}
	if in.User {
		it.Text = append([]byte(strings.TrimSpace(string(in.text))), '\n')
	}
	in.add(it)
	return nil
}

// instructionList reads the list of files of instructions in the settings of OpenCode.
func instructionList(in *input) error {
	doc, err := in.document()
	if err != nil {
		return err
	}
	for _, file := range texts(doc[in.key]) {
		it := Item{Name: file, File: instructionsFile, Text: []byte("@" + strings.TrimPrefix(file, "./") + "\n")}
		if in.User || strings.ContainsAny(file, "*?[{: ") || path.IsAbs(file) || strings.HasPrefix(file, "~") || strings.HasPrefix(file, "..") {
			it.Skipped = "aura imports single files of the project: write @PATH into AGENTS.md"
		}
		in.add(it)
	}
	return nil
}

// objects reads agents or commands that are objects in the settings.
func objects(body string, add func(in *input, name string, o object, body string)) func(in *input) error {
	return func(in *input) error {
		doc, err := in.document()
		if err != nil {
			return err
		}
		found, err := section(doc, in.key)
		if err != nil {
			return err
		}
		for _, name := range sortedKeys(found) {
			o, ok := found[name].(object)
			if !ok {
				in.add(Item{Name: name, Skipped: "it is not an object"})
				continue
			}
			rest := maps.Clone(o)
			delete(rest, body)
			add(in, name, rest, text(o[body]))
		}
		return nil
	}
}

// tomlAgent reads an agent of Codex.
func tomlAgent(in *input) error {
	doc, err := in.document()
	if err != nil {
		return err
	}
	name := text(doc["name"])
	if name == "" {
		name = in.nameInFolder()
	}
	body := text(doc["developer_instructions"])
	delete(doc, "developer_instructions")
	in.addAgent(name, doc, body)
	return nil
}

// localServers reads the servers that Claude Code keeps for one project in the user's file.
func localServers(in *input) error {
	doc, err := in.document()
	if err != nil {
		return err
	}
	found, ok := at(doc, "mcpServers").(object)
	if ok {
		err = in.addServers(found)
	}
	projects, _ := doc["projects"].(object)
	project, _ := projects[in.Project].(object)
	if more, ok := project["mcpServers"].(object); err == nil && ok && len(more) > 0 {
		for _, name := range sortedKeys(more) {
			in.add(Item{Name: name, Skipped: fmt.Sprintf("it is for the project %s alone: write it to config/mcp/ there", in.Project)})
		}
	}
	return err
}
