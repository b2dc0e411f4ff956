package session

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
)

// Fact is something that happened in a session beside its messages: a call of a plugin, or a decision that explains what the model saw
// and did. Facts are for people who ask what happened; a session continues without them.
type Fact struct {
	At time.Time `json:"at"`
	// Turn is the number of the model call that the fact belongs to, counted from 1.
	Turn int      `json:"turn"`
	Kind FactKind `json:"kind"`
	// By is who decided, if that is no plugin: "hook NAME", "policy RULE", "user", "sandbox" or "seen-file rule".
	By     string `json:"by,omitempty"`
	Plugin string `json:"plugin,omitempty"`
	// Version is the hash of the plugin's files.
	Version string `json:"version,omitempty"`
	Point   string `json:"point,omitempty"`
	// Name is what the fact is about: a tool, a command, an event, an agent, or the trigger of a compaction.
	Name string `json:"name,omitempty"`
	// Call is the id of the tool call that a fact of the kind FactFiles is about.
	Call string `json:"call,omitempty"`
	// Outcome is that of a call, as in the event plugin_call, or the state of a plugin.
	Outcome string `json:"outcome,omitempty"`
	Error   string `json:"error,omitempty"`
	// Changes holds what changed, with shortened texts.
	Changes []Change `json:"changes,omitempty"`
	// Calls is how many calls the fact sums up; 0 is one call.
	Calls int `json:"calls,omitempty"`
	// Waited is how long a call waited for its process, and Took how long it ran.
	Waited time.Duration `json:"waited_ns,omitempty"`
	Took   time.Duration `json:"took_ns,omitempty"`
	// Network is what a fact of the kind FactNetwork is about; its host is Name, its verdict Outcome and its rule Error.
	Network *Connection `json:"network,omitempty"`
}

// Connection is a connection that a program made or tried to make. Port is 0 for a name that was refused.
type Connection struct {
	Port int `json:"port,omitempty"`
	// Address is the address that was dialled.
	Address string `json:"address,omitempty"`
	// Sent and Received are in bytes.
	Sent     int64 `json:"sent"`
	Received int64 `json:"received"`
	// Dropped is how many connections the fact sums up that are not recorded one by one.
	Dropped int `json:"dropped,omitempty"`
}

// FactKind is the kind of a fact.
type FactKind string

// The kinds of facts.
const (
	// FactTurn is a model call. It begins the turn of its number.
	FactTurn FactKind = "turn"
	// FactCall is a call of a plugin.
	FactCall FactKind = "call"
	// FactRefused is a tool call that did not run, although no plugin blocked it.
	FactRefused FactKind = "refused"
	// FactError is an error that ended an interaction.
	FactError FactKind = "error"
	// FactSwitch is a change of the agent, the mode or the model.
	FactSwitch FactKind = "switch"
	// FactCompaction is an attempt to replace the older messages by a summary.
	FactCompaction FactKind = "compaction"
	// FactState is a plugin whose process ended: it is restarted, or it is down.
	FactState FactKind = "state"
	// FactNetwork is a connection of a program under the rules of the network.
	FactNetwork FactKind = "network"
	// FactFiles is what a tool call changed in files, as the user saw it: one change with a unified diff.
	FactFiles FactKind = "files"
)

// Change is one change, with the values before and after it. A long text is shown as a unified diff instead of both values.
type Change struct {
	Field  string `json:"field"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Diff   string `json:"diff,omitempty"`
}

// Tell records a fact. It may be called from any goroutine. It does not wait for the disk: the next record that does makes the fact
// durable too, and a process that is killed loses nothing.
func (j *Journal) Tell(f Fact) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil // a plugin that is being stopped may report after the end
	}
	if j.facts >= limit.Facts {
		return ErrFull
	}
	before := j.size
	err := j.put(record{Fact: &f})
	j.facts += j.size - before
	return err
}

// ErrFull reports that a journal has so many facts that it takes no more. It takes all other records.
var ErrFull = fmt.Errorf("the journal has %d MiB of records about plugins, which is the limit", limit.Facts>>20)

// factStart is the beginning of the line of a fact.
var factStart = []byte(`{"fact":`)

// Facts reads the facts of a journal. An incomplete last line is left out.
func Facts(path string) (Meta, []Fact, error) {
	file, err := files.OpenNoFollow(path, os.O_RDONLY, 0)
	if err != nil {
		return Meta{}, nil, fmt.Errorf("reading journal: %w", err)
	}
	defer func() { _ = file.Close() }()
	var out []Fact
	lines := newLines(file)
	var meta Meta
	for number := 1; ; number++ {
		line, complete, err := lines.next(number == 1)
		if err != nil {
			return Meta{}, nil, fmt.Errorf("reading journal: %s:%d: %w", path, number, err)
		}
		if !complete {
			break
		}
		if number > 1 && !bytes.HasPrefix(line, factStart) {
			continue
		}
		r, err := decode(line)
		if err != nil && lines.ended() {
			break
		}
		if err == nil && number == 1 {
			var s Session
			if err = s.add(r); err == nil {
				meta = s.Meta
				meta.ID = idOf(path)
			}
		}
		if err != nil {
			return Meta{}, nil, fmt.Errorf("reading journal: %s:%d: %w", path, number, err)
		}
		if r.Fact != nil {
			out = append(out, *r.Fact)
		}
	}
	if meta.ID == "" {
		return Meta{}, nil, fmt.Errorf("reading journal: %s: %w", path, errUnbegun)
	}
	return meta, out, nil
}

// LastTurn returns the number of the last model call that the facts of a journal know; 0 if there is none.
func LastTurn(path string) (int, error) {
	_, facts, err := Facts(path)
	last := 0
	for _, f := range facts {
		if f.Kind == FactTurn {
			last = max(last, f.Turn)
		}
	}
	return last, err
}
