package setup

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// Traffic is what the programs of a session do in the network. One that aura calls, such as a tool, reports refusals in the results of its
// calls. Those of the others wait for the next result of a tool.
type Traffic struct {
	// record receives every event and who caused it.
	record func(who string, e netgate.Event)

	mu sync.Mutex
	// programs holds those that are no tools of aura, by their names.
	programs map[string]*known
	// waiting holds the lines for the next result, and told what was ever among them.
	waiting []string
	told    map[string]bool
}

// known is a program with its traffic.
type known struct {
	caller

	traffic *sandbox.Traffic
}

// caller is who uses the network.
type caller struct {
	// who names it for people, and source says which one it is; approvals are bound to that.
	who, source string
	// doing is what it does, such as a command line; it may be empty.
	doing string
	// leave ends the call, because the user lets it run without the sandbox; nil if that is not offered.
	leave func()
}

const (
	// maxUncalled is how many refusals of programs that aura does not call are shown to the model in a session.
	maxUncalled = 64
)

// NewTraffic returns the traffic of a session. record may be nil, and may be called from any goroutine.
func NewTraffic(record func(who string, e netgate.Event)) *Traffic {
	return &Traffic{record: record, programs: map[string]*known{}, told: map[string]bool{}}
}

// trafficOf returns the traffic of a program for policies; nil if nobody observes it. A program that is no tool of aura keeps its traffic.
func (s Source) trafficOf(p caller) *sandbox.Traffic {
	t := s.Traffic
	if t == nil {
		return nil
	}
	asked := questions{left: maxQuestions, since: time.Now()}
	made := sandbox.NewTraffic(sandbox.Observer{
		Seen:    func(e netgate.Event, during bool) { t.add(p.who, e, during) },
		Presets: func(names []string) map[string][]network.Pattern { return presetHosts.get(s.Config, names) },
		Ask:     func(ctx context.Context, q netgate.Question) netgate.Answer { return s.askHost(ctx, p, &asked, q) },
	})
	if p.source == builtinProgram {
		return made
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.programs[p.who]; k != nil && k.source == p.source {
		return k.traffic
	}
	t.programs[p.who] = &known{p, made}
	return made
}

// of returns the traffic of a program that is no tool of aura; nil if it has none. It works on nil.
func (t *Traffic) of(who string) *sandbox.Traffic {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.programs[who]; k != nil {
		return k.traffic
	}
	return nil
}

// all returns the traffic of all programs that are no tools of aura.
func (t *Traffic) all() []*sandbox.Traffic {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]*sandbox.Traffic, 0, len(t.programs))
	for _, k := range t.programs {
		out = append(out, k.traffic)
	}
	return out
}

const (
	// builtinProgram is the source of aura's own tools.
	builtinProgram = "built-in"
	// HookProgram is how the source of a shell hook begins.
	HookProgram = "hook "
)

// add records an event. A refusal that is not part of a call waits for the next result of a tool.
func (t *Traffic) add(who string, e netgate.Event, during bool) {
	if t.record != nil {
		t.record(who, e)
	}
	if during || e.Allowed && !e.Failed() {
		return
	}
	line := fmt.Sprintf("[sandbox] %s: %s", who, strings.TrimPrefix(sandbox.ExplainNetwork([]netgate.Event{e}, 0), "[sandbox] "))
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.told[line] && len(t.told) < maxUncalled {
		t.told[line] = true
		t.waiting = append(t.waiting, limit.Cut(line, limit.FactText, "a refusal"))
	}
}

// takeRefusals returns the lines that wait for a result. It works on nil.
func (t *Traffic) takeRefusals() string {
	if t == nil {
		return ""
	}
	for _, p := range t.all() {
		p.Drain()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	out := strings.Join(t.waiting, "\n")
	t.waiting = nil
	return out
}

// Close waits until what has ended is reported, for at most a time. It works on nil.
func (t *Traffic) Close(most time.Duration) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	for _, p := range t.all() {
		p.Wait(ctx)
	}
}

// pluginWho and serverWho name plugins and MCP servers as users of the network.
func pluginWho(name string) string { return "plugin " + name }
func serverWho(name string) string { return "MCP server " + name }

// pluginProgram is a plugin as a user of the network.
func pluginProgram(e Entry) caller {
	return caller{who: pluginWho(e.Name), source: declaredIn("plugin "+e.Name, e.Dir)}
}

// serverProgram is an MCP server as a user of the network.
func serverProgram(name, file string) caller {
	return caller{who: serverWho(name), source: declaredIn("MCP "+name, file)}
}
