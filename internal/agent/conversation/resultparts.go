package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
)

// addPart adds a media file to the result of a call. It returns the name of the file, or why the model does not get the file.
func (x *executor) addPart(p *call, name string, data []byte) (string, error) {
	mediaType, err := mediaOf(data, len(data))
	if err != nil {
		return "", err
	}
	part := llm.Part{Name: p.partName(name), Type: mediaType, Data: data}
	if why := x.personas.current().refuses([]llm.Part{part}); why != "" {
		return "", errors.New(why)
	}
	if err := checkParts(append(slices.Clip(p.parts), part)); err != nil {
		return "", err
	}
	p.parts = append(p.parts, part)
	return part.Name, nil
}

// partName returns a name that no other file has in the results of the turn. Calls can run in parallel, so the name depends on nothing
// but the call.
func (p *call) partName(name string) string {
	if p.number > 1 {
		name = fmt.Sprintf("%s of result %d", name, p.number)
	}
	if slices.ContainsFunc(p.parts, func(other llm.Part) bool { return other.Name == name }) {
		name = fmt.Sprintf("%s, file %d", name, len(p.parts)+1)
	}
	return name
}

// partsOf returns the message with the files of a result. No service takes files within the result of a tool in the same way, so a message
// of its own follows the results of the turn.
func partsOf(p *call) injection {
	var b strings.Builder
	fmt.Fprintf(&b, "These files belong to the result of %s.", p.request.Name)
	for _, part := range p.parts {
		fmt.Fprintf(&b, "\n<file path=%q type=%q />", part.Name, part.Type)
	}
	out := injection{parts: p.parts}
	out.Content = b.String()
	return out
}

// runTool runs a tool of the persona for a prompt, as if the model had asked for it. number counts the results of the prompt.
func (x *executor) runTool(ctx context.Context, name string, args map[string]any, number int) reading {
	t, err := x.offer.find(name)
	if err == nil {
		err = x.offer.registry().Validate(name, args)
	}
	if err != nil {
		return reading{err: err, refused: true}
	}
	return x.perform(ctx, t, args, func(p *call) { p.number = number })
}
