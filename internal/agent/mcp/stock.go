package mcp

import (
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/base/limit"
)

// maxIdentifier is the longest name of a prompt or an argument and the longest URI that is offered, in bytes.
const maxIdentifier = 2 << 10

// Prompt is a prompt that a server offers. Its texts come from the server.
type Prompt struct {
	Server, Name string
	// About is the description, or else the title.
	About     string
	Arguments []Argument
}

// Argument is an argument of a prompt.
type Argument struct {
	Name, About string
	Required    bool
}

// Resource is a resource that a server offers, or a template of such. Its texts come from the server.
type Resource struct {
	Server string
	// URI is a URI template if Template is set.
	URI      string
	Template bool
	// Name, About and Type are for people. Each may be empty.
	Name, About, Type string
	// Size is in bytes; 0 if unknown.
	Size int64
}

// stock is what a server offers beside tools, sorted.
type stock struct {
	prompts   []Prompt
	resources []Resource
}

// sort converts what a server lists. left names what is omitted, and why.
func (s *server) sort(listed catalog) (out stock, left []string) {
	taken := map[string]bool{}
	fits := func(kind, id string, n int) bool {
		reason := ""
		switch {
		case n >= limit.MCPEntries:
			reason = fmt.Sprintf("beyond the first %d", limit.MCPEntries)
		case id == "":
			reason = "it has no name"
		case len(id) > maxIdentifier:
			reason = fmt.Sprintf("its name has more than %d bytes", maxIdentifier)
		case strings.ContainsFunc(id, unprintable):
			reason = "its name has control characters"
		case taken[kind+id]:
			reason = "listed twice"
		}
		if reason != "" {
			left = append(left, fmt.Sprintf("%s %q (%s)", kind, cut(id, maxName), reason))
			return false
		}
		taken[kind+id] = true
		return true
	}
	for _, p := range listed.prompts {
		if p != nil && fits("prompt", p.Name, len(out.prompts)) {
			out.prompts = append(out.prompts, s.prompt(p))
		}
	}
	for _, r := range listed.resources {
		if r != nil && fits("resource", r.URI, len(out.resources)) {
			out.resources = append(out.resources, Resource{
				Server: s.Name, URI: r.URI, Name: brief(r.Title, r.Name), About: brief(r.Description), Type: brief(r.MIMEType), Size: max(r.Size, 0),
			})
		}
	}
	plain := len(out.resources)
	for _, t := range listed.templates {
		if t != nil && fits("template", t.URITemplate, len(out.resources)-plain) {
			out.resources = append(out.resources, Resource{
				Server: s.Name, URI: t.URITemplate, Template: true, Name: brief(t.Title, t.Name), About: brief(t.Description), Type: brief(t.MIMEType),
			})
		}
	}
	slices.SortFunc(out.prompts, func(a, b Prompt) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(out.resources, func(a, b Resource) int { return strings.Compare(a.URI, b.URI) })
	return out, left
}

func (s *server) prompt(p *sdk.Prompt) Prompt {
	out := Prompt{Server: s.Name, Name: p.Name, About: brief(p.Description, p.Title)}
	for _, a := range p.Arguments[:min(len(p.Arguments), limit.MCPListed)] {
		if a != nil && a.Name != "" && len(a.Name) <= maxIdentifier {
			out.Arguments = append(out.Arguments, Argument{Name: a.Name, About: brief(a.Description, a.Title), Required: a.Required})
		}
	}
	return out
}

func unprintable(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\uFFFD' }

// brief returns the first text that is not empty, valid and not too long.
func brief(texts ...string) string {
	for _, text := range texts {
		if text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")); text != "" {
			return cut(text, limit.MCPDescription)
		}
	}
	return ""
}

func (s *server) offeredStock() stock {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stock
}

// Prompts returns the prompts of all servers that have been connected, sorted by server and name. The caller owns the slice.
func (s *Set) Prompts() []Prompt {
	var out []Prompt
	for _, each := range s.all() {
		out = append(out, each.offeredStock().prompts...)
	}
	return out
}

// Resources returns the resources and templates of all servers that have been connected, sorted by server and URI. The caller owns the slice.
func (s *Set) Resources() []Resource {
	var out []Resource
	for _, each := range s.all() {
		out = append(out, each.offeredStock().resources...)
	}
	return out
}
