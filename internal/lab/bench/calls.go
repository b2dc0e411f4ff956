package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/golang/interp"
	"github.com/idelchi/aura/internal/lab"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
	"github.com/idelchi/aura/shared/wire/pb"
)

const hookSource = `package quick

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

var calls int

func BeforeChat(_ context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	calls += c.Iteration
	return sdk.Result{}, nil
}
`

// rounds is the number of timed calls of each kind. batch is the number of consecutive calls of one kind; alternating the
// kinds exposes all of them to the same noise.
const (
	rounds = 4000
	batch  = 50
)

// calls compares a hook through a child process with the same hook in this process and with a bare gRPC call.
func (l *bench) calls(ctx context.Context) (err error) {
	dir := filepath.Join(l.Dir, "quick")
	if err := lab.WriteFiles(dir, map[string]string{
		"go.mod": "module quick\n\ngo 1.25\n", "plugin.yaml": "description: quick\n", "main.go": hookSource,
	}); err != nil {
		return err
	}
	fleet, done, err := l.fleet(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	bare, closeBare, err := l.bareCall(ctx)
	if err != nil {
		return err
	}
	defer closeBare()
	inside, err := interp.Load(interp.Options{Name: "quick", Dir: dir, Stdout: os.Stderr, Stderr: os.Stderr})
	if err != nil {
		return err
	}
	plugin := fleet.Plugins()[0]
	through := func(c sdk.Context) func() error {
		return func() error {
			_, err := plugin.Handle(ctx, hookpoint.BeforeChat, sdk.BeforeChatContext{Context: c})
			return err
		}
	}
	direct := func() error {
		_, err := inside.Hook(ctx, shared.HookCall{Point: hookpoint.BeforeChat, Context: sdk.BeforeChatContext{Context: history(10)}})
		return err
	}
	kinds := []func() error{bare, through(history(10)), through(history(5000)), direct}
	medians, err := race(kinds)
	if err != nil {
		return err
	}
	ratio := func(a, b int) string { return fmt.Sprintf("%.2f", float64(medians[a])/float64(medians[b])) }
	l.table("Calls (medians of "+fmt.Sprint(rounds)+", interleaved)", [][]string{
		{"what", "time", "ratio", "wanted"},
		{"bare gRPC call on a socket", medians[0].String(), "1", ""},
		{"hook through a child, 10 entries of history", medians[1].String(), ratio(1, 0) + " × bare gRPC", "≤ 2"},
		{"hook through a child, 5000 entries of history", medians[2].String(), ratio(2, 1) + " × with 10 entries", "≤ 1.2"},
		{"same hook, interpreter in this process", medians[3].String(), "", "reference without processes: 4µs, 5.5ms with 5000 entries"},
	})
	return nil
}

// history returns a context after n turns. All calls share its slices, as in a conversation.
func history(n int) sdk.Context {
	c := sdk.Context{Iteration: 1, Agent: "bench", SystemPrompt: "You are a benchmark.", AvailableTools: []string{"Bash", "Ls", "Read"}}
	for i := range n {
		c.Turns = append(c.Turns, sdk.Turn{Role: "user", Content: fmt.Sprintf("question %d about the project", i)})
		c.ToolHistory = append(c.ToolHistory, sdk.ToolCall{
			Name: "Read", Args: map[string]any{"path": "main.go", "line_start": i}, ArgsJSON: `{"path":"main.go"}`, Result: "package main",
		})
	}
	return c
}

// race times the kinds in turn and returns their medians.
func race(kinds []func() error) ([]time.Duration, error) {
	times := make([][]time.Duration, len(kinds))
	for range rounds / batch {
		for k, call := range kinds {
			for range batch {
				began := time.Now()
				if err := call(); err != nil {
					return nil, err
				}
				times[k] = append(times[k], time.Since(began))
			}
		}
	}
	medians := make([]time.Duration, len(kinds))
	for k := range times {
		slices.Sort(times[k])
		medians[k] = times[k][len(times[k])/2].Round(100 * time.Nanosecond)
	}
	return medians, nil
}

// fleet starts one plugin.
func (l *bench) fleet(ctx context.Context, dir string) (*host.Fleet, func() error, error) {
	session, err := host.OpenSession(host.RuntimeDir("", ""), "bench")
	if err != nil {
		return nil, nil, err
	}
	m, err := os.ReadFile(filepath.Join(dir, "plugin.yaml"))
	if err != nil {
		return nil, nil, err
	}
	parsed, err := manifest.Parse(filepath.Join(dir, "plugin.yaml"), m)
	if err != nil {
		return nil, nil, err
	}
	fleet, err := host.Start(ctx, host.Options{Fixed: host.Fixed{Binary: l.Bin("aura-plugin-host"), Session: session, Workdir: l.Dir}},
		[]host.Spec{{Plugin: manifest.Plugin{Name: filepath.Base(dir), Dir: dir, Manifest: parsed}}})
	if err != nil {
		return nil, nil, errors.Join(err, session.Close())
	}
	return fleet, func() error {
		fleet.Close()
		return session.Close()
	}, nil
}

// echo replies with the body of the call.
type echo struct {
	pb.UnimplementedPluginServer
}

func (echo) Invoke(_ context.Context, c *pb.Call) (*pb.Reply, error) {
	return &pb.Reply{Body: c.GetBody()}, nil
}

// serveEcho is the other process of the bare call. It exits when its standard input ends.
func serveEcho(path string) error {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	pb.RegisterPluginServer(server, echo{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		server.Stop()
	}()
	fmt.Println("ready")
	return server.Serve(listener)
}

// bareCall returns a function that only makes a gRPC call with a small body to another process on a Unix socket.
func (l *bench) bareCall(ctx context.Context) (func() error, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(l.Dir, "bare")
	cmd := exec.CommandContext(ctx, self, echoArgument, path)
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return nil, nil, err
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		return nil, nil, fmt.Errorf("starting the echo process: %w", err)
	}
	conn, err := grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, err
	}
	client := pb.NewPluginClient(conn)
	body := make([]byte, 64)
	call := func() error {
		_, err := client.Invoke(ctx, &pb.Call{Verb: "echo", Body: body})
		return err
	}
	return call, func() { _ = conn.Close(); _ = stdin.Close(); _ = cmd.Wait() }, nil
}
