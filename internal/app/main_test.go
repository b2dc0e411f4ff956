package app

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// withHost runs the tests with aura-plugin-host beside the test executable, where aura looks for it first.
func withHost(m *testing.M) int {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	name := "aura-plugin-host"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	host := filepath.Join(filepath.Dir(self), name)
	defer func() { _ = os.Remove(host) }()
	build := exec.Command("go", "build", "-o", host, "github.com/idelchi/aura/cmd/aura-plugin-host")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("building aura-plugin-host: %v: %s", err, out))
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
