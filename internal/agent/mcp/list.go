package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
)

// list requests all tools of a server, page by page.
func (l *link) list(ctx context.Context) ([]*sdk.Tool, error) {
	if r := l.session.InitializeResult(); r != nil && r.Capabilities != nil && r.Capabilities.Tools == nil {
		return nil, nil
	}
	var out []*sdk.Tool
	params := &sdk.ListToolsParams{}
	seen := map[string]bool{}
	for range limit.MCPPages {
		page, err := guarded(ctx, l, func() (*sdk.ListToolsResult, error) { return l.session.ListTools(ctx, params) })
		if err != nil {
			return nil, fmt.Errorf("listing its tools: %w", err)
		}
		out = append(out, page.Tools...)
		if page.NextCursor == "" || len(out) > limit.MCPTools {
			return out, nil
		}
		if seen[page.NextCursor] {
			return nil, errors.New("listing its tools: the list has no end, for it comes back to a page that was there before")
		}
		seen[page.NextCursor] = true
		params = &sdk.ListToolsParams{Cursor: page.NextCursor}
	}
	return nil, fmt.Errorf("listing its tools: the list has more than %d pages", limit.MCPPages)
}

// accept converts the tools that a server lists to aura's tools, sorted by name. left names the omitted tools and the reasons.
func (s *server) accept(listed []*sdk.Tool) (tools []*remote, left []string) {
	taken := map[string]bool{}
	if over := len(listed) - limit.MCPTools; over > 0 {
		left = append(left, fmt.Sprintf("%d beyond the first %d", over, limit.MCPTools))
		listed = listed[:limit.MCPTools]
	}
	for _, t := range listed {
		r, err := s.remote(t)
		if err == nil && taken[r.definition.Name] {
			err = errors.New("listed twice")
		}
		if err != nil {
			left = append(left, fmt.Sprintf("%q (%v)", nameOf(t), err))
			continue
		}
		taken[r.definition.Name] = true
		tools = append(tools, r)
	}
	slices.SortFunc(tools, func(a, b *remote) int { return strings.Compare(a.definition.Name, b.definition.Name) })
	return tools, left
}

func nameOf(t *sdk.Tool) string {
	if t == nil {
		return ""
	}
	return cut(t.Name, maxName)
}

func (s *server) remote(t *sdk.Tool) (*remote, error) {
	if t == nil || t.Name == "" {
		return nil, errors.New("it has no name")
	}
	schema, err := parameters(t.InputSchema)
	if err != nil {
		return nil, err
	}
	r := &remote{server: s, name: t.Name, definition: tool.Definition{
		Name: toolName(s.Name, t.Name), Description: describeTool(s.Name, t), Parameters: schema,
		Source: tool.SourceMCP, Origin: s.Name,
	}}
	if hints := t.Annotations; hints != nil {
		r.repeatable = hints.ReadOnlyHint || hints.IdempotentHint
		r.definition.Parallel = hints.ReadOnlyHint
	}
	return r, nil
}

func describeTool(server string, t *sdk.Tool) string {
	switch {
	case t.Description != "":
		return cut(t.Description, limit.MCPDescription)
	case t.Title != "":
		return cut(t.Title, limit.MCPDescription)
	default:
		return fmt.Sprintf("The tool %s of the MCP server %s.", t.Name, server)
	}
}

// parameters returns a schema in the form that providers require: of type object, and with properties.
func parameters(schema any) (json.RawMessage, error) {
	fields, ok := schema.(map[string]any)
	switch {
	case schema == nil:
		fields = map[string]any{}
	case !ok:
		return nil, errors.New("its schema is not an object")
	}
	if kind, written := fields["type"]; written && kind != "object" {
		return nil, fmt.Errorf("its arguments are of type %v, not object", kind)
	}
	fields["type"] = "object"
	if fields["properties"] == nil {
		fields["properties"] = map[string]any{}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("writing its schema: %w", err)
	}
	if _, err := tool.Compile(raw); err != nil {
		return nil, err
	}
	return raw, nil
}
