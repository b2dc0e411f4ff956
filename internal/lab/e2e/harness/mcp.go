//go:build unix

package harness

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Saver returns an MCP server over HTTP that saves nothing.
func Saver() http.Handler {
	type input struct {
		Targets []string `json:"target_files"`
		Note    string   `json:"note"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "saver", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "save", Description: "Saves a note."},
		func(context.Context, *mcp.CallToolRequest, input) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "saved"}}}, nil, nil
		})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
}
