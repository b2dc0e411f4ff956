package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
)

func TestToolsOfAllPages(t *testing.T) {
	t.Parallel()
	var said notices
	set := opened(t, Options{Notify: said.add}, stdio(t, "good", "good"))
	want := []string{"big", "die", "die-reading", "echo", "env", "fail", "grow", "hang", "pid", "spawn", "where"}
	for i, name := range want {
		want[i] = "mcp__good__" + name
	}
	if got := toolNames(set.Tools()); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v; notices: %s", got, want, said.all())
	}
	got := status(t, set, "good")
	if got.State != StateConnected || got.Type != TypeStdio || !slices.Equal(got.Tools, want) || got.Error != "" {
		t.Errorf("status %+v", got)
	}
	if _, err := tool.NewRegistry(set.Tools()...); err != nil {
		t.Error(err)
	}
	d := lookup(t, set, "mcp__good__die-reading").Definition()
	if d.Source != tool.SourceMCP || d.Origin != "good" || d.Description != "does die-reading" || !d.Parallel {
		t.Errorf("definition %+v", d)
	}
	if lookup(t, set, "mcp__good__echo").Definition().Parallel {
		t.Error("a tool that may write is parallel")
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "good", "good"))
	if got := must(t, set, "mcp__good__echo", map[string]any{"text": "hello"}); got != "hello" {
		t.Errorf("got %q", got)
	}
	if got, err := run(t.Context(), t, set, "mcp__good__fail", nil); got != "" || err == nil || err.Error() != "no such page" {
		t.Errorf("got %q, %v", got, err)
	}
	if got := must(t, set, "mcp__good__big", nil); len(got) > limit.MCPResult+100 || !strings.Contains(got, "[cut: 1048576 of 2097152") {
		t.Errorf("got %d bytes", len(got))
	}
}

func TestSurroundings(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := stdio(t, "good", "good")
	s.Env["OWN"], s.Env["LANG"] = "mine", "C"
	set := opened(t, Options{Workdir: dir, Environ: []string{
		"PATH=/bin", "PATH=/second", "LANG=de", "LC_ALL=de", "HOME=/home/me", "ANTHROPIC_API_KEY=secret", "OPENAI_API_KEY=secret", "OTHER=x",
	}}, s)
	if got := must(t, set, "mcp__good__where", nil); got != dir {
		t.Errorf("started in %s, not in %s", got, dir)
	}
	got := strings.Split(must(t, set, "mcp__good__env", nil), "\n")
	slices.Sort(got)
	// The mark identifies descendants. Its value is random.
	got[0], _, _ = strings.Cut(got[0], "=")
	want := []string{"AURA_MCP", mode + "=good", "HOME=/home/me", "LANG=C", "LC_ALL=de", "OWN=mine", "PATH=/bin"}
	if !slices.Equal(got, want) {
		t.Errorf("environment %v, want %v", got, want)
	}
}

func TestStartFailures(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		kind    string
		timeout time.Duration
		want    []string
	}{
		"ends at once":      {kind: "exits", want: []string{"exit status 3", "cannot find my licence"}},
		"speaks no JSON":    {kind: "garbage", want: []string{"invalid character"}},
		"line without end":  {kind: "huge", want: []string{"maximum line length"}},
		"never answers":     {kind: "silent", timeout: 200 * time.Millisecond, want: []string{"no answer in time (200ms)"}},
		"does not end":      {kind: "stubborn", timeout: 200 * time.Millisecond, want: []string{"no answer in time (200ms)"}},
		"list without end":  {kind: "loop", want: []string{"the list has no end"}},
		"no such program":   {want: []string{"executable file not found"}},
		"no such directory": {kind: "-", want: []string{"no such file"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said notices
			s := stdio(t, "bad", row.kind)
			s.Timeout = row.timeout
			switch row.kind {
			case "":
				s.Command = "no-such-program-of-aura"
			case "-":
				s.Command = "./no/such/program"
			}
			set := opened(t, Options{Notify: said.add}, s, stdio(t, "good", "good"))
			contains(t, "notice", said.all(), append(row.want, `MCP server "bad"`, "check its command, args and env in mcp.yaml")...)
			got := status(t, set, "bad")
			if got.State != StateFailed || len(got.Tools) > 0 {
				t.Errorf("status %+v", got)
			}
			contains(t, "status", got.Error, row.want...)
			if got := must(t, set, "mcp__good__echo", map[string]any{"text": "still"}); got != "still" {
				t.Errorf("the other server says %q", got)
			}
		})
	}
}

func TestOddTools(t *testing.T) {
	t.Parallel()
	var said notices
	set := opened(t, Options{Notify: said.add}, stdio(t, "odd", "odd"))
	want := []string{toolName("odd", "a.b"), "mcp__odd__twice"}
	if got := toolNames(set.Tools()); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v; notices: %s", got, want, said.all())
	}
	if got := lookup(t, set, want[0]).Definition().Description; got != "A title" {
		t.Errorf("description %q", got)
	}
	contains(t, "notice", said.all(), `"twice" (listed twice)`, "no name", "type array", `"broken" (compiling schema`)
}

func TestNoTools(t *testing.T) {
	t.Parallel()
	var said notices
	set := opened(t, Options{Notify: said.add}, stdio(t, "none", "toolless"))
	if got := status(t, set, "none"); got.State != StateConnected || len(got.Tools) > 0 || said.all() != "" {
		t.Errorf("status %+v, notices %s", got, said.all())
	}
}

func TestBadAnswers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ kind, want string }{
		"not a result":   {"nothing", "calling"},
		"protocol error": {"refuses", "not today"},
		"no JSON":        {"breaks", "the connection broke"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := opened(t, Options{}, stdio(t, "bad", row.kind))
			for range 2 {
				_, err := run(t.Context(), t, set, "mcp__bad__one", nil)
				if err == nil {
					t.Fatal("no error")
				}
				contains(t, "error", err.Error(), row.want, `"one" of MCP server "bad"`)
			}
		})
	}
}

func TestConnectsAgain(t *testing.T) {
	t.Parallel()
	var said notices
	set := opened(t, Options{Notify: said.add}, stdio(t, "good", "good"))
	before := must(t, set, "mcp__good__pid", nil)
	kill(t, before)
	eventually(t, "the death is noticed", func() bool { return status(t, set, "good").State == StateLost })
	after := must(t, set, "mcp__good__echo", map[string]any{"text": "again"})
	if now := must(t, set, "mcp__good__pid", nil); after != "again" || now == before {
		t.Errorf("got %q from %s, which was %s", after, now, before)
	}
	if got := status(t, set, "good"); got.Reconnects != 1 || got.State != StateConnected || got.Error != "" {
		t.Errorf("status %+v", got)
	}
	contains(t, "notice", said.all(), `MCP server "good" is not connected: connecting again now`)
}

// kill kills a process without a graceful end.
func kill(t *testing.T, pid string) {
	t.Helper()
	id, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
}

func TestDiesDuringCall(t *testing.T) {
	t.Parallel()
	var said notices
	set := opened(t, Options{Notify: said.add}, stdio(t, "good", "good"))
	_, err := run(t.Context(), t, set, "mcp__good__die", nil)
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, "error", err.Error(), "the connection broke", "unknown whether")
	eventually(t, "the server is lost", func() bool { return status(t, set, "good").State == StateLost })
	contains(t, "status", status(t, set, "good").Error, "exit status 7")
	if got := must(t, set, "mcp__good__echo", map[string]any{"text": "back"}); got != "back" {
		t.Errorf("got %q", got)
	}
	// After the second death in a row without a successful call, there is a pause.
	for range 2 {
		if _, err := run(t.Context(), t, set, "mcp__good__die", nil); err == nil {
			t.Fatal("no error")
		}
	}
	if _, err := run(t.Context(), t, set, "mcp__good__die-reading", map[string]any{"unless": filepath.Join(t.TempDir(), "x")}); err == nil {
		t.Error("connected twice in a call")
	}
}

func TestRepeatsWhatOnlyReads(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "good", "good"))
	args := map[string]any{"unless": filepath.Join(t.TempDir(), "died")}
	if got := must(t, set, "mcp__good__die-reading", args); got != "alive" {
		t.Errorf("got %q", got)
	}
	if got := status(t, set, "good").Reconnects; got != 1 {
		t.Errorf("%d reconnects", got)
	}
}

func TestPauseBetweenAttempts(t *testing.T) {
	t.Parallel()
	var said notices
	s := stdio(t, "bad", "exits")
	p := hurried()
	p.backoff = func(int) time.Duration { return time.Hour }
	set := open(t.Context(), Options{Workdir: t.TempDir(), Notify: said.add}, p, []Server{s})
	t.Cleanup(set.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := set.Load(ctx, "bad"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	contains(t, "notice", said.all(), "connecting again in ")
	if got := status(t, set, "bad"); !strings.Contains(got.Error, "exit status 3") {
		t.Errorf("status %+v", got)
	}
}

func TestDefaultBackoff(t *testing.T) {
	t.Parallel()
	p := defaultPace()
	var got []string
	for _, n := range []int{1, 2, 3, 5, 6, 100} {
		got = append(got, p.backoff(n).String())
	}
	if want := "[1s 2s 4s 16s 30s 30s]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestCallTimeout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := stdio(t, "good", "good")
	set := opened(t, Options{}, s)
	set.servers[0].Timeout = 300 * time.Millisecond
	_, err := run(t.Context(), t, set, "mcp__good__hang", map[string]any{"cancelled": filepath.Join(dir, "cancelled")})
	if err == nil || !strings.Contains(err.Error(), "no answer in time (300ms)") {
		t.Errorf("got %v", err)
	}
	eventually(t, "the server is told", func() bool { return exists(filepath.Join(dir, "cancelled")) })
	set.servers[0].Timeout = 0
	if got := must(t, set, "mcp__good__echo", map[string]any{"text": "on"}); got != "on" || status(t, set, "good").Reconnects > 0 {
		t.Errorf("got %q, %+v", got, status(t, set, "good"))
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	set := opened(t, Options{}, stdio(t, "good", "good"))
	args := map[string]any{"begun": filepath.Join(dir, "begun"), "cancelled": filepath.Join(dir, "cancelled")}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	hang := lookup(t, set, "mcp__good__hang")
	go func() {
		_, err := hang.Execute(ctx, tool.Call{Args: args})
		done <- err
	}()
	eventually(t, "the call has begun", func() bool { return exists(filepath.Join(dir, "begun")) })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	eventually(t, "the server is told", func() bool { return exists(filepath.Join(dir, "cancelled")) })
}

func TestServerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	s := stdio(t, "deaf", "deaf")
	set := opened(t, Options{}, s)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := run(ctx, t, set, "mcp__deaf__one", map[string]any{"text": strings.Repeat("x", 1<<20)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestToolsChange(t *testing.T) {
	t.Parallel()
	changed := make(chan struct{}, 10)
	set := opened(t, Options{OnChange: func() { changed <- struct{}{} }}, stdio(t, "good", "good"))
	if len(changed) > 0 {
		t.Error("a change before Open returned")
	}
	must(t, set, "mcp__good__grow", nil)
	<-changed
	if got := must(t, set, "mcp__good__grown", nil); got != "new" {
		t.Errorf("got %q", got)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	later, off := stdio(t, "later", "good"), stdio(t, "off", "good")
	later.Deferred, off.Disabled = true, true
	set := opened(t, Options{}, later, off)
	if got := set.Tools(); len(got) > 0 {
		t.Errorf("offered: %v", toolNames(got))
	}
	for name, want := range map[string]State{"later": StateDeferred, "off": StateDisabled} {
		if got := status(t, set, name); got.State != want || got.Deferred != (name == "later") {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	for name, want := range map[string]string{"off": "it is disabled; remove disabled: true in mcp.yaml", "nope": "later, off"} {
		_, err := set.Load(t.Context(), name)
		if err == nil {
			t.Fatal("no error")
		}
		contains(t, "error", err.Error(), want)
	}
	got, err := set.Load(t.Context(), "later")
	if err != nil || len(got) == 0 || len(set.Tools()) != len(got) {
		t.Errorf("%v, %v, offered %v", toolNames(got), err, toolNames(set.Tools()))
	}
	if got := status(t, set, "later"); got.State != StateConnected || !got.Deferred {
		t.Errorf("%+v", got)
	}
}

func TestAfterClose(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	set := opened(t, Options{}, stdio(t, "good", "good"))
	hang := lookup(t, set, "mcp__good__hang")
	done := make(chan error, 1)
	go func() {
		_, err := hang.Execute(t.Context(), tool.Call{Args: map[string]any{"begun": filepath.Join(dir, "begun")}})
		done <- err
	}()
	eventually(t, "the call has begun", func() bool { return exists(filepath.Join(dir, "begun")) })
	set.Close()
	set.Close()
	if err := <-done; !errors.Is(err, errClosed) {
		t.Errorf("the call that was going on: %v", err)
	}
	if _, err := hang.Execute(t.Context(), tool.Call{}); !errors.Is(err, errClosed) {
		t.Errorf("a call after the end: %v", err)
	}
	if got := status(t, set, "good"); got.State != StateClosed {
		t.Errorf("%+v", got)
	}
}
