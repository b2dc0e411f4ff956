package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/base/limit"
)

// Prompted is a prompt of a server with its arguments filled in.
type Prompted struct {
	// Text is for the model. It comes from the server.
	Text string
	// Files holds the media files that belong to it. Text names them.
	Files []File
}

// File is a media file of a server.
type File struct {
	Name string
	Data []byte
}

// Prompt fills in a prompt of a server. It connects again if the connection has ended. attachable returns why the model does not get a
// file; the text then says so.
func (s *Set) Prompt(ctx context.Context, server, name string, args map[string]string, attachable func(data []byte) error) (Prompted, error) {
	var out Prompted
	attach := func(name string, data []byte) (string, error) {
		if err := attachable(data); err != nil {
			return "", err
		}
		if len(out.Files) == limit.Parts {
			return "", fmt.Errorf("a prompt takes at most %d files", limit.Parts)
		}
		if slices.ContainsFunc(out.Files, func(f File) bool { return f.Name == name }) {
			name = fmt.Sprintf("%s, file %d", name, len(out.Files)+1)
		}
		out.Files = append(out.Files, File{name, data})
		return name, nil
	}
	result, err := request(ctx, s, server, "getting prompt "+name, func(ctx context.Context, l *link) (*sdk.GetPromptResult, error) {
		return l.session.GetPrompt(ctx, &sdk.GetPromptParams{Meta: l.requestMeta(ctx), Name: name, Arguments: args})
	})
	if err != nil {
		return out, err
	}
	out.Text = clean(dialogue(result.Messages, attach))
	if strings.TrimSpace(out.Text) == "" {
		return out, fmt.Errorf("getting prompt %s of MCP server %q: it is empty", name, server)
	}
	return out, nil
}

// dialogue returns the messages of a prompt as one text. If the server gives words to the model, the text says whose words are whose.
func dialogue(messages []*sdk.PromptMessage, attach attachFunc) string {
	messages = slices.DeleteFunc(messages, func(m *sdk.PromptMessage) bool { return m == nil || m.Content == nil })
	mixed := slices.ContainsFunc(messages, func(m *sdk.PromptMessage) bool { return m.Role != "user" })
	var parts []string
	for i, m := range messages {
		text, _ := describe(m.Content, i+1, attach)
		if mixed {
			text = fmt.Sprintf("<message role=%q>\n%s\n</message>", m.Role, text)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n\n")
}

// request makes a request to a server. It connects first if necessary, and the server's timeout limits it.
func request[T any](ctx context.Context, s *Set, name, doing string, do func(context.Context, *link) (T, error)) (T, error) {
	var none T
	i := slices.IndexFunc(s.all(), func(each *server) bool { return each.Name == name })
	if i < 0 {
		return none, fmt.Errorf("%s of MCP server %q: the server does not exist; known servers: %s", doing, name, s.names())
	}
	on := s.servers[i]
	if on.Disabled {
		return none, fmt.Errorf("%s of MCP server %q: it is disabled; %s", doing, name, on.remedy("remove disabled: true"))
	}
	ctx, end := on.limited(ctx)
	defer end()
	for {
		l, fresh, err := on.connected(ctx)
		if err != nil {
			return none, err
		}
		out, err := guarded(ctx, l, func() (T, error) { return do(ctx, l) })
		if err == nil {
			on.worked()
			return out, nil
		}
		// What only reads can be repeated.
		if fresh || ctx.Err() != nil || !undelivered(err) && !l.severed(err) {
			return none, fmt.Errorf("%s of MCP server %q: %w", doing, name, err)
		}
		l.close()
	}
}

// Complete returns the values that a server proposes for an argument of a prompt, whose other arguments may be known already. A server
// without completion proposes none.
func (s *Set) Complete(ctx context.Context, server, prompt, argument, value string, known map[string]string) ([]string, error) {
	return s.complete(ctx, server, &sdk.CompleteReference{Type: "ref/prompt", Name: prompt}, argument, value, known)
}

var errNoCompletion = errors.New("the server completes nothing")

func (s *Set) complete(ctx context.Context, server string, ref *sdk.CompleteReference, argument, value string, known map[string]string) ([]string, error) {
	result, err := request(ctx, s, server, "completing "+argument, func(ctx context.Context, l *link) (*sdk.CompleteResult, error) {
		if l.capabilities().Completions == nil {
			return nil, errNoCompletion
		}
		p := &sdk.CompleteParams{Ref: ref, Argument: sdk.CompleteParamsArgument{Name: argument, Value: value}}
		if len(known) > 0 {
			p.Context = &sdk.CompleteContext{Arguments: known}
		}
		return l.session.Complete(ctx, p)
	})
	if errors.Is(err, errNoCompletion) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, v := range result.Completion.Values {
		if len(out) < limit.MCPChoices && v != "" && len(v) <= maxIdentifier && !strings.ContainsFunc(v, unprintable) {
			out = append(out, v)
		}
	}
	return out, nil
}
