package mcp

import (
	"context"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/base/limit"
)

// CompleteURI returns the URIs of a server's resources that begin with what is typed. Templates are filled in variable by variable, with the
// values that the server proposes. Template remains set if further variables follow.
func (s *Set) CompleteURI(ctx context.Context, server, typed string) ([]Resource, error) {
	var out []Resource
	for _, r := range s.Resources() {
		switch {
		case r.Server != server || len(out) >= limit.MCPChoices:
		case !r.Template:
			if strings.HasPrefix(r.URI, typed) {
				out = append(out, r)
			}
		default:
			found, err := s.fill(ctx, r, typed)
			if err != nil {
				return out, err
			}
			out = append(out, found[:min(len(found), limit.MCPChoices-len(out))]...)
		}
	}
	return out, nil
}

// fill returns the URIs that a template leads to from what is typed, up to its next variable.
func (s *Set) fill(ctx context.Context, template Resource, typed string) ([]Resource, error) {
	at, ok := parseTemplate(template.URI).locate(typed)
	if !ok {
		return nil, nil
	}
	if at.variable == "" {
		template.URI = at.before
		return []Resource{template}, nil
	}
	values, err := s.complete(ctx, template.Server, &sdk.CompleteReference{Type: "ref/resource", URI: template.URI}, at.variable, at.value, at.known)
	if err != nil {
		return nil, err
	}
	var out []Resource
	for _, v := range values {
		filled := template
		filled.URI, filled.Template = at.before+url.PathEscape(v)+at.after, !at.last
		out = append(out, filled)
	}
	return out, nil
}

// uriTemplate is a URI template of level 1: literals with variables between them. It has one literal more than variables.
type uriTemplate struct {
	literals, variables []string
}

// parseTemplate parses a URI template. Of an expression of a higher level, only the name counts.
func parseTemplate(text string) uriTemplate {
	var out uriTemplate
	for {
		before, rest, opened := strings.Cut(text, "{")
		expression, after, closed := strings.Cut(rest, "}")
		if !opened || !closed {
			out.literals = append(out.literals, text)
			return out
		}
		out.literals = append(out.literals, before)
		name, _, _ := strings.Cut(strings.TrimLeft(expression, "+#./;?&"), ",")
		out.variables = append(out.variables, strings.TrimRight(name, "*"))
		text = after
	}
}

// place is where a typed text ends in a template.
type place struct {
	// variable is the variable whose value is being typed; empty if a literal is. value is what is typed of it, and known holds the
	// variables before it.
	variable, value string
	known           map[string]string
	// before is the text before the value, and after the literal that follows. Without a variable, before is the whole next literal too.
	before, after string
	// last reports whether no variable follows.
	last bool
}

// locate finds the end of a typed text in a template. ok is false if the text does not begin as the template does.
func (t uriTemplate) locate(typed string) (at place, ok bool) {
	at.known = map[string]string{}
	for i, literal := range t.literals {
		rest, begun := strings.CutPrefix(typed, literal)
		switch {
		case !begun && i == 0 && strings.HasPrefix(literal, typed):
			at.before = literal
			return at, len(t.variables) > 0 || typed != literal
		case !begun, i == len(t.variables):
			return at, false
		}
		at.before += literal
		next := t.literals[i+1]
		if j := strings.Index(rest, next); next != "" && j >= 0 {
			value, err := url.PathUnescape(rest[:j])
			if err != nil {
				return at, false
			}
			at.known[t.variables[i]] = value
			at.before += rest[:j]
			typed = rest[j:]
			continue
		}
		at.variable, at.value, at.after, at.last = t.variables[i], rest, next, i+1 == len(t.variables)
		return at, true
	}
	return at, false
}

// HasResources reports whether a server has been connected and offers resources.
func (s *Set) HasResources(name string) bool {
	return slices.ContainsFunc(s.all(), func(each *server) bool { return each.Name == name && len(each.offeredStock().resources) > 0 })
}
