//go:build linux

package process

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// long returns how often a test repeats what it does: few times normally, and many times if AURA_TEST_LONG is set.
func long(few, many int) int {
	if os.Getenv("AURA_TEST_LONG") != "" {
		return many
	}
	return few
}

const writer = `package writer

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "write"} }

// ExecuteCommand writes numbers without end. A number is in the file once aura said that it is kept.
func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) {
	kept, err := os.ReadFile("kept.txt")
	if err != nil {
		return sdk.CommandResult{}, err
	}
	last := 0
	if lines := strings.Fields(string(kept)); len(lines) > 0 {
		last, _ = strconv.Atoi(lines[len(lines)-1])
	}
	store := sdk.State(sdk.ScopeProject)
	value, _, err := store.Get("n")
	if err != nil {
		return sdk.CommandResult{}, err
	}
	n, _ := strconv.Atoi(value)
	if n < last || n > last+1 {
		return sdk.CommandResult{Output: fmt.Sprintf("LOST: %d was kept, and the store has %d", last, n)}, nil
	}
	f, err := os.OpenFile("kept.txt", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return sdk.CommandResult{}, err
	}
	for {
		n++
		if err := store.Set("n", strconv.Itoa(n)); err != nil {
			return sdk.CommandResult{}, err
		}
		if _, err := fmt.Fprintln(f, n); err != nil {
			return sdk.CommandResult{}, err
		}
	}
}
`

// TestStateKilled kills aura or the process of a plugin while the plugin changes its state: every change that was reported as kept is
// there.
func TestStateKilled(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Plugin("writer", "timeout: 1m\n", writer)
	p.Write("kept.txt", "")
	random := rand.New(rand.NewPCG(1, 2))
	lines := func() int { return bytes.Count(p.Read("kept.txt"), []byte("\n")) }
	for i := range long(12, 200) {
		before, more := lines(), 1+random.IntN(20)
		a := p.Start("run", "/write")
		p.Until("changes", func() bool {
			if bytes.Contains(p.Stdout(), []byte("LOST")) {
				t.Fatalf("%s", p.Stdout())
			}
			return lines() >= before+more
		})
		if i%2 == 0 {
			a.Signal(syscall.SIGKILL)
		} else {
			p.Check(syscall.Kill(p.PID("writer"), syscall.SIGKILL))
		}
		a.Wait()
		p.NoProcess()
	}
	a := p.Start("run", "/write")
	total := lines()
	p.Until("a last change", func() bool { return lines() > total })
	a.Signal(syscall.SIGTERM)
	a.Wait()
	if bytes.Contains(p.Stdout(), []byte("LOST")) {
		t.Errorf("%s", p.Stdout())
	}
}

const tally = `def register(api):
    @api.command("count")
    def count(args, ctx):
        kept = ctx.session.metadata.get("count") or {"n": 0, "copies": [0] * 500}
        if kept["copies"] != [kept["n"]] * 500:
            return "TORN: %r" % kept
        n = kept["n"] + 1
        ctx.session.metadata["count"] = {"n": n, "copies": [n] * 500}
        return str(n)
`

// TestMetadataKilled kills a Python guest, its host or aura while the guest changes the metadata of its session: every number that aura
// printed is there afterwards, and none is torn.
func TestMetadataKilled(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python")
	p := harness.NewProject(t)
	p.Write(".aura/extensions/tally.py", tally)
	p.Run("run", "hello")
	calls := append([]string{"run", "--continue"}, slices.Repeat([]string{"/count"}, 5000)...)
	random := rand.New(rand.NewPCG(3, 4))
	last, killed := 0, map[string]int{}
	for i := range long(9, 200) {
		more := 1 + random.IntN(20)
		a := p.Start(calls...)
		lines := func() int { return bytes.Count(p.Stdout(), []byte("\n")) }
		p.Until("numbers", func() bool { return lines() >= more })
		victim := []string{"guest", "host", "aura"}[i%3]
		killed[victim]++
		switch victim {
		case "guest":
			p.Check(syscall.Kill(guest(p), syscall.SIGKILL))
		case "host":
			p.Check(syscall.Kill(p.PID("tally"), syscall.SIGKILL))
		}
		if victim != "aura" {
			before := lines()
			p.Until("numbers of the next process", func() bool { return lines() > before+1 })
		}
		a.Signal(syscall.SIGKILL)
		a.Wait()
		p.NoProcess()
		last = counted(p, last)
	}
	p.Run("run", "--continue", "/count")
	t.Logf("%d numbers, killed: %v", counted(p, last), killed)
}

// counted checks the numbers on standard output, which follow last, and returns the last one. A kill may keep one number from being printed.
func counted(p *harness.Project, last int) int {
	p.T.Helper()
	for line := range strings.Lines(string(p.Stdout())) {
		n, err := strconv.Atoi(strings.TrimSuffix(line, "\n"))
		if err != nil || n <= last || n > last+2 {
			p.T.Fatalf("%q came after %d", line, last)
		}
		last = n
	}
	return last
}

// guest returns the process ID of the only guest that runs.
func guest(p *harness.Project) int {
	p.T.Helper()
	var found []int
	for _, pid := range harness.Strays(p.Dir) {
		program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if err == nil && strings.HasPrefix(filepath.Base(program), "python") {
			found = append(found, pid)
		}
	}
	if len(found) != 1 {
		p.T.Fatalf("the guests are %v, want one", found)
	}
	return found[0]
}

const mouth = `package mouth

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "send"} }

// recovered has a value once the receiver handles events again after its crash.
var recovered = make(chan struct{}, 1)

func init() {
	sdk.On("recovered", func(context.Context, sdk.Event) error {
		select {
		case recovered <- struct{}{}:
		default:
		}
		return nil
	})
}

// ExecuteCommand emits the numbers from the first to the second argument. With "crash" it crashes then, and with "wait" it waits
// until the receiver has recovered from its own crash.
func ExecuteCommand(ctx context.Context, args string, _ sdk.Context) (sdk.CommandResult, error) {
	fields := strings.Fields(args)
	from, _ := strconv.Atoi(fields[0])
	to, _ := strconv.Atoi(fields[1])
	for i := from; i <= to; i++ {
		if err := sdk.Emit("number", i); err != nil {
			return sdk.CommandResult{}, err
		}
	}
	switch fields[2] {
	case "crash":
		go func() { panic("on purpose") }()
		select {}
	case "wait":
		select {
		case <-recovered:
		case <-ctx.Done():
			return sdk.CommandResult{}, ctx.Err()
		}
	}
	return sdk.CommandResult{Output: fmt.Sprint("sent ", to)}, nil
}
`

const ears = `package ears

import (
	"context"
	"fmt"
	"os"

	"github.com/idelchi/aura/sdk"
)

func init() {
	f, err := os.OpenFile("heard.txt", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	before, err := f.Stat()
	if err != nil {
		panic(err)
	}
	handled := 0
	sdk.On("number", func(_ context.Context, e sdk.Event) error {
		if _, err := fmt.Fprintln(f, e.Payload); err != nil {
			return err
		}
		if before.Size() > 0 {
			return sdk.Emit("recovered", nil)
		}
		if handled++; handled == 200 {
			go func() { panic("on purpose") }()
			select {}
		}
		return nil
	})
}
`

// TestEventsAddUp sends many events while the sender and the receiver crash: they arrive in order, none twice, and every event is
// counted as delivered, failed, dropped or waiting.
func TestEventsAddUp(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	all := long(1200, 10_000)
	p.Plugin("mouth", "timeout: 1m\n", mouth)
	p.Plugin("ears", "timeout: 1m\n", ears)
	third := all / 3
	p.Run("run", "--json", "--health", fmt.Sprintf("/send 1 %d only", third), fmt.Sprintf("/send %d %d crash", third+1, 2*third),
		fmt.Sprintf("/send %d %d wait", 2*third+1, all))
	counts := map[string]map[string]any{}
	for line := range bytes.Lines(p.Stdout()) {
		var e map[string]any
		p.Check(json.Unmarshal(line, &e))
		if e["type"] == "plugin_health" {
			counts[e["plugin"].(string)] = e
		}
	}
	count := func(plugin, key string) int { return int(counts[plugin][key].(float64)) }
	if got := count("mouth", "events_emitted"); got != all {
		t.Errorf("%d events were emitted, want %d", got, all)
	}
	delivered, failed := count("ears", "events_delivered"), count("ears", "events_failed")
	rest := count("ears", "events_dropped") + count("ears", "events_waiting")
	if delivered+failed+rest != all {
		t.Errorf("%d delivered, %d failed and %d dropped or waiting are not %d", delivered, failed, rest, all)
	}
	if count("mouth", "restarts") != 1 || count("ears", "restarts") != 1 || failed != 1 {
		t.Errorf("the sender crashed %d times, the receiver %d times, and %d events failed", count("mouth", "restarts"), count("ears", "restarts"), failed)
	}
	last, heard := 0, 0
	for text := range strings.FieldsSeq(string(p.Read("heard.txt"))) {
		n, err := strconv.Atoi(text)
		if err != nil || n <= last {
			t.Fatalf("%q came after %d", text, last)
		}
		last = n
		heard++
	}
	if heard < delivered {
		t.Errorf("%d events were delivered, and %d heard", delivered, heard)
	}
	t.Logf("%d emitted, %d delivered, %d failed, %d dropped or waiting", all, delivered, failed, rest)
}
