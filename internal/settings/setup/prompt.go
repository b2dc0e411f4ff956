package setup

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/config"
)

// promptData returns the data for the templates of a role, without its tools and its sandbox.
func (m member) promptData(ctx context.Context) prompt.Data {
	return prompt.Data{
		Agent: m.role.Agent.Name, Mode: m.role.Mode.Name, Provider: m.providerName, Model: m.modelName(ctx),
		Workdir: m.source.Config.Workdir, Instructions: m.instructions(), Vars: m.source.Vars,
	}
}

// instructions returns the instruction files joined, each with its path as a heading; empty if instructions are turned off.
func (m member) instructions() string {
	shown, hides := instructionsOf(m.source.Config, m.features)
	for _, why := range hides {
		if m.source.Told == nil || m.source.Told.first(why) {
			m.source.notice("", why)
		}
	}
	var out []string
	for _, file := range shown {
		out = append(out, "# Instructions from "+plaintext.Line(file.Path)+"\n\n"+file.Text)
	}
	return paragraphs(out...)
}

// instructionsOf returns the instruction files that a system prompt can contain, and why others are left out: the sandbox hides them. aura itself
// reads these files, and a file of the project can import them.
func instructionsOf(c *config.Config, f config.Features) (shown []config.Instructions, hides []string) {
	if !f.Instructions.Enabled {
		return nil, nil
	}
	if !f.Sandbox.Enabled {
		return c.Instructions, nil
	}
	rules := hiddenRules(c, f.Sandbox)
	for _, file := range c.Instructions {
		if why, ok := rules.Reason(withoutLinks(file.Path)); ok {
			hides = append(hides, fmt.Sprintf("the instructions in %s are left out: %s", file.Path, why.Text))
		} else {
			shown = append(shown, file)
		}
	}
	return shown, hides
}

// InstructionTexts returns the texts of the instruction files that the role's system prompt can contain.
func (s *Setup) InstructionTexts() []string {
	shown, _ := instructionsOf(s.Config, s.Features)
	var out []string
	for _, file := range shown {
		if text := strings.TrimSpace(file.Text); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// InstructionFiles returns the instruction files that the role's system prompt can contain.
func (s *Setup) InstructionFiles() []string {
	shown, _ := instructionsOf(s.Config, s.Features)
	var out []string
	for _, file := range shown {
		out = append(out, file.Path)
	}
	return out
}

// systemPrompt renders what the named prompt, the agent and the mode say, one below the other. Where neither a prompt is named nor
// the agent says anything, aura's own prompt stands in their place. The instructions come before the mode, unless a template has
// put them elsewhere: of all parts the mode changes most often, and what it forbids holds over what they ask for. The texts of plugins
// come last.
func (m member) systemPrompt(data prompt.Data, live Live) (string, error) {
	parts, mode, err := m.promptParts()
	if err != nil {
		return "", err
	}
	before, err := rendered(data, parts...)
	if err != nil {
		return "", err
	}
	after, err := rendered(data, mode)
	if err != nil {
		return "", err
	}
	if len(parts) == 0 {
		before = prompt.Builtin(data, time.Now(), runtime.GOOS+"/"+runtime.GOARCH)
	}
	instructions := data.Instructions
	if slices.ContainsFunc(append(parts, mode), prompt.Template.UsesInstructions) {
		instructions = ""
	}
	return paragraphs(append([]string{before, instructions, after}, pluginPrompts(live)...)...), nil
}

// pluginPrompts returns the texts that plugins add to every system prompt, in the order of the plugins' names.
func pluginPrompts(live Live) []string {
	var out []string
	for _, p := range live.Plugins {
		exports, _ := p.Exports()
		out = append(out, limit.Cut(strings.ToValidUTF8(exports.SystemPrompt, "\uFFFD"), limit.Injection, "a system prompt of a plugin"))
	}
	return out
}

// configuredPrompt returns the system prompt of an agent that does not work on files. It adds neither aura's built-in prompt
// nor instructions.
func (m member) configuredPrompt(data prompt.Data) (string, error) {
	parts, mode, err := m.promptParts()
	if err != nil {
		return "", err
	}
	return rendered(data, append(parts, mode)...)
}

func rendered(data prompt.Data, parts ...prompt.Template) (string, error) {
	var out []string
	for _, p := range parts {
		text, err := p.Render(data)
		if err != nil {
			return "", err
		}
		out = append(out, text)
	}
	return paragraphs(out...), nil
}

// paragraphs joins texts with blank lines between them and omits blank texts.
func paragraphs(texts ...string) string {
	var out []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n\n")
}

// promptParts returns the named prompt and the text of the agent, if they exist, and the text of the mode.
func (m member) promptParts() (parts []prompt.Template, mode prompt.Template, err error) {
	if name := cmp.Or(m.role.System, m.role.Agent.System); name != "" {
		named, err := m.source.namedPrompt(name)
		if err != nil {
			return nil, mode, err
		}
		parts = append(parts, named)
	}
	if agent := m.role.Agent; strings.TrimSpace(agent.Prompt) != "" {
		parts = append(parts, prompt.Template{Name: "agent " + agent.Name, Body: agent.Prompt, File: agent.PromptAt.File, Line: agent.PromptAt.Line})
	}
	of := m.role.Mode
	return parts, prompt.Template{Name: "mode " + of.Name, Body: of.Prompt, File: of.PromptAt.File, Line: of.PromptAt.Line}, nil
}

func (s Source) namedPrompt(name string) (prompt.Template, error) {
	named, ok := s.Config.Prompts[name]
	if !ok {
		return prompt.Template{}, fmt.Errorf("choosing prompt %q: it does not exist; known prompts: %s", name, Names(s.Config.Prompts))
	}
	return prompt.Template{Name: name, Body: named.Body, File: named.BodyAt.File, Line: named.BodyAt.Line}, nil
}

// compaction returns when a long history is summarised, and by which agent. data describes the role whose history is
// summarised. If another agent summarises, the prompt uses the data of that agent.
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
		system, err := by.configuredPrompt(data)
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

// summariser returns an agent that only writes summaries.
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
