package app

import (
	"context"
	"os"
	"testing"

	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/lab/testhost"
)

// TestMain lets the test executable replace aura, which is started again for shell lines and confined tools. Without TestMain,
// every such start would run all tests again.
func TestMain(m *testing.M) {
	if status, asked := toolhost.Main(os.Args, nil); asked {
		os.Exit(status)
	}
	if len(os.Args) > 1 && os.Args[1] == serverArgument {
		os.Exit(serveMCP())
	}
	os.Exit(testhost.Run(m))
}

// serverArgument makes the test executable an MCP server with one tool.
const serverArgument = "mcp-server"

func serveMCP() int {
	type nothing struct{}
	server := mcpsdk.NewServer(&mcpsdk.Implementation{Name: "one", Version: "1"}, nil)
	mcpsdk.AddTool(server, &mcpsdk.Tool{Name: "greet", Description: "Greets"},
		func(context.Context, *mcpsdk.CallToolRequest, nothing) (*mcpsdk.CallToolResult, any, error) {
			return &mcpsdk.CallToolResult{Content: []mcpsdk.Content{&mcpsdk.TextContent{Text: "hello"}}}, nil, nil
		})
	if err := server.Run(context.Background(), &mcpsdk.StdioTransport{}); err != nil {
		return 1
	}
	return 0
}
