package todo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
)

// The names of the tools.
const (
	CreateName   = "TodoCreate"
	ListName     = "TodoList"
	ProgressName = "TodoProgress"
)

const statuses = `{"type":"string","enum":["pending","in_progress","completed"],"description":"how far it is"}`

const createSchema = `{"type":"object","properties":{"items":{"type":"array","description":"all there is to do, in order",` +
	`"items":{"type":"object","properties":{"content":{"type":"string","minLength":1,"description":"what is to be done"},"status":` + statuses +
	`},"required":["content"],"additionalProperties":false}}},"required":["items"],"additionalProperties":false}`

const progressSchema = `{"type":"object","properties":{"id":{"type":"integer","minimum":1,"description":"the number of the todo in the list"},"status":` +
	statuses + `},"required":["id","status"],"additionalProperties":false}`

const listSchema = `{"type":"object","properties":{},"additionalProperties":false}`

type createArgs struct {
	Items []struct {
		Content string `json:"content"`
		Status  Status `json:"status"`
	} `json:"items"`
}

type progressArgs struct {
	ID     int    `json:"id"`
	Status Status `json:"status"`
}

// Tools returns the tools with which an agent maintains the list.
func (l *List) Tools() []tool.Tool {
	definition := func(name, description, schema string, parallel bool) tool.Definition {
		return tool.Definition{
			Name: name, Description: description, Parameters: json.RawMessage(schema), Source: tool.SourceBuiltin, Parallel: parallel,
		}
	}
	return []tool.Tool{
		listTool{l, definition(CreateName,
			"Write down what is to be done, step by step. The list takes the place of the one there was.", createSchema, false)},
		listTool{l, definition(ListName, "Show the list of todos with their numbers and statuses.", listSchema, true)},
		listTool{l, definition(ProgressName, "Change the status of one todo, as soon as it changes.", progressSchema, false)},
	}
}

// listTool is one of the tools. They differ in their definitions and in what apply does.
type listTool struct {
	list       *List
	definition tool.Definition
}

func (t listTool) Definition() tool.Definition { return t.definition }

// Execute changes the list and returns it as text.
func (t listTool) Execute(_ context.Context, call tool.Call) (string, error) {
	raw, err := json.Marshal(call.Args)
	if err != nil {
		return "", fmt.Errorf("reading the arguments of %s: %w", t.definition.Name, err)
	}
	if err := t.list.apply(t.definition.Name, raw); err != nil {
		return "", err
	}
	return t.list.String(), nil
}

// apply carries out a call of a tool.
func (l *List) apply(name string, raw json.RawMessage) error {
	switch name {
	case CreateName:
		var args createArgs
		if err := json.Unmarshal(raw, &args); err != nil {
			return fmt.Errorf("reading the arguments of %s: %w", name, err)
		}
		items := make([]Item, 0, len(args.Items))
		for _, item := range args.Items {
			items = append(items, Item{Content: item.Content, Status: item.Status})
		}
		return l.Set(items)
	case ProgressName:
		var args progressArgs
		if err := json.Unmarshal(raw, &args); err != nil {
			return fmt.Errorf("reading the arguments of %s: %w", name, err)
		}
		return l.Progress(args.ID, args.Status)
	default:
		return nil
	}
}

// Replay repeats the calls in the messages of a saved session on the list. It skips calls that failed in that session, or that
// the list rejects now.
func (l *List) Replay(messages []llm.Message) {
	failed := map[string]bool{}
	for _, m := range messages {
		if m.Role == llm.RoleTool && strings.HasPrefix(m.Content, "Error: ") {
			failed[m.ToolCallID] = true
		}
	}
	for _, m := range messages {
		for _, call := range m.ToolCalls {
			if failed[call.ID] {
				continue
			}
			if err := l.apply(call.Name, call.Arguments); err != nil {
				continue
			}
		}
	}
}
