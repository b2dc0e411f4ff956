package conversation

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/tokens"
	"github.com/idelchi/aura/internal/agent/tool"
)

// short cuts the text of a tool result to the configured limit.
func (x *executor) short(content string) string {
	limit := x.personas.resultTokens()
	if limit <= 0 {
		return content
	}
	kept, left := tokens.Clip(content, limit)
	if left == 0 {
		return content
	}
	if from, to, ok := tool.FindLeftOutNote(content); ok && len(kept) < to {
		kept, left = clipBefore(content[:from], content[from:to], limit)
		left += tokens.Estimate(content[to:])
	}
	return fmt.Sprintf("%s\n\n[%d more tokens are left out; ask for less at a time]", kept, left)
}

// shortStart cuts the beginning of a text, so that at most limit tokens are left. 0 means no limit.
func shortStart(text string, limit int) string {
	kept := text
	for limit > 0 {
		all := tokens.Estimate(kept)
		if all <= limit {
			break
		}
		kept = kept[len(kept)-len(kept)*limit/all:]
		if _, rest, ok := strings.Cut(kept, "\n"); ok && rest != "" {
			kept = rest
		}
	}
	if len(kept) == len(text) {
		return text
	}
	return fmt.Sprintf("[%d bytes before this are left out]\n%s", len(text)-len(kept), strings.ToValidUTF8(kept, ""))
}

// clipBefore cuts the text before a note, so that both together have at most limit tokens. It never cuts the note, which names the
// file with the full output. left is the number of omitted tokens.
func clipBefore(text, note string, limit int) (kept string, left int) {
	kept, left = tokens.Clip(text, limit-tokens.Estimate(note))
	if kept != "" && !strings.HasSuffix(kept, "\n") {
		kept += "\n"
	}
	return kept + note, left
}

// resultText returns the result that a model receives for a call.
func resultText(output, failure string) string {
	switch {
	case failure == "":
		return output
	case output == "":
		return errorMark + failure
	default:
		return joined(output, errorMark+failure)
	}
}
