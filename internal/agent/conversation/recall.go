package conversation

import (
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/sdk"
)

// recall records the tool calls of an earlier conversation. If its counts are not known, recall also counts its messages and
// calls. workdir is the directory to which the paths in calls are relative.
func (l *ledger) recall(messages []llm.Message, counted *sdk.Stats, workdir string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	stats := &l.stats
	known, runs := *stats, l.runs
	if counted != nil {
		l.runs = map[string]int{}
	}
	asked := map[string]llm.ToolCall{}
	for _, m := range messages {
		switch {
		case m.Role == llm.RoleTool:
			l.recallCall(asked[m.ToolCallID], m.Content, workdir)
		case m.Synthetic:
		case m.Role == llm.RoleUser:
			stats.Interactions++
		case m.Role == llm.RoleAssistant:
			stats.Turns++
			stats.Iterations++
		}
		for _, call := range m.ToolCalls {
			asked[call.ID] = call
		}
	}
	if counted != nil {
		*stats = known
	}
	if counted != nil && len(counted.TopTools) > 0 {
		l.runs = runs
	}
}

// recallCall records one call based on the result that the model received. The caller holds the lock.
func (l *ledger) recallCall(request llm.ToolCall, content, workdir string) {
	if request.ID == "" {
		return
	}
	p := call{request: request}
	p.args, _ = parse(request.Arguments)
	var files []string
	noted := sdk.ToolCall{Name: request.Name, Args: p.args, ArgsJSON: string(p.json())}
	if failure, failed := strings.CutPrefix(content, errorMark); failed {
		noted.Error = failure
	} else {
		noted.Result = content
		files = patchedFiles(request.Name, p.args, workdir)
	}
	l.count(noted, !strings.HasPrefix(content, refusedMark), files)
}
