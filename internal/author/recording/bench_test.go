package recording

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// BenchmarkCall measures recording one call late in a conversation.
func BenchmarkCall(b *testing.B) {
	w, err := Create(filepath.Join(b.TempDir(), "s"+Ext), Run{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	w.limit = math.MaxInt64
	c := sdk.Context{Workdir: "/w", AvailableTools: []string{"Bash", "Read", "Write", "Edit", "Ls", "Glob", "Grep"}}
	for range 200 {
		c.Turns = append(c.Turns, sdk.Turn{Role: "user", Content: "A prompt of some words."})
	}
	call := host.Call{Plugin: "p", Point: "BeforeChat", Request: shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{Context: c}}, Out: sdk.Result{Message: "m"}}
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Call(1, call, false); err != nil {
			b.Fatal(err)
		}
	}
}
