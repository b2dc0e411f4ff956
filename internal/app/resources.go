package app

import (
	"context"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/slash"
)

// mentioned separates the mentions of resources, @SERVER:URI, from those of files. The tool that reads resources reads them, so plugins and
// the policy are asked about each. A file of that name has priority.
func (v *servers) mentioned(workdir string, mentions []prompt.Mention) (files []prompt.Mention, resources []conversation.Attachment) {
	seen := map[string]bool{}
	for _, m := range mentions {
		server, uri, ok := v.resourceOf(m)
		if ok {
			if _, err := fileOf(workdir, m); err == nil {
				ok = false
			}
		}
		if !ok {
			files = append(files, m)
			continue
		}
		if name := server + ":" + uri; !seen[name] {
			seen[name] = true
			resources = append(resources, conversation.Attachment{Path: name, Tool: mcp.ReadName, Args: map[string]any{"server": server, "uri": uri}})
		}
	}
	return files, resources
}

// resourceOf returns the resource that a mention names. Punctuation after it belongs to the URI only if a known resource has it.
func (v *servers) resourceOf(m prompt.Mention) (server, uri string, ok bool) {
	known := v.set.Resources()
	for i, path := range m.Paths {
		server, uri, ok = strings.Cut(path, ":")
		if !ok || uri == "" || !v.set.HasResources(server) {
			return "", "", false
		}
		last := i == len(m.Paths)-1
		if last || slices.ContainsFunc(known, func(r mcp.Resource) bool { return r.Server == server && r.URI == uri }) {
			return server, uri, true
		}
	}
	return "", "", false
}

// FillPrompt fills in a prompt of an MCP server for the model that answers next.
func (c control) FillPrompt(ctx context.Context, p mcp.Prompt, args map[string]string) (mcp.Prompted, error) {
	return c.s.servers.set.Prompt(ctx, p.Server, p.Name, args, func(data []byte) error {
		_, err := c.s.talk.Attachable(ctx, conversation.Attachment{Data: data})
		return err
	})
}

// Complete returns what the last word of a line may become: an argument of a prompt of an MCP server, or the URI of a resource.
func (s *Session) Complete(ctx context.Context, line string) ([]frontend.Choice, error) {
	set := s.shown.Load().servers
	word := line[strings.LastIndexAny(line, " \n\t")+1:]
	if mention, ok := strings.CutPrefix(word, "@"); ok {
		server, typed, named := strings.Cut(mention, ":")
		if !named || !set.HasResources(server) {
			return resourceServers(set, mention), nil
		}
		found, err := set.CompleteURI(ctx, server, typed)
		var out []frontend.Choice
		for _, r := range found {
			out = append(out, frontend.Choice{Value: "@" + server + ":" + r.URI, Title: r.Name, Detail: r.About, Partial: r.Template})
		}
		return out, s.secrets.Error(err)
	}
	name, args, ok := command.Parse(line)
	if !ok || strings.TrimSpace(line) == "/"+name && !strings.HasSuffix(line, " ") {
		return nil, nil
	}
	for _, p := range set.Prompts() {
		if slash.PromptName(p) == name {
			out, err := completeArgument(ctx, set, p, strings.TrimSuffix(strings.TrimRight(args, " "), word), word)
			return out, s.secrets.Error(err)
		}
	}
	return nil, nil
}

// resourceServers returns the servers with resources that begin with what is typed.
func resourceServers(set *mcp.Set, typed string) []frontend.Choice {
	var out []frontend.Choice
	for _, r := range set.Resources() {
		value := "@" + r.Server + ":"
		if strings.HasPrefix(r.Server, typed) && !slices.ContainsFunc(out, func(c frontend.Choice) bool { return c.Value == value }) {
			out = append(out, frontend.Choice{Value: value, Partial: true, Detail: "resources of MCP server " + r.Server})
		}
	}
	return out
}

// completeArgument returns the values of the argument that is being typed. before holds the words before it.
func completeArgument(ctx context.Context, set *mcp.Set, p mcp.Prompt, before, word string) ([]frontend.Choice, error) {
	lenient := slices.Clone(p.Arguments)
	for i := range lenient {
		lenient[i].Required = false
	}
	known, err := slash.PromptArguments(lenient, before)
	if err != nil {
		return nil, nil //nolint:nilerr // too many words are typed: nothing follows
	}
	named, value, lead := "", word, ""
	if name, typed, ok := strings.Cut(word, "="); ok {
		named, value, lead = name, typed, name+"="
	}
	for _, a := range p.Arguments {
		if _, set := known[a.Name]; named != "" && a.Name != named || named == "" && set {
			continue
		}
		values, err := set.Complete(ctx, p.Server, p.Name, a.Name, value, known)
		var out []frontend.Choice
		for _, v := range values {
			out = append(out, frontend.Choice{Value: lead + quoted(v), Detail: a.Name})
		}
		return out, err
	}
	return nil, nil
}

// quoted returns a value as one word.
func quoted(value string) string {
	if !strings.ContainsAny(value, " \"'\\") {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
