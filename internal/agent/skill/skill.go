// Package skill implements the tool with which a model reads instructions that it needs only for some work. The model is given
// the names and descriptions of the skills, and gets their text on request.
package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/tool"
)

// Name is the tool's name.
const Name = "Skill"

// Skill is one set of instructions.
type Skill struct {
	Name        string
	Description string
	Body        string
	// Dir is the directory of the skill's own files. It is empty if there are none.
	Dir string
}

// Text returns the instructions as the model gets them.
func (s Skill) Text() string {
	if s.Dir == "" {
		return s.Body
	}
	return fmt.Sprintf("%s\n\n(files of this skill are below %s)", s.Body, s.Dir)
}

// Tool returns a tool that offers the skills in the given order. There must be at least one skill.
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
	// Encoding strings never fails.
	list, _ := json.Marshal(names)
	return json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","enum":` + string(list) +
		`,"description":"which instructions"}},"required":["name"],"additionalProperties":false}`)
}

// Execute returns the text of a skill.
func (r reader) Execute(_ context.Context, call tool.Call) (string, error) {
	name, _ := call.Args["name"].(string)
	for _, s := range r.skills {
		if s.Name == name {
			return s.Text(), nil
		}
	}
	return "", fmt.Errorf("reading skill %q: it does not exist", name)
}
