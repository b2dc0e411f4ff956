package shared

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/idelchi/aura/sdk"
)

// A context contains lists that only grow: the turns, the tool calls and the messages. If they were sent completely, the cost
// of every call would grow with the conversation. A call therefore contains only the entries that the other side has not
// acknowledged yet.

// delta is a list on the wire: the entries starting at index From. The receiver has the earlier entries of the same Epoch.
// Epoch 0 is an independent list: it is sent completely and not kept.
type delta[T any] struct {
	_     struct{} `cbor:",toarray"`
	Epoch uint64
	From  int
	Add   []T
	// Nil distinguishes a nil list from an empty one.
	Nil bool
}

// ledger is the sender's side. It records what the receiver is known to have. A list that was passed to it must not be changed
// in place, only appended to or replaced.
type ledger[T any] struct {
	same func(a, b *T) bool

	mu    sync.Mutex
	epoch uint64
	// sent is the longest list of this epoch that has been sent. acked is the longest that the receiver has acknowledged.
	sent, acked []T
	// pending is the number of calls of this epoch that have not been answered.
	pending int
}

// diff returns the delta to send for list, and a function that must be called when the call is over. Its argument reports
// whether the receiver has answered. Concurrent calls contain the same entries twice, which the receiver merges. While calls
// with a different list are pending, such as those of another agent, a list is sent independently.
func (l *ledger[T]) diff(list []T) (delta[T], func(answered bool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.related(list) {
		if l.pending > 0 {
			return alone(list), func(bool) {}
		}
		l.epoch++
		l.sent, l.acked = nil, nil
	}
	l.epoch = max(l.epoch, 1)
	l.pending++
	epoch, from := l.epoch, min(len(l.acked), len(list))
	if len(list) > len(l.sent) {
		l.sent = list
	}
	d := delta[T]{Epoch: epoch, From: from, Add: list[from:], Nil: list == nil}
	return d, func(answered bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.epoch != epoch {
			return
		}
		l.pending--
		if answered && len(list) > len(l.acked) {
			l.acked = list
		}
	}
}

// alone returns a list as a delta that is sent completely and not kept.
func alone[T any](list []T) delta[T] { return delta[T]{Add: list, Nil: list == nil} }

// related reports whether list is a prefix of what was sent, or the other way round. A list that is shorter than what was
// acknowledged is a different list with the same beginning, unless a pending call may have overtaken it. The common case, the
// same array grown at its end, is recognised by address; entries are compared only if the array has moved.
func (l *ledger[T]) related(list []T) bool {
	if len(list) < len(l.acked) && l.pending == 0 {
		return false
	}
	n := min(len(l.sent), len(list))
	if n == 0 || &l.sent[0] == &list[0] {
		return true
	}
	for i := range n {
		if !l.same(&l.sent[i], &list[i]) {
			return false
		}
	}
	return true
}

// replica is the receiver's side.
type replica[T any] struct {
	mu    sync.Mutex
	epoch uint64
	items []T
}

// apply adds the new entries and returns the list of the call. The result shares its entries with later calls.
func (r *replica[T]) apply(d delta[T]) ([]T, error) {
	if d.Nil {
		return nil, nil
	}
	if d.Epoch == 0 {
		return append([]T{}, d.Add...), nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case d.Epoch < r.epoch:
		return nil, fmt.Errorf("receiving history: epoch %d after epoch %d", d.Epoch, r.epoch)
	case d.Epoch > r.epoch:
		if d.From != 0 {
			return nil, fmt.Errorf("receiving history: epoch %d begins at entry %d", d.Epoch, d.From)
		}
		r.epoch, r.items = d.Epoch, nil
	case d.From > len(r.items):
		return nil, fmt.Errorf("receiving history: entries %d to %d are missing", len(r.items), d.From)
	}
	n := d.From + len(d.Add)
	if n > len(r.items) {
		r.items = append(r.items, d.Add[len(r.items)-d.From:]...)
	}
	list := r.items[:n:n]
	if list == nil {
		list = []T{}
	}
	return list, nil
}

// sender holds the ledgers for one child. receiver holds the replicas inside the child.
type sender struct {
	// unread holds the names of the lists that the plugin cannot read and that are not sent. They are known once the plugin is
	// loaded.
	unread []string
	// apart sends every list completely, for use in one call only.
	apart    bool
	turns    ledger[sdk.Turn]
	tools    ledger[sdk.ToolCall]
	messages ledger[sdk.Message]
}

func newSender() *sender {
	return &sender{
		turns:    ledger[sdk.Turn]{same: func(a, b *sdk.Turn) bool { return *a == *b }},
		tools:    ledger[sdk.ToolCall]{same: sameToolCall},
		messages: ledger[sdk.Message]{same: sameMessage},
	}
}

type receiver struct {
	turns    replica[sdk.Turn]
	tools    replica[sdk.ToolCall]
	messages replica[sdk.Message]
}

// sameToolCall compares arguments by their JSON, which is created from them once and never changes.
func sameToolCall(a, b *sdk.ToolCall) bool {
	return a.Name == b.Name && a.ArgsJSON == b.ArgsJSON && a.Result == b.Result && a.Error == b.Error &&
		a.Duration == b.Duration && len(a.Args) == len(b.Args)
}

func sameMessage(a, b *sdk.Message) bool {
	if len(a.ToolCalls) != len(b.ToolCalls) {
		return false
	}
	if len(a.ToolCalls) > 0 && &a.ToolCalls[0] != &b.ToolCalls[0] && !reflect.DeepEqual(a.ToolCalls, b.ToolCalls) {
		return false
	}
	return a.ID == b.ID && a.Role == b.Role && a.Content == b.Content && a.Thinking == b.Thinking &&
		a.ToolName == b.ToolName && a.ToolCallID == b.ToolCallID && a.Tokens == b.Tokens && a.Type == b.Type &&
		a.CreatedAt.Equal(b.CreatedAt)
}

// cloneToolCalls returns a copy of the list, and also copies the arguments if args is set.
func cloneToolCalls(in []sdk.ToolCall, args bool) []sdk.ToolCall {
	out := append([]sdk.ToolCall{}, in...)
	for i := range out {
		if !args {
			break
		}
		out[i].Args = cloneMap(out[i].Args)
	}
	return out
}

func cloneMessages(in []sdk.Message) []sdk.Message {
	out := append([]sdk.Message{}, in...)
	for i := range out {
		calls := slices.Clone(out[i].ToolCalls)
		for j := range calls {
			calls[j].Arguments = cloneMap(calls[j].Arguments)
		}
		out[i].ToolCalls = calls
	}
	return out
}
