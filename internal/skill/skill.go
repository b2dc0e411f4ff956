// Package skill is the tool by which a model reads instructions that it needs for some work only. It is told their names
// and what they are for, and gets their text when it asks.
package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/tool"
)

// Name is the tool's name.
const Name = "Skill"

// Skill is one set of instructions.
type Skill struct {
	Name        string
	Description string
	Body        string
	// Dir is where the skill's own files are; empty if it has none.
	Dir string
}

// Tool offers skills, of which there must be one at least, in the order given.
func Tool(skills []Skill) tool.Tool { return reader{skills} }

type reader struct{ skills []Skill }

func (r reader) Definition() tool.Definition {
	var b strings.Builder
	b.WriteString("Read instructions for a certain kind of work before you do it. There are:\n")
	names := make([]string, 0, len(r.skills))
	for _, s := range r.skills {
		fmt.Fprintf(&b, "- %s: %s\n", s.Name, strings.Join(strings.Fields(s.Description), " "))
		names = append(names, s.Name)
	}
	return tool.Definition{
		Name: Name, Description: strings.TrimRight(b.String(), "\n"), Parameters: schema(names),
		Source: tool.SourceBuiltin, Parallel: true,
	}
}

func schema(names []string) json.RawMessage {
	// Strings always can be encoded.
	list, _ := json.Marshal(names)
	return json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","enum":` + string(list) +
		`,"description":"which instructions"}},"required":["name"],"additionalProperties":false}`)
}

// Execute returns the text of a skill.
func (r reader) Execute(_ context.Context, call tool.Call) (string, error) {
	name, _ := call.Args["name"].(string)
	for _, s := range r.skills {
		switch {
		case s.Name != name:
		case s.Dir == "":
			return s.Body, nil
		default:
			return fmt.Sprintf("%s\n\n(files of this skill are below %s)", s.Body, s.Dir), nil
		}
	}
	return "", fmt.Errorf("reading skill %q: it does not exist", name)
}
