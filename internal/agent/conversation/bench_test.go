package conversation_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// forgetful is a provider that answers without recording its requests.
type forgetful struct{ calls int }

func (*forgetful) Model(context.Context, string) (llm.Model, error) {
	return llm.Model{Name: "m", ContextLength: 1 << 30}, nil
}

func (f *forgetful) Chat(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
	f.calls++
	if f.calls%2 == 1 {
		return calls("looking at the file", `Read {"path":"some/where/in/the/project.go"}`)(ctx, req, delta)
	}
	return text("That is what it says.")(ctx, req, delta)
}

// BenchmarkTurn measures turns with plugins at every point, starting at the 10th and at the 1000th turn of a session.
func BenchmarkTurn(b *testing.B) {
	registry, err := tool.NewRegistry(echo("Read"))
	if err != nil {
		b.Fatal(err)
	}
	const interactions = 20
	for _, turns := range []int{10, 1000} {
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				c, err := conversation.New(b.Context(), conversation.Config{
					Persona: conversation.Persona{Provider: &forgetful{}, Tools: registry, Compaction: &conversation.Compaction{Threshold: 80}},
					Hooks:   both(on(hookpoint.BeforeChat, sdk.Result{}), on(hookpoint.AfterResponse, sdk.Result{}), on(hookpoint.AfterToolExecution, sdk.Result{})),
				})
				if err != nil {
					b.Fatal(err)
				}
				send := func() {
					if err := c.Send(b.Context(), "please look at this file and tell me what it says"); err != nil {
						b.Fatal(err)
					}
				}
				for c.Stats().Turns < turns {
					send()
				}
				runtime.GC()
				b.StartTimer()
				for range interactions {
					send()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*interactions*2), "µs/turn")
		})
	}
}
