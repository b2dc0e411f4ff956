package setup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/conversation"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/prompt"
)

// promptData is what the templates of a role can speak of, but for its tools and its sandbox.
func (m member) promptData(ctx context.Context) prompt.Data {
	return prompt.Data{
		Agent: m.role.Agent.Name, Mode: m.role.Mode.Name, Provider: m.providerName, Model: m.modelName(ctx),
		Workdir: m.source.Config.Workdir, Vars: m.source.Vars,
	}
}

// systemPrompt renders what the named prompt, the agent and the mode say, one below the other.
func (m member) systemPrompt(data prompt.Data) (string, error) {
	agent, mode := m.role.Agent, m.role.Mode
	parts := []prompt.Template{
		{Name: "agent " + agent.Name, Body: agent.Prompt, File: agent.PromptAt.File, Line: agent.PromptAt.Line},
		{Name: "mode " + mode.Name, Body: mode.Prompt, File: mode.PromptAt.File, Line: mode.PromptAt.Line},
	}
	if name := cmp.Or(m.role.System, agent.System); name != "" {
		named, err := m.source.namedPrompt(name)
		if err != nil {
			return "", err
		}
		parts = slices.Insert(parts, 0, named)
	}
	var out []string
	for _, p := range parts {
		text, err := p.Render(data)
		if err != nil {
			return "", err
		}
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n\n"), nil
}

func (s Source) namedPrompt(name string) (prompt.Template, error) {
	named, ok := s.Config.Prompts[name]
	if !ok {
		return prompt.Template{}, fmt.Errorf("choosing prompt %q: it does not exist; known prompts: %s", name, Names(s.Config.Prompts))
	}
	return prompt.Template{Name: name, Body: named.Body, File: named.BodyAt.File, Line: named.BodyAt.Line}, nil
}

// compaction says when and by whom a long history is summarised. The data is that of the role whose history it is; if another
// agent summarises, its prompt speaks of that one.
func (m member) compaction(ctx context.Context, data prompt.Data) (*conversation.Compaction, error) {
	c := m.features.Compaction
	out := &conversation.Compaction{Threshold: c.Threshold, MaxTokens: c.MaxTokens, KeepLast: cmp.Or(c.KeepLastMessages, -1)}
	if c.Agent != "" {
		by, err := m.summariser(ctx, c.Agent)
		if err != nil {
			return nil, err
		}
		data = by.promptData(ctx)
		data.Sandbox = by.confinement().Display()
		system, err := by.systemPrompt(data)
		if err != nil {
			return nil, err
		}
		out.By = &conversation.Persona{
			Agent: c.Agent, System: system, Provider: described{by.provider, by.role.Agent.Model}, ProviderName: by.providerName, Model: by.model(),
			ContextLength: by.role.Agent.Model.Context, Generation: llm.Generation(by.role.Agent.Model.Generation),
		}
	}
	if c.Prompt != "" {
		named, err := m.source.namedPrompt(c.Prompt)
		if err != nil {
			return nil, err
		}
		if out.Prompt, err = named.Render(data); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// summariser is an agent that only writes summaries.
func (m member) summariser(ctx context.Context, name string) (member, error) {
	r, err := FindRole(m.source.Config, name, "")
	if err != nil {
		return member{}, err
	}
	by := member{source: m.source, role: r}
	if by.features, err = m.source.Features(r); err != nil {
		return by, err
	}
	if by.provider, by.providerName, err = m.source.provider(ctx, r); err != nil {
		return by, fmt.Errorf("preparing agent %q, which summarises: %w", name, err)
	}
	return by, nil
}
