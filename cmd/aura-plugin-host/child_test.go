//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/idelchi/aura/internal/lab/testhost"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
	"github.com/idelchi/aura/shared/client"
)

// binary is the path of the program under test, which is built once.
var binary string

func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aura-plugin-host")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "aura-plugin-host")
	if err := testhost.Build(binary); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// started is a running child, with aura's end of all its files.
type started struct {
	shared.Remote
	cmd      *exec.Cmd
	lifeline *os.File
	stderr   *buffer
	// handshake holds everything that the child wrote to standard output. It is complete when exited is closed.
	handshake *buffer
	exited    chan struct{}
}

// buffer is a writer that can be read while it is written to.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
	grew chan struct{}
}

func newBuffer() *buffer { return &buffer{grew: make(chan struct{}, 1)} }

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, err := b.text.Write(p)
	select {
	case b.grew <- struct{}{}:
	default:
	}
	return n, err
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// await returns once the buffer contains the text.
func (b *buffer) await(t *testing.T, text string) {
	t.Helper()
	for !strings.Contains(b.String(), text) {
		select {
		case <-b.grew:
		case <-t.Context().Done():
			t.Fatalf("%q never came, only %q", text, b.String())
		}
	}
}

// unpack writes files to a temporary directory of the test. Each file follows a line with its name between dashes.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for part := range strings.SplitSeq("\n"+archive, "\n-- ") {
		name, text, found := strings.Cut(part, " --\n")
		if !found {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// source returns a plugin with a hook and a tool. body contains the statements of the tool.
func source(imports, body string) string {
	return `
-- go.mod --
module my-plugin
-- main.go --
package my_plugin

import (
	"context"
` + imports + `
	"github.com/idelchi/aura/sdk"
)

func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: "T"} }

func Execute(ctx context.Context, c sdk.Context, args map[string]any) (string, error) {
` + body + `
}

func BeforeChat(ctx context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	return sdk.Result{Message: "alive"}, nil
}
`
}

// start runs a child. It is killed when the test ends.
func start(t *testing.T, spec shared.LaunchSpec, env ...string) *started {
	t.Helper()
	return startAs(t, spec, &syscall.SysProcAttr{}, env...)
}

// startAs is start with additional process attributes. If attr has credentials, that user owns the directories that the child
// writes to.
func startAs(t *testing.T, spec shared.LaunchSpec, attr *syscall.SysProcAttr, env ...string) *started {
	t.Helper()
	p := &started{stderr: newBuffer(), handshake: newBuffer(), exited: make(chan struct{})}
	// The path of a socket must be short.
	dir, err := os.MkdirTemp("", "aph") //nolint:usetesting // t.TempDir has the name of the test in it, which is too long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	spec.SocketDir = dir
	if c := attr.Credential; c != nil {
		if err := os.Chown(dir, int(c.Uid), int(c.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	launchR, launchW, err1 := os.Pipe()
	lifelineR, lifelineW, err2 := os.Pipe()
	outR, outW, err3 := os.Pipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	p.lifeline = lifelineW
	p.cmd = exec.Command(binary)
	p.cmd.Env = append([]string{}, env...)
	p.cmd.Stdout, p.cmd.Stderr = outW, p.stderr
	p.cmd.ExtraFiles = []*os.File{lifelineR, launchR}
	if spec.Sandbox != nil {
		p.cmd.ExtraFiles = append(p.cmd.ExtraFiles, spec.Sandbox.Files()...)
	}
	attr.Setsid = true
	p.cmd.SysProcAttr = attr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*os.File{launchR, lifelineR, outW} {
		_ = f.Close()
	}
	if err := errors.Join(spec.Encode(launchW), launchW.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.exited
		_ = lifelineW.Close()
		if t.Failed() {
			t.Logf("stderr of the child:\n%.4000s", p.stderr)
		}
	})
	line, err := bufio.NewReader(io.TeeReader(outR, p.handshake)).ReadString('\n')
	go func() {
		_, _ = io.Copy(p.handshake, outR)
		_ = outR.Close()
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	if err != nil {
		t.Fatalf("no handshake: %v", err)
	}
	p.Remote = dial(t, line)
	return p
}

// dial connects to the child as aura does.
func dial(t *testing.T, handshake string) shared.Remote {
	t.Helper()
	fields := strings.Split(strings.TrimSpace(handshake), "|")
	if len(fields) < 5 || fields[2] != "unix" || fields[4] != "grpc" {
		t.Fatalf("the handshake is %q", handshake)
	}
	conn, err := grpc.NewClient("unix://"+fields[3], append(client.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return client.New(conn)
}

// ready starts a child and waits until it is loaded.
func ready(t *testing.T, archive string, options ...func(*shared.LaunchSpec)) *started {
	t.Helper()
	spec := shared.LaunchSpec{Name: "my-plugin", Dir: unpack(t, archive), MemoryBytes: 256 << 20}
	for _, o := range options {
		o(&spec)
	}
	p := start(t, spec)
	if _, err := p.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

func unsafeMode(s *shared.LaunchSpec) { s.Unsafe = true }

func (p *started) execute(ctx context.Context) (string, error) {
	return p.Execute(ctx, shared.ToolCall{Tool: "T"})
}

// alive checks that the child still answers.
func (p *started) alive(t *testing.T) {
	t.Helper()
	out, err := p.Hook(t.Context(), shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{}})
	if result, _ := out.(sdk.Result); err != nil || result.Message != "alive" {
		t.Errorf("the child does not answer any more: %v, %v", out, err)
	}
}

// dies waits until the child exits and returns its output.
func (p *started) dies(t *testing.T) string {
	t.Helper()
	select {
	case <-p.exited:
	case <-t.Context().Done():
		t.Fatal("the child lives on")
	}
	return p.stderr.String()
}
