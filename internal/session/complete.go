package session

import (
	"bytes"
	"encoding/json"
)

// Complete returns the longest beginning of a journal that ends after a complete line and in which every tool call has its result. It
// is for copies of the journal of a session that is running.
func Complete(journal []byte) []byte {
	open := map[string]bool{}
	end, at := 0, 0
	for line := range bytes.Lines(journal) {
		at += len(line)
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var r struct {
			Message *struct {
				ToolCallID string `json:"tool_call_id"`
				ToolCalls  []struct {
					ID string `json:"id"`
				} `json:"tool_calls"`
			} `json:"message"`
		}
		if json.Unmarshal(line, &r) == nil && r.Message != nil {
			delete(open, r.Message.ToolCallID)
			for _, call := range r.Message.ToolCalls {
				open[call.ID] = true
			}
		}
		if len(open) == 0 {
			end = at
		}
	}
	return journal[:end]
}
