package fleet

import "encoding/json"

// EventText returns what a line of a task's log says, for people. It reports false for a line that says nothing to them, or is no event: a log may
// contain anything.
func EventText(line []byte) (text string, ok bool) {
	var e struct {
		Type, Role, Content, Name, Message, Text, Error string

		Arguments json.RawMessage
	}
	if json.Unmarshal(line, &e) != nil {
		return "", false
	}
	switch e.Type {
	case "message":
		return e.Role + ": " + e.Content, true
	case "tool_call":
		return "tool " + e.Name + " " + string(e.Arguments), true
	case "tool_result":
		return "result " + e.Name + ": " + e.Error + e.Content, true
	case "error":
		return "error: " + e.Message, true
	case "notice":
		return "! " + e.Text, true
	default:
		return "", false
	}
}
