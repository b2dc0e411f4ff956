package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/system/process"
)

// others holds servers that only some systems support.
var others = map[string]func() int{}

// mode is the environment variable that makes the test binary a server.
const mode = "AURA_TEST_SERVER"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.ReaperArgument {
		os.Exit(process.Reap(os.Args[2:]))
	}
	switch kind := os.Getenv(mode); kind {
	case "":
		os.Exit(m.Run())
	case "good":
		os.Exit(serve())
	default:
		if other, ok := others[kind]; ok {
			os.Exit(other())
		}
		os.Exit(misbehave(kind))
	}
}

// serve runs a server that follows the protocol.
func serve() int {
	if err := goodServer(2, nil).Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		return 1
	}
	return 0
}

// goodServer returns a server that lists its tools in pages of the given size. Hanging calls end when they are cancelled, or
// when stop is closed.
func goodServer(page int, stop <-chan struct{}) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "good", Version: "1"}, &sdk.ServerOptions{PageSize: page})
	say := func(name string, answer func(ctx context.Context, args map[string]any) *sdk.CallToolResult) {
		hints := &sdk.ToolAnnotations{ReadOnlyHint: name == "die-reading"}
		t := &sdk.Tool{Name: name, Description: "does " + name, InputSchema: map[string]any{"type": "object"}, Annotations: hints}
		s.AddTool(t, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var args map[string]any
			_ = json.Unmarshal(req.Params.Arguments, &args)
			return answer(ctx, args), nil
		})
	}
	say("echo", func(_ context.Context, args map[string]any) *sdk.CallToolResult {
		return words(fmt.Sprint(args["text"]))
	})
	say("fail", func(context.Context, map[string]any) *sdk.CallToolResult {
		r := words("no such page")
		r.IsError = true
		return r
	})
	say("big", func(context.Context, map[string]any) *sdk.CallToolResult {
		return words(strings.Repeat("é", limit.MCPResult))
	})
	say("pid", func(context.Context, map[string]any) *sdk.CallToolResult { return words(fmt.Sprint(os.Getpid())) })
	say("where", func(context.Context, map[string]any) *sdk.CallToolResult {
		dir, _ := os.Getwd()
		return words(dir)
	})
	say("env", func(context.Context, map[string]any) *sdk.CallToolResult {
		return words(strings.Join(os.Environ(), "\n"))
	})
	say("hang", func(ctx context.Context, args map[string]any) *sdk.CallToolResult {
		mark(args, "begun")
		select {
		case <-ctx.Done():
		case <-stop:
		}
		mark(args, "cancelled")
		return words("cancelled")
	})
	for _, name := range []string{"die", "die-reading"} {
		say(name, func(_ context.Context, args map[string]any) *sdk.CallToolResult {
			if name, ok := args["unless"].(string); ok {
				if _, err := os.Stat(name); err == nil {
					return words("alive")
				}
				mark(map[string]any{"begun": name}, "begun")
			}
			os.Exit(7)
			return nil
		})
	}
	say("grow", func(context.Context, map[string]any) *sdk.CallToolResult {
		say("grown", func(context.Context, map[string]any) *sdk.CallToolResult { return words("new") })
		return words("ok")
	})
	say("spawn", func(context.Context, map[string]any) *sdk.CallToolResult {
		self, _ := os.Executable()
		child := exec.Command(self)
		child.Env = []string{mode + "=stubborn"}
		if err := child.Start(); err != nil {
			return words(err.Error())
		}
		return words(fmt.Sprint(child.Process.Pid))
	})
	return s
}

func words(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// mark creates the file that the arguments name for a moment.
func mark(args map[string]any, moment string) {
	if name, ok := args[moment].(string); ok {
		_ = os.WriteFile(name, nil, 0o600)
	}
}

// misbehave runs a server that violates the protocol.
func misbehave(kind string) int {
	switch kind {
	case "exits":
		fmt.Fprintln(os.Stderr, "cannot find my licence")
		return 3
	case "garbage":
		fmt.Println("Welcome to my server!")
	case "huge":
		fmt.Print(`{"a":"`)
		_, _ = io.Copy(os.Stdout, endless{})
	case "silent":
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		hang()
	default:
		return byHand(kind)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// endless is a reader of endless text.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// byHand answers the handshake and the requests in the table of the given kind.
func byHand(kind string) int {
	answers := map[string]string{
		"initialize": `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`,
		"tools/list": `"result":{"tools":[{"name":"one","inputSchema":{"type":"object"}}]}`,
	}
	switch kind {
	case "odd":
		answers["tools/list"] = `"result":{"tools":[{"name":"twice"},{"name":"twice"},{"name":""},null,` +
			`{"name":"list","inputSchema":{"type":"array"}},{"name":"broken","inputSchema":{"type":"object","properties":{"a":{"type":"nonsense"}}}},` +
			`{"name":"a.b","title":"A title","inputSchema":{"type":"object"}}]}`
	case "loop":
		answers["tools/list"] = `"result":{"tools":[],"nextCursor":"again"}`
	case "nothing":
		answers["tools/call"] = `"result":5`
	case "refuses":
		answers["tools/call"] = `"error":{"code":-32602,"message":"not today"}`
	case "breaks":
		answers["tools/call"] = `!`
	case "toolless":
		answers["initialize"] = strings.Replace(answers["initialize"], `"tools":{}`, "", 1)
		delete(answers, "tools/list")
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer, ok := answers[m.Method]
		if !ok {
			answer = `"error":{"code":-32601,"message":"unknown method"}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
		if message, ok := floods[kind]; ok && m.Method == "tools/list" {
			line := []byte(message + "\n")
			for {
				if _, err := os.Stdout.Write(line); err != nil {
					return 1
				}
			}
		}
		if kind == "deaf" && m.Method == "tools/list" {
			hang()
		}
	}
	return 0
}

// hang never returns. The runtime ends a program in which every goroutine waits for another one, but not one that sleeps.
func hang() { time.Sleep(math.MaxInt64) }

// TestNoSet checks that a nil Set has no servers, and that it can be closed.
func TestNoSet(t *testing.T) {
	t.Parallel()
	var none *Set
	if len(none.Tools())+len(none.Servers())+len(none.Connected()) > 0 {
		t.Errorf("got %v, %v, %v", none.Tools(), none.Servers(), none.Connected())
	}
	if _, err := none.Load(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "known servers: none") {
		t.Errorf("got %v", err)
	}
	none.Hurry()
	none.Close()
}
