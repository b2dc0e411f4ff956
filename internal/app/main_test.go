package app

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/internal/setup"
	"github.com/idelchi/aura/internal/shell"
)

// TestMain lets the test executable replace aura, which is started again for shell lines and confined tools. Without TestMain,
// every such start would run all tests again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case shell.Argument:
			os.Exit(shell.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		case sandbox.Argument:
			os.Exit(sandbox.Main(setup.RunConfined))
		case serverArgument:
			os.Exit(serveMCP())
		}
	}
	os.Exit(withHost(m))
}

// withHost runs the tests with aura-plugin-host in PATH.
func withHost(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aura-app-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	build := exec.Command("go", "build", "-o", dir, "github.com/idelchi/aura/cmd/aura-plugin-host")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("building aura-plugin-host: %v: %s", err, out))
	}
	if err := os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		panic(err)
	}
	return m.Run()
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
