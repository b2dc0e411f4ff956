package llm_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

func TestPartTokens(t *testing.T) {
	t.Parallel()
	const page = "<< /Type /Page /Parent 1 0 R >>\n"
	for name, row := range map[string]struct {
		part llm.Part
		want int
	}{
		"an image":         {llm.Part{Type: "image/png", Data: make([]byte, 1<<20)}, 1600},
		"two pages":        {pdf("<< /Type /Pages /Count 2 >>" + page + "<</Type/Page>>"), 6000},
		"at the end":       {pdf("/Type/Page"), 3000},
		"cut off":          {pdf("/Type"), 3000},
		"compressed":       {pdf(strings.Repeat("x", 10*64<<10)), 30_000},
		"nothing":          {pdf(""), 3000},
		"too many to read": {pdf(strings.Repeat(page, 5000)), 3_000_000},
	} {
		if got := row.part.Tokens(); got != row.want {
			t.Errorf("%s: got %d, want %d", name, got, row.want)
		}
	}
}

func pdf(content string) llm.Part {
	return llm.Part{Type: "application/pdf", Data: []byte(content)}
}

func FuzzPartTokens(f *testing.F) {
	f.Add([]byte("/Type /Page /Type\n/Pages"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n := (llm.Part{Type: "application/pdf", Data: data}).Tokens(); n < 1 || n > 3_000_000 {
			t.Errorf("%d tokens", n)
		}
	})
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		capabilities []string
		image, pdf   bool
	}{
		"nothing is known": {nil, false, false},
		"neither":          {[]string{"tools"}, true, true},
		"images":           {[]string{"tools", "vision"}, false, true},
		"both":             {[]string{"files", "vision"}, false, false},
	} {
		m := llm.Model{Capabilities: row.capabilities}
		if image, pdf := m.Refuses("image/png"), m.Refuses("application/pdf"); image != row.image || pdf != row.pdf {
			t.Errorf("%s: images are refused: %v, PDF files: %v", name, image, pdf)
		}
	}
}
