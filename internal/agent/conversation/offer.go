package conversation

import (
	"fmt"
	"slices"
	"sync"

	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/tokens"
	"github.com/idelchi/aura/internal/agent/tool"
)

// offer is the tools that the model is offered: the persona's tools without those that are withheld or disabled at the moment.
type offer struct {
	mu sync.Mutex
	// tools is the registry of this turn; nil for no tools.
	tools *tool.Registry
	// done reports whether done mode is on. Without it, the tool Done is not offered.
	done bool
	// withheld holds patterns of the tools that the persona does not offer at this moment.
	withheld []string
	// next holds patterns of the tools that the next model call does not offer, and taken those that were taken from next for the
	// model call of this turn.
	next, taken []string

	// offered is what remains. names, schemaSize (in bytes) and schemaTokens describe it. schemaTokens is negative until the tokens
	// are counted.
	offered                  []tool.Definition
	names                    []string
	schemaSize, schemaTokens int
	// counts caches the token counts of schemas.
	counts tokens.Cache
}

// arm offers the tools of a registry, without those that the next model call does not offer.
func (o *offer) arm(tools *tool.Registry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tools = tools
	o.present(o.next)
}

// present offers the tools, except those that match the patterns. The caller holds the lock.
func (o *offer) present(disabled []string) {
	o.offered, o.names, o.schemaSize, o.schemaTokens = nil, []string{}, 0, -1
	for _, d := range o.tools.Offered() {
		if tool.Match(disabled, d.Name) || tool.Match(o.withheld, d.Name) || d.Name == donetool.Name && !o.done {
			continue
		}
		o.offered = append(o.offered, d)
		o.names = append(o.names, d.Name)
		o.schemaSize += len(schemaText(d))
	}
}

// withhold sets the patterns of the tools that the persona does not offer, starting with the next arm.
func (o *offer) withhold(patterns []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.withheld = patterns
}

// setDone turns done mode on or off. The tool Done is offered or not starting with the next arm.
func (o *offer) setDone(on bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = on
}

// doneActive reports whether done mode is on.
func (o *offer) doneActive() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.done
}

// disable withholds tools from the next model call.
func (o *offer) disable(patterns []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.next = union(o.next, patterns)
}

// restore sets the patterns that were pending for the next model call in a saved conversation.
func (o *offer) restore(pending []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.next = slices.Clone(pending)
}

// pending returns the patterns of the tools that the next model call does not offer.
func (o *offer) pending() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.next)
}

// call offers the tools for a model call, without the disabled ones. It returns all patterns that were applied, including those
// that were pending for this call.
func (o *offer) call(disabled []string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	disabled = append(disabled, o.next...)
	o.taken, o.next = union(o.taken, o.next), nil
	o.present(disabled)
	return disabled
}

// called ends a model call. If it has to be made again, the patterns that were pending for it are pending again.
func (o *offer) called(again bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if again {
		o.next = union(o.taken, o.next)
	}
	o.taken = nil
}

// definitions returns the offered tools. The caller must not change them.
func (o *offer) definitions() []tool.Definition {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.offered
}

// available returns the names of the offered tools. The caller owns the slice.
func (o *offer) available() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.names)
}

// estimate returns the estimated tokens of the offered tools' descriptions.
func (o *offer) estimate() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.schemaTokens < 0 {
		o.schemaTokens = 0
		for _, d := range o.offered {
			o.schemaTokens += o.counts.Estimate(schemaText(d))
		}
	}
	return o.schemaTokens
}

// size returns the size of the offered tools' descriptions in bytes.
func (o *offer) size() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.schemaSize
}

// registry returns all tools of this turn, also those that are not offered; nil for none.
func (o *offer) registry() *tool.Registry {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tools
}

// find returns a tool if the model was offered it.
func (o *offer) find(name string) (tool.Tool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if slices.Contains(o.names, name) {
		if t, ok := o.tools.Lookup(name); ok {
			return t, nil
		}
	}
	for _, d := range o.tools.Offered() {
		if d.Name == name {
			return nil, fmt.Errorf("tool %q is not available at the moment", name)
		}
	}
	return nil, fmt.Errorf("there is no tool %q", name)
}
