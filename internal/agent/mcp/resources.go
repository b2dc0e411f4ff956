package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
)

// The tools by which a model finds and reads resources.
const (
	ListName = "ListResources"
	ReadName = "ReadResource"
)

// resourceTools returns the tools that list and read resources; none if no server has resources.
func (s *Set) resourceTools() []tool.Tool {
	var servers []string
	for _, each := range s.all() {
		if len(each.offeredStock().resources) > 0 {
			servers = append(servers, each.Name)
		}
	}
	if len(servers) == 0 {
		return nil
	}
	// A slice of strings can always be encoded.
	known, _ := json.Marshal(servers)
	return []tool.Tool{
		resourceTool{s, tool.Definition{
			Name: ListName, Source: tool.SourceBuiltin, Parallel: true,
			Description: fmt.Sprintf("List the resources that MCP servers offer, and templates of their URIs, %d at most. ReadResource reads one.", limit.MCPListed),
			Parameters: json.RawMessage(`{"type":"object","properties":{` +
				`"server":{"type":"string","enum":` + string(known) + `,"description":"list only those of this server"},` +
				`"query":{"type":"string","description":"list only those with this text in their URI, name or description"},` +
				`"skip":{"type":"integer","minimum":0,"description":"how many to leave out at the beginning"}},"additionalProperties":false}`),
		}, s.list},
		resourceTool{s, tool.Definition{
			Name: ReadName, Source: tool.SourceBuiltin, Parallel: true,
			Description: "Read a resource of an MCP server by its URI.",
			Parameters: json.RawMessage(`{"type":"object","properties":{` +
				`"server":{"type":"string","enum":` + string(known) + `},` +
				`"uri":{"type":"string","minLength":1,"description":"as ListResources has it, or a template with its variables filled in"}},` +
				`"required":["server","uri"],"additionalProperties":false}`),
		}, s.read},
	}
}

// resourceTool is one of the tools about resources.
type resourceTool struct {
	set        *Set
	definition tool.Definition
	run        func(ctx context.Context, call tool.Call) (string, error)
}

// Definition implements tool.Tool.
func (t resourceTool) Definition() tool.Definition { return t.definition }

// Execute implements tool.Tool.
func (t resourceTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	return t.run(ctx, call)
}

// list is the tool that lists resources.
func (s *Set) list(_ context.Context, call tool.Call) (string, error) {
	server, _ := call.Args["server"].(string)
	query, _ := call.Args["query"].(string)
	skip := integer(call.Args["skip"])
	var b strings.Builder
	found, shown := 0, 0
	for _, r := range s.Resources() {
		if server != "" && r.Server != server || !strings.Contains(strings.ToLower(r.URI+"\n"+r.Name+"\n"+r.About), strings.ToLower(query)) {
			continue
		}
		if found++; found <= skip || shown == limit.MCPListed {
			continue
		}
		shown++
		b.WriteString(r.line() + "\n")
	}
	switch {
	case shown == 0:
		return "there are no such resources", nil
	case skip+shown < found:
		fmt.Fprintf(&b, "[%d more; ask with skip: %d]", found-skip-shown, skip+shown)
	}
	return cut(strings.TrimRight(b.String(), "\n"), limit.MCPResult), nil
}

func integer(value any) int {
	switch n := value.(type) {
	case float64:
		return int(n)
	case int:
		return n
	case int64:
		return int(n)
	default:
		return 0
	}
}

// maxAbout is how much of a description a list shows, in bytes.
const maxAbout = 300

// line describes a resource in one line.
func (r Resource) line() string {
	out := r.Server + "  " + r.URI
	var more []string
	if r.Template {
		more = append(more, "template")
	}
	for _, text := range []string{r.Name, r.Type, r.About} {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			more = append(more, short(text, maxAbout))
		}
	}
	if r.Size > 0 {
		more = append(more, fmt.Sprintf("%d bytes", r.Size))
	}
	if len(more) > 0 {
		out += "  (" + strings.Join(more, "; ") + ")"
	}
	return out
}

// short cuts a text for a list.
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// read is the tool that reads a resource.
func (s *Set) read(ctx context.Context, call tool.Call) (string, error) {
	server, _ := call.Args["server"].(string)
	uri, _ := call.Args["uri"].(string)
	result, err := request(ctx, s, server, "reading resource "+cut(uri, maxName), func(ctx context.Context, l *link) (*sdk.ReadResourceResult, error) {
		return l.session.ReadResource(ctx, &sdk.ReadResourceParams{Meta: l.requestMeta(ctx), URI: uri})
	})
	if err != nil {
		return "", err
	}
	var parts []string
	for _, c := range result.Contents {
		text, _ := describeResource(c, call.Attach)
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "", errors.New("the server sent no content")
	}
	return clean(strings.Join(parts, "\n")), nil
}
