package main

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/shared"
)

// once loads the plugin and runs its tool for one call. It returns only if an answer could not be written: aura kills the
// process when it has read the last answer.
func (p *plugin) once(spec shared.LaunchSpec, call shared.OnceCall, link *shared.OnceLink) error {
	if p.confine(spec) {
		p.load()
	}
	_, failure := p.wait(context.Background())
	if err := answer(link, "", failure); err != nil {
		return err
	}
	if failure == nil {
		ctx, cancel := context.WithTimeout(context.Background(), call.Timeout)
		defer cancel()
		out, err := p.Execute(ctx, shared.ToolCall{Tool: call.Tool, Context: call.Context, Args: call.Args, Env: call.Env})
		if err := answer(link, out, err); err != nil {
			return err
		}
	}
	select {}
}

func answer(link *shared.OnceLink, out string, err error) error {
	if err := link.Answer(shared.AnswerOf(out, err)); err != nil {
		return fmt.Errorf("answering a call: %w", err)
	}
	return nil
}
