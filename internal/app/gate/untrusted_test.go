package gate

import (
	"errors"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/trust"
)

// TestBrokenFile checks that a broken file of a project is named first, and that no other file is blamed.
func TestBrokenFile(t *testing.T) {
	t.Parallel()
	e := &UntrustedError{
		Dir: "/work", Base: "/work", Fault: errors.New("/work/.aura/config/mcp/x.yaml:1: did not find expected node content"),
		Requests: []trust.Request{
			{Kind: trust.KindUnknown, Name: "x.yaml", File: "/work/.aura/config/mcp/x.yaml"},
			{Kind: trust.KindUnknown, Name: "sound.yaml", File: "/work/.aura/config/providers/sound.yaml"},
		},
	}
	for name, text := range map[string]string{"error": e.Error(), "notice": e.Notice()} {
		first, _, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(first, "a file of /work is broken") || !strings.Contains(first, "mcp/x.yaml:1: did not find") || strings.Contains(text, "sound.yaml") {
			t.Errorf("%s: got %s", name, text)
		}
	}
	if !strings.Contains(e.Error(), "Correct the file, then choose") {
		t.Errorf("got %s", e.Error())
	}
	e.Fault, e.Requests = nil, e.Requests[:1]
	if text := e.Error(); !strings.HasPrefix(text, "/work is not trusted\nIts files ask for more than text:\n  unknown x.yaml") {
		t.Errorf("got %s", text)
	}
}
