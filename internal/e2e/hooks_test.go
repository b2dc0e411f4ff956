//go:build unix

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestHooks runs the scripts on shell hooks against a server, so that they see word for word what the model is told. Beside
// it there is an MCP server at $MCP whose tool "save" takes the name of a file.
func TestHooks(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(saver())
	// Scripts run on after this function has returned.
	t.Cleanup(service.Close)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/hooks",
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, "MCP="+service.URL)
			return setupRule(env, "openai")
		},
		Cmds:                commands,
		Condition:           isRace,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// isRace tells steps that hold for users alone: the race detector needs memory of its own, and ends in its own way without.
func isRace(condition string) (bool, error) {
	if condition != "race" {
		return false, fmt.Errorf("unknown condition %q", condition)
	}
	return len(raceFlags) > 0, nil
}

// saver is an MCP server over HTTP that saves nothing.
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
