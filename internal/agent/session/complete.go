package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Complete returns the longest beginning of a journal that ends after a complete line and in which every tool call has its result. It
// is for copies of the journal of a session that is running. A copy of a session that has not ended ends here, with these counts:
// whoever continues it continues counting.
func Complete(journal []byte, stats any) ([]byte, error) {
	open := map[string]bool{}
	end, at := 0, 0
	ended := false
	for line := range bytes.Lines(journal) {
		at += len(line)
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var r struct {
			End     json.RawMessage `json:"end"`
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
			end, ended = at, r.End != nil
		}
	}
	if ended || end == 0 || stats == nil {
		return journal[:end], nil
	}
	line, err := encode(record{End: &End{Reason: ReasonInterrupted, Stats: stats, At: time.Now()}})
	if err != nil {
		return nil, fmt.Errorf("ending the copy of a journal: %w", err)
	}
	return append(journal[:end:end], line...), nil
}
