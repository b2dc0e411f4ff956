package guest

import (
	"encoding/json"
	"reflect"
	"sync"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// history holds the growing lists of contexts for a guest that asks for them. Most calls need none of them, and encoding them would
// cost more than the rest of the call.
type history struct {
	mu    sync.Mutex
	asked bool
	// calls has the lists of the calls that run, and newest those of the newest call.
	calls  map[uint64]*sdk.Context
	newest *sdk.Context
}

// onRequest sets whether the guest asks for the lists.
func (h *history) onRequest(asked bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked, h.calls = asked, make(map[uint64]*sdk.Context)
}

// splitLists returns the lists of a context that are not sent, and the context without them. The newest tool call stays.
func (h *history) splitLists(in any) (lists *sdk.Context, rest any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	base, ok := contextOf(in)
	if !h.asked || !ok {
		return nil, in
	}
	var keep sdk.Context
	if n := len(base.ToolHistory); n > 0 {
		keep.ToolHistory = base.ToolHistory[n-1:]
	}
	return &sdk.Context{Turns: base.Turns, ToolHistory: base.ToolHistory}, withLists(in, keep)
}

// begin keeps the lists of a call until the returned function is called.
func (h *history) begin(call uint64, lists *sdk.Context) (end func()) {
	if lists == nil {
		return func() {}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls[call], h.newest = lists, lists
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.calls, call)
	}
}

// answer returns the lists of a call, or those of the newest call if that one has ended.
func (h *history) answer(call uint64) (json.RawMessage, error) {
	h.mu.Lock()
	found := h.calls[call]
	if found == nil {
		found = h.newest
	}
	h.mu.Unlock()
	if found == nil {
		found = &sdk.Context{}
	}
	return shared.EncodeExact(struct {
		Turns       []sdk.Turn
		ToolHistory []sdk.ToolCall
	}{found.Turns, found.ToolHistory})
}

// contextOf returns the sdk.Context of a context.
func contextOf(in any) (sdk.Context, bool) {
	if c, ok := in.(sdk.Context); ok || in == nil {
		return c, ok
	}
	for _, field := range reflect.ValueOf(in).Fields() {
		if c, ok := reflect.TypeAssert[sdk.Context](field); ok {
			return c, true
		}
	}
	return sdk.Context{}, false
}

// withLists returns a copy of a context, or of a hook's context, with the lists of another one.
func withLists(in any, from sdk.Context) any {
	base, ok := contextOf(in)
	if !ok {
		return in
	}
	base.Turns, base.ToolHistory = from.Turns, from.ToolHistory
	if _, ok := in.(sdk.Context); ok {
		return base
	}
	v := reflect.New(reflect.TypeOf(in)).Elem()
	v.Set(reflect.ValueOf(in))
	for _, field := range v.Fields() {
		if field.Type() == reflect.TypeFor[sdk.Context]() {
			field.Set(reflect.ValueOf(base))
		}
	}
	return v.Interface()
}
