package hooks

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/shell"
)

// TestClaudeAnswers interprets answers in the protocol of Claude Code.
func TestClaudeAnswers(t *testing.T) {
	t.Parallel()
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"`
	for name, row := range map[string]struct {
		event, stdout string
		// want is whether the hook blocks; message is a part of what the model reads, and failed of the error.
		want            bool
		message, failed string
	}{
		"a reason":                         {EventPre, deny + `,"permissionDecisionReason":"not this"}}`, true, "not this", ""},
		"only a message for the user":      {EventPre, deny + `},"systemMessage":"Do not remove folders."}`, true, "Do not remove folders.", ""},
		"a reason and a message":           {EventPre, deny + `,"permissionDecisionReason":"not this"},"systemMessage":"said"}`, true, "not this", ""},
		"no reason":                        {EventPre, deny + `}}`, true, "it gave no reason", ""},
		"background, then an answer":       {EventPre, "{\"async\":true,\"asyncTimeout\":60}\n" + deny + `,"permissionDecisionReason":"late"}}`, true, "late", ""},
		"background, then nothing":         {EventPre, `{"async":true}`, false, "", ""},
		"background, then other keys":      {EventSessionStart, "{\"async\":true}\n{\"metrics\":{}}\n", false, "", ""},
		"two answers":                      {EventPre, deny + "}}\n{}", false, "", "more than one answer"},
		"background, then two answers":     {EventPre, "{\"async\":true}\n{}\n{}", false, "", "more than one answer"},
		"not JSON behind the announcement": {EventPre, "{\"async\":true}\nDone.", false, "", "invalid character"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReport(Entry{Name: "h", Protocol: ProtocolClaude, Event: row.event}, row.event, shell.Result{Stdout: []byte(row.stdout)}, nil)
			if r.Blocked != row.want || !strings.Contains(r.Message, row.message) {
				t.Errorf("blocked %v, message %q", r.Blocked, r.Message)
			}
			if (r.Err == nil) != (row.failed == "") || r.Err != nil && !strings.Contains(r.Err.Error(), row.failed) {
				t.Errorf("error %v", r.Err)
			}
		})
	}
}
