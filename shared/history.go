package shared

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/idelchi/aura/sdk"
)

// A context holds lists that only grow: the turns, the tool calls, the messages. Sent whole they would make every call cost
// as much as the conversation is long, so a call carries only what the other side has not acknowledged yet.

// delta is a list as it travels: entries from index From on. The receiver has the ones before, of the same Epoch. Epoch 0 is a
// list on its own: it is sent whole and not kept.
type delta[T any] struct {
	_     struct{} `cbor:",toarray"`
	Epoch uint64
	From  int
	Add   []T
	// Nil tells a nil list from an empty one.
	Nil bool
}

// ledger is the sender's side: what the receiver is known to have. A list once given to it must not be changed in place,
// only appended to or replaced.
type ledger[T any] struct {
	same func(a, b *T) bool

	mu    sync.Mutex
	epoch uint64
	// sent is the longest list of this epoch that is on its way or has arrived, acked the longest that has arrived.
	sent, acked []T
	// pending is how many calls of this epoch have not been answered.
	pending int
}

// diff returns what to send for list, and a function to call when the call is over, with whether the receiver has answered. Calls
// under way side by side carry the same entries twice, which the receiver takes as one. While calls with another list are under
// way, as of an agent that works for another at the same time, a list goes on its own.
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

// alone is a list that is sent whole and not kept.
func alone[T any](list []T) delta[T] { return delta[T]{Add: list, Nil: list == nil} }

// related reports whether one of list and what was sent begins with the other. If it is shorter than what has arrived, it is
// another list that happens to begin alike, unless calls are under way that may have overtaken it. The usual case, the same array
// grown at its end, is recognised by address; entries are compared only when the array has moved.
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

// apply takes in what is new and returns the list of the call. The result shares entries with later calls.
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

// sender holds the ledgers of one child, receiver the replicas inside it.
type sender struct {
	// unread are the lists that the plugin cannot read, which are not sent. They are known once the plugin is loaded.
	unread []string
	// apart sends every list whole, to be used for the one call and not kept.
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

// sameToolCall compares arguments by their JSON, which is made from them once and never changes.
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

// cloneToolCalls returns a copy of the list, and of the arguments in it if they are asked for.
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
