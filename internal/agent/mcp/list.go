package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
	aura "github.com/idelchi/aura/sdk"
)

// catalog holds all that a server offers.
type catalog struct {
	tools     []*sdk.Tool
	prompts   []*sdk.Prompt
	resources []*sdk.Resource
	templates []*sdk.ResourceTemplate
	// faults says which lists are missing, and why.
	faults []string
}

// list requests all that a server offers. It fails only if the tools cannot be listed.
func (l *link) list(ctx context.Context) (catalog, error) {
	var out catalog
	var err error
	has, undeclared := l.capabilities(), l.session.InitializeResult() == nil || l.session.InitializeResult().Capabilities == nil
	if has.Tools != nil || undeclared {
		out.tools, err = pages(ctx, l, "tools", limit.MCPTools, func(cursor string) ([]*sdk.Tool, string, error) {
			r, err := l.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return r.Tools, r.NextCursor, nil
		})
		if err != nil {
			return out, err
		}
	}
	var faults [3]error
	if has.Prompts != nil {
		out.prompts, faults[0] = pages(ctx, l, "prompts", limit.MCPEntries, func(cursor string) ([]*sdk.Prompt, string, error) {
			r, err := l.session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return r.Prompts, r.NextCursor, nil
		})
	}
	if has.Resources != nil {
		out.resources, faults[1] = pages(ctx, l, "resources", limit.MCPEntries, func(cursor string) ([]*sdk.Resource, string, error) {
			r, err := l.session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return r.Resources, r.NextCursor, nil
		})
		out.templates, faults[2] = pages(ctx, l, "templates of resources", limit.MCPEntries, func(cursor string) ([]*sdk.ResourceTemplate, string, error) {
			r, err := l.session.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
			if unsupported(err) {
				return nil, "", nil // templates are optional
			}
			if err != nil {
				return nil, "", err
			}
			return r.ResourceTemplates, r.NextCursor, nil
		})
	}
	for _, fault := range faults {
		if fault != nil {
			out.faults = append(out.faults, fault.Error())
		}
	}
	return out, ctx.Err()
}

// unsupported reports whether a server does not know a request.
func unsupported(err error) bool {
	answer, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && answer.Code == jsonrpc.CodeMethodNotFound
}

// pages requests a list page by page, up to somewhat more than most entries. request returns one page and the cursor of the next one.
func pages[T any](ctx context.Context, l *link, what string, most int, request func(cursor string) ([]T, string, error)) ([]T, error) {
	type page struct {
		entries []T
		next    string
	}
	var out []T
	cursor := ""
	seen := map[string]bool{}
	for range limit.MCPPages {
		got, err := guarded(ctx, l, func() (page, error) {
			entries, next, err := request(cursor)
			return page{entries, next}, err
		})
		if err != nil {
			return nil, fmt.Errorf("listing its %s: %w", what, err)
		}
		out = append(out, got.entries...)
		if got.next == "" || len(out) > most {
			return out, nil
		}
		if seen[got.next] {
			return nil, fmt.Errorf("listing its %s: the list has no end, for it comes back to a page that was there before", what)
		}
		seen[got.next], cursor = true, got.next
	}
	return nil, fmt.Errorf("listing its %s: the list has more than %d pages", what, limit.MCPPages)
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
		if r.unchecked != nil {
			left = append(left, fmt.Sprintf("the check of the results of %q (%v)", nameOf(t), r.unchecked))
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
	r.output, r.unchecked = outputSchema(t.OutputSchema)
	if hints := t.Annotations; hints != nil {
		r.repeatable = hints.ReadOnlyHint || hints.IdempotentHint
		r.definition.Parallel = hints.ReadOnlyHint
		if hints.ReadOnlyHint {
			r.definition.SideEffects = []aura.SideEffect{aura.SideEffectRead}
		}
	}
	return r, nil
}

// outputSchema returns the schema of a tool's structured results; nil if it declares none, or one that aura cannot check.
func outputSchema(schema any) (*tool.Schema, error) {
	if schema == nil {
		return nil, nil
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	return tool.Compile(raw)
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
