package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
	"github.com/idelchi/aura/shared/client"
	"github.com/idelchi/aura/shared/wire"
	"github.com/idelchi/aura/shared/wire/pb"
)

// plugin calls a function for each tool call.
type plugin struct {
	execute func(ctx context.Context, c shared.ToolCall) (string, error)
}

func (plugin) Load(context.Context) (shared.Exports, error) { return shared.Exports{Package: "p"}, nil }
func (plugin) Touches(string) bool                          { return true }
func (plugin) Event(context.Context, shared.EventCall) error {
	return nil
}

func (plugin) Hook(context.Context, shared.HookCall) (any, error) {
	return sdk.Result{Message: "m"}, nil
}

func (plugin) Paths(context.Context, shared.PathsCall) (sdk.ToolPaths, error) {
	return sdk.ToolPaths{}, nil
}

func (plugin) Command(_ context.Context, c shared.CommandCall) (sdk.CommandResult, error) {
	return sdk.CommandResult{Output: c.Args}, nil
}

func (p plugin) Execute(ctx context.Context, c shared.ToolCall) (string, error) {
	return p.execute(ctx, c)
}

// connected serves a plugin and connects to it with gRPC's own client, as aura does.
func connected(t *testing.T, execute func(ctx context.Context, c shared.ToolCall) (string, error)) (*grpc.ClientConn, *shared.Requester) {
	t.Helper()
	requests := shared.NewRequester()
	conn := dial(t, serving(t, plugin{execute}, requests), client.DialOptions()...)
	t.Cleanup(func() { _ = conn.Close() })
	return conn, requests
}

// dial connects to a socket. The caller must close the connection before the end of the test.
func dial(t *testing.T, socket string, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("unix:"+socket, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// serving serves a plugin until the end of the test and returns the socket.
func serving(t *testing.T, p plugin, requests *shared.Requester) (socket string) {
	t.Helper()
	dir := t.TempDir()
	l, err := listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := accept(l, shared.NewServer(p, requests)); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return filepath.Join(dir, socketName)
}

// TestCalls makes calls of all sizes up to the limit, one after the other and at the same time.
func TestCalls(t *testing.T) {
	t.Parallel()
	conn, _ := connected(t, func(_ context.Context, c shared.ToolCall) (string, error) { return c.Args["text"].(string), nil })
	remote := client.New(conn)
	for _, size := range []int{0, 1, shared.Window - 1, shared.Window, 3 * shared.Window, shared.MaxMessage / 2} {
		text := strings.Repeat("x", size)
		if got, err := remote.Execute(t.Context(), shared.ToolCall{Args: map[string]any{"text": text}}); err != nil || got != text {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
	var group sync.WaitGroup
	for i := range 500 {
		group.Go(func() {
			text := strings.Repeat(fmt.Sprint(i), 100)
			if got, err := remote.Execute(t.Context(), shared.ToolCall{Args: map[string]any{"text": text}}); err != nil || got != text {
				t.Errorf("call %d: got %.20q, %v", i, got, err)
			}
		})
	}
	group.Wait()
	out, err := remote.Hook(t.Context(), shared.HookCall{Point: hookpoint.BeforeChat, Context: sdk.BeforeChatContext{}})
	if result, _ := out.(sdk.Result); err != nil || result.Message != "m" {
		t.Errorf("got %v, %v", out, err)
	}
}

// TestLimit sends and returns more than a call may have. The connection must survive.
func TestLimit(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", shared.MaxMessage+1)
	conn, _ := connected(t, func(_ context.Context, c shared.ToolCall) (string, error) {
		if c.Args["huge"] == true {
			return huge, nil
		}
		return "small", nil
	})
	remote := client.New(conn)
	for want, args := range map[string]map[string]any{
		"limit of 64 MiB for one call": {"text": huge}, "limit of 64 MiB for one answer": {"huge": true},
	} {
		if _, err := remote.Execute(t.Context(), shared.ToolCall{Args: args}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if got, err := remote.Execute(t.Context(), shared.ToolCall{}); err != nil || got != "small" {
			t.Errorf("the next call returned %q, %v", got, err)
		}
	}
}

// TestErrors checks the statuses that a call can end with, as gRPC's client reads them.
func TestErrors(t *testing.T) {
	t.Parallel()
	odd := "50 % of ünïcode\nand \xff"
	conn, _ := connected(t, func(ctx context.Context, c shared.ToolCall) (string, error) {
		switch c.Tool {
		case "fails":
			return "", &shared.Failure{Kind: shared.FailureError, Message: odd}
		case "breaks":
			return "", errors.New("50 % of ünïcode\nand more")
		default:
			<-ctx.Done()
			return "", ctx.Err()
		}
	})
	remote := client.New(conn)
	_, err := remote.Execute(t.Context(), shared.ToolCall{Tool: "fails"})
	if failure, ok := errors.AsType[*shared.Failure](err); !ok || failure.Message != odd || failure.Kind != shared.FailureError {
		t.Errorf("got %#v", err)
	}
	_, err = remote.Execute(t.Context(), shared.ToolCall{Tool: "breaks"})
	if status.Code(err) != codes.Internal || status.Convert(err).Message() != "50 % of ünïcode\nand more" {
		t.Errorf("got %v", err)
	}
	// The plugin sees its deadline before aura does.
	ctx, cancel := context.WithTimeout(t.Context(), shared.Grace+10*time.Millisecond)
	defer cancel()
	if _, err = remote.Execute(ctx, shared.ToolCall{Tool: "waits"}); status.Code(err) != codes.DeadlineExceeded || ctx.Err() != nil {
		t.Errorf("got %v, %v", err, ctx.Err())
	}
	err = conn.Invoke(t.Context(), "/aura.wire.v1.Plugin/Dance", &wire.Call{}, &wire.Reply{})
	if status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "Dance") {
		t.Errorf("got %v", err)
	}
}

// TestCancel cancels a call. The plugin must notice it, and the next call must be served.
func TestCancel(t *testing.T) {
	t.Parallel()
	entered, left := make(chan struct{}), make(chan struct{})
	conn, _ := connected(t, func(ctx context.Context, c shared.ToolCall) (string, error) {
		if c.Tool != "waits" {
			return "next", nil
		}
		close(entered)
		<-ctx.Done()
		close(left)
		return "", ctx.Err()
	})
	remote := client.New(conn)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	if _, err := remote.Execute(ctx, shared.ToolCall{Tool: "waits"}); status.Code(err) != codes.Canceled {
		t.Errorf("got %v", err)
	}
	<-left
	if err := remote.Quiesce(t.Context()); err != nil {
		t.Error(err)
	}
	if got, err := remote.Execute(t.Context(), shared.ToolCall{}); err != nil || got != "next" {
		t.Errorf("got %q, %v", got, err)
	}
}

// services answers with what it was asked.
type services struct {
	shared.Services
	emitted chan string
}

func (s services) Emit(_ context.Context, name string, payload []byte) error {
	s.emitted <- name + string(payload)
	return nil
}

func (s services) State(_ context.Context, r shared.StateRequest) (shared.StateAnswer, error) {
	return shared.StateAnswer{}, errors.New("no state for " + r.Key)
}

// TestRequests lets the plugin ask aura, before and after the stream ends.
func TestRequests(t *testing.T) {
	t.Parallel()
	conn, requests := connected(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	s := services{emitted: make(chan string, 100)}
	go func() { served <- client.New(conn).Serve(ctx, s) }()
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if err := requests.Emit(t.Context(), "a", bytes.Repeat([]byte("b"), 10_000)); err != nil {
				t.Error(err)
			}
			if _, err := requests.State(t.Context(), shared.StateRequest{Key: "k"}); err == nil || err.Error() != "no state for k" {
				t.Errorf("got %v", err)
			}
		})
	}
	group.Wait()
	for range 50 {
		if got := <-s.emitted; len(got) != 10_001 {
			t.Errorf("emitted %d bytes", len(got))
		}
	}
	// A second stream is refused.
	if err := client.New(conn).Serve(t.Context(), s); status.Code(err) != codes.AlreadyExists {
		t.Errorf("got %v", err)
	}
	cancel()
	if err := <-served; status.Code(err) != codes.Canceled {
		t.Errorf("got %v", err)
	}
	for requests.Emit(t.Context(), "late", nil) == nil {
		// The child hears of the end of the stream a moment later.
	}
}

// TestProtobuf calls the plugin by gRPC's generated client, as a program in another language would.
func TestProtobuf(t *testing.T) {
	t.Parallel()
	socket := serving(t, plugin{}, shared.NewRequester())
	conn := dial(t, socket)
	defer func() { _ = conn.Close() }()
	reply, err := pb.NewPluginClient(conn).Invoke(t.Context(), &pb.Call{Verb: "load"})
	if err != nil || !bytes.Contains(reply.GetBody(), []byte("Package")) {
		t.Errorf("got %q, %v", reply.GetBody(), err)
	}
}

// TestMessages sends requests that gRPC's own client never sends.
func TestMessages(t *testing.T) {
	t.Parallel()
	socket := serving(t, plugin{}, shared.NewRequester())
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &protocols, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()
	for name, tt := range map[string]struct {
		body, timeout string
		code          codes.Code
	}{
		"nothing":              {"", "", codes.Internal},
		"half a head":          {"\x00\x00", "", codes.Internal},
		"half a message":       {"\x00\x00\x00\x00\x05ab", "", codes.Internal},
		"compressed":           {"\x01\x00\x00\x00\x00", "", codes.Unimplemented},
		"too large":            {"\x00\xff\xff\xff\xff", "", codes.ResourceExhausted},
		"no message":           {"\x00\x00\x00\x00\x01\xff", "", codes.Internal},
		"an unknown verb":      {"\x00\x00\x00\x00\x00", "", codes.Internal},
		"a timeout of nothing": {"\x00\x00\x00\x00\x00", "x", codes.Internal},
		"an unknown unit":      {"\x00\x00\x00\x00\x00", "1d", codes.Internal},
		"a negative timeout":   {"\x00\x00\x00\x00\x00", "-1S", codes.Internal},
		"a long timeout":       {"\x00\x00\x00\x00\x06\x0a\x04load", "99999999H", codes.OK},
		"a short timeout":      {"\x00\x00\x00\x00\x06\x0a\x04load", "99999999n", codes.OK},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://child"+wire.MethodInvoke, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if tt.timeout != "" {
				r.Header.Set("Grpc-Timeout", tt.timeout)
			}
			reply, err := transport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = reply.Body.Close() }()
			if _, err := io.Copy(io.Discard, reply.Body); err != nil {
				t.Fatal(err)
			}
			if got := reply.Trailer.Get("Grpc-Status"); got != fmt.Sprint(uint32(tt.code)) {
				t.Errorf("got status %q (%s), want %d", got, reply.Trailer.Get("Grpc-Message"), tt.code)
			}
		})
	}
}

// TestHandshake checks what the child prints, and when.
func TestHandshake(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, w := io.Pipe()
	listening := make(chan struct{})
	go func() {
		// It serves until the test program ends.
		_ = Serve(Options{
			Server: shared.NewServer(plugin{}, shared.NewRequester()), SocketDir: dir, Handshake: w, Listening: func() { close(listening) },
		})
	}()
	line := make([]byte, 4096)
	n, err := r.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-listening:
	default:
		t.Error("the handshake was printed before Listening was called")
	}
	if got, want := string(line[:n]), fmt.Sprintf("1|1|unix|%s|grpc\n", filepath.Join(dir, socketName)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := Serve(Options{SocketDir: filepath.Join(dir, "missing"), Listening: func() { t.Error("it listens") }}); err == nil {
		t.Error("a child without a socket serves")
	}
}

// TestReconnect calls over a second connection after the first one was closed, as gRPC does after a long time without calls.
func TestReconnect(t *testing.T) {
	t.Parallel()
	socket := serving(t, plugin{func(context.Context, shared.ToolCall) (string, error) { return "served", nil }}, shared.NewRequester())
	for range 3 {
		conn := dial(t, socket, client.DialOptions()...)
		if got, err := client.New(conn).Execute(t.Context(), shared.ToolCall{}); err != nil || got != "served" {
			t.Errorf("got %q, %v", got, err)
		}
		_ = conn.Close()
	}
}

// TestGone ends the connection in the middle of a call and of a large answer. The call's context must end.
func TestGone(t *testing.T) {
	t.Parallel()
	entered, left := make(chan struct{}), make(chan struct{})
	conn, _ := connected(t, func(ctx context.Context, c shared.ToolCall) (string, error) {
		if c.Tool == "large" {
			return strings.Repeat("x", shared.MaxMessage/2), nil
		}
		close(entered)
		<-ctx.Done()
		close(left)
		return "", ctx.Err()
	})
	remote := client.New(conn)
	failed := make(chan error, 2)
	go func() {
		_, err := remote.Execute(t.Context(), shared.ToolCall{})
		failed <- err
	}()
	<-entered
	go func() {
		_, err := remote.Execute(t.Context(), shared.ToolCall{Tool: "large"})
		failed <- err
	}()
	_ = conn.Close()
	<-left
	if err := <-failed; err == nil {
		t.Error("a call over a closed connection returned")
	}
	<-failed // the other may have been answered before
}
