//go:build unix

package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

func init() {
	preparations["mcp"] = preparation{begin: beginMCP}
}

// beginMCP gives scripts a model server, so that they see the exact requests to the model. It also starts an MCP server at
// $MCP whose tool "save" takes the name of a file.
func beginMCP(t *testing.T, _ string) testscript.Params {
	t.Helper()
	service := httptest.NewServer(saver())
	// Scripts continue after this function has returned.
	t.Cleanup(service.Close)
	return testscript.Params{Setup: func(env *testscript.Env) error {
		env.Vars = append(env.Vars, "MCP="+service.URL)
		return setupRule(env, "openai")
	}}
}

// saver returns an MCP server over HTTP that saves nothing.
func saver() http.Handler {
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
