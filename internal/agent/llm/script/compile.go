package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/idelchi/aura/internal/agent/llm"
)

// reply is a turn that is ready to be played.
type reply struct {
	Turn

	calls []llm.ToolCall
}

// fault is an error in a turn. The caller maps the turn to its line in the file.
type fault struct {
	turn int
	// key is the path of the field below the turn, with its leading dot. It may be empty.
	key string
	err error
}

func (f *fault) Error() string { return fmt.Sprintf("key \"turns[%d]%s\": %v", f.turn, f.key, f.err) }

func (f *fault) Unwrap() error { return f.err }

// compile checks a script and gives every tool call a unique id.
func compile(s Script) ([]reply, error) {
	if len(s.Turns) == 0 {
		return nil, errors.New(`the script has no turns: list at least one under "turns"`)
	}
	given := map[string]bool{}
	for i, turn := range s.Turns {
		if key, err := check(turn, given); err != nil {
			return nil, &fault{turn: i, key: key, err: err}
		}
	}
	var replies []reply
	count := 0
	for _, turn := range s.Turns {
		r := reply{Turn: turn}
		for _, call := range turn.ToolCalls {
			id := call.ID
			for id == "" {
				count++
				if next := "call_" + strconv.Itoa(count); !given[next] {
					id = next
				}
			}
			r.calls = append(r.calls, llm.ToolCall{ID: id, Name: call.Name, Arguments: arguments(call)})
		}
		replies = append(replies, r)
	}
	return replies, nil
}

// check reports an error that the types of a turn allow but a model cannot produce, and the key that causes it. It records the
// ids in given.
func check(turn Turn, given map[string]bool) (key string, err error) {
	switch usage := turn.Usage; {
	case turn.Delay < 0:
		return ".delay", fmt.Errorf("%s is negative", turn.Delay)
	case usage != nil && (usage.Input < 0 || usage.Output < 0 || usage.CacheRead < 0 || usage.CacheWrite < 0 || usage.Searches < 0):
		return ".usage", errors.New("a count is negative")
	case turn.Error != nil && (len(turn.ToolCalls) > 0 || usage != nil):
		return "", errors.New("a turn with an error has neither tool_calls nor usage: the call fails before they arrive")
	case turn.Error != nil:
		return ".error.type", turn.Error.Type.check()
	}
	for i, call := range turn.ToolCalls {
		at := ".tool_calls[" + strconv.Itoa(i) + "]"
		if call.Name == "" {
			return at + ".name", errors.New("missing: name the tool to call")
		}
		if given[call.ID] {
			return at + ".id", fmt.Errorf("%q is the id of an earlier call", call.ID)
		}
		given[call.ID] = call.ID != ""
	}
	return "", nil
}

func arguments(call ToolCall) json.RawMessage {
	if call.Arguments == nil {
		return json.RawMessage("{}")
	}
	return json.RawMessage(call.Arguments)
}
