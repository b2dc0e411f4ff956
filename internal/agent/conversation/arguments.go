package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
)

// parse decodes the arguments that a model wrote. Missing arguments are an empty object.
func parse(raw json.RawMessage) (map[string]any, error) {
	if text := bytes.TrimSpace(raw); len(text) == 0 || string(text) == `""` || string(text) == "null" {
		return map[string]any{}, nil
	}
	return tool.ParseArguments(raw)
}

// checkSize refuses arguments that are larger than the limit for one call.
func checkSize(raw json.RawMessage) error {
	if len(raw) > limit.Arguments {
		return fmt.Errorf("its arguments have %d bytes, more than the limit of %s for one call; do it in smaller parts", len(raw), limit.Size(limit.Arguments))
	}
	return nil
}

// encoded returns arguments as JSON with sorted keys, or an empty object if they cannot be encoded.
func encoded(args map[string]any) json.RawMessage {
	raw, err := event.JSON(args)
	if err != nil || args == nil {
		return json.RawMessage("{}")
	}
	return raw
}

// json returns the arguments of a call as a JSON value. If they could not be parsed, it returns the text that the model wrote
// instead.
func (p *call) json() json.RawMessage {
	if p.args != nil {
		return encoded(p.args)
	}
	if json.Valid(p.request.Arguments) {
		return p.request.Arguments
	}
	text, err := event.JSON(string(p.request.Arguments))
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

// shownCalls returns calls that have not run, as plugins see them.
func shownCalls(requests []llm.ToolCall) []sdk.ToolCall {
	out := make([]sdk.ToolCall, 0, len(requests))
	for _, request := range requests {
		p := call{request: request}
		p.args, _ = parse(request.Arguments)
		out = append(out, sdk.ToolCall{Name: request.Name, Args: p.args, ArgsJSON: string(p.json())})
	}
	return out
}

// normal converts arguments to the types that decoding JSON produces, so that a tool sees the same types whether the model or a
// plugin set them.
func normal(args map[string]any) (map[string]any, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	if err := checkSize(raw); err != nil {
		return nil, err
	}
	return parse(raw)
}
