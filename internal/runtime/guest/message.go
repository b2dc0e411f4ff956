package guest

import (
	"encoding/json"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// Protocol is the version of the protocol. A guest learns it with load and refuses a version that it does not know.
const Protocol = 1

// verb is what a call asks of the guest.
type verb string

// The calls of the host.
const (
	callLoad    verb = "load"
	callHook    verb = "hook"
	callExecute verb = "execute"
	callPaths   verb = "paths"
	callCommand verb = "command"
	callEvent   verb = "event"
	// callCancel has no answer.
	callCancel verb = "cancel"
)

// call is a frame from the host to the guest. Context, Args, Env and Payload are in the exact encoding of shared.EncodeExact.
type call struct {
	ID   uint64 `json:"id"`
	Call verb   `json:"call"`
	// Point is the hook point of a hook.
	Point string `json:"point,omitempty"`
	// Tool, Command and Event are names.
	Tool    string          `json:"tool,omitempty"`
	Command string          `json:"command,omitempty"`
	Event   string          `json:"event,omitempty"`
	Sender  string          `json:"sender,omitempty"`
	Context json.RawMessage `json:"context,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"`
	Env     json.RawMessage `json:"env,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
	// Deadline is when the call is cancelled, in RFC 3339; empty if there is no deadline.
	Deadline string `json:"deadline,omitempty"`
	// Of is the id of the call to cancel.
	Of   uint64    `json:"of,omitempty"`
	Load *loadCall `json:"load,omitempty"`

	// lists has the lists of the call's context that the frame does not contain; nil if it contains all.
	lists *sdk.Context
}

// loadCall is what a guest learns before it loads the plugin.
type loadCall struct {
	Protocol int    `json:"protocol"`
	Name     string `json:"name"`
	// Dir is the absolute path of the plugin's directory. The others are those of sdk.ToolConfig.
	Dir       string `json:"dir"`
	HomeDir   string `json:"home_dir"`
	ConfigDir string `json:"config_dir"`
	DataDir   string `json:"data_dir"`
	// MemoryBytes is the memory limit of the guest; 0 if there is none.
	MemoryBytes int64 `json:"memory_bytes,omitempty"`
}

// message is a frame from the guest to the host: an answer, or a request if Ask is set.
type message struct {
	ID      uint64          `json:"id"`
	Result  json.RawMessage `json:"result"`
	Failure *failure        `json:"failure"`

	Ask     ask             `json:"ask"`
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload"`
	Op      shared.StateOp  `json:"op"`
	Scope   sdk.Scope       `json:"scope"`
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	// Of is the id of the call whose lists the guest asks for.
	Of uint64 `json:"of"`
}

// failure is a call that did not succeed.
type failure struct {
	Kind    shared.FailureKind `json:"kind"`
	Message string             `json:"message"`
}

// ask is what a request asks of the host.
type ask string

// The requests of the guest.
const (
	askEmit   ask = "emit"
	askListen ask = "listen"
	askState  ask = "state"
	askLists  ask = "lists"
	askNow    ask = "now"
	askRand   ask = "rand"
)

// answer is a frame from the host to the guest: the answer to a request.
type answer struct {
	ID      uint64   `json:"id"`
	Result  any      `json:"result"`
	Failure *failure `json:"failure,omitempty"`
}

// stateAnswer is the result of a state request.
type stateAnswer struct {
	Value json.RawMessage `json:"value"`
	Found bool            `json:"found"`
	Keys  []string        `json:"keys"`
}
