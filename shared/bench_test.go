package shared

import (
	"fmt"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// BenchmarkHookFrame measures the cost of packing one hook's context, without sending it.
func BenchmarkHookFrame(b *testing.B) {
	for _, n := range []int{10, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var c sdk.Context
			for i := range n {
				c.Turns = append(c.Turns, sdk.Turn{Role: "user", Content: fmt.Sprint(i)})
				c.ToolHistory = append(c.ToolHistory, sdk.ToolCall{Name: "Ls", Args: map[string]any{"path": i}})
			}
			out, in := newSender(), &receiver{}
			for b.Loop() {
				frame, ack, err := out.packHook(HookCall{Point: hookpoint.BeforeChat, Context: sdk.BeforeChatContext{Context: c}})
				if err != nil {
					b.Fatal(err)
				}
				body, err := encode(frame)
				if err != nil {
					b.Fatal(err)
				}
				var got hookFrame
				if err := decode(body, &got); err != nil {
					b.Fatal(err)
				}
				if _, err := in.unpackHook(hookpoint.BeforeChat, got, func(string) bool { return false }); err != nil {
					b.Fatal(err)
				}
				ack(true)
			}
		})
	}
}
