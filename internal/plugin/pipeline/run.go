package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Report receives every failure of a handler, in handler order and from the goroutine that runs the point. It does not receive
// failures caused by the cancellation of the conversation.
type Report func(handler string, err error)

// Has reports whether any handler takes part in a point, so that a caller can avoid creating the input.
func Has(src Source, point hookpoint.Name) bool {
	return src != nil && len(src.Handlers(point)) > 0
}

// Run calls the handlers of a point and folds their results. in is the point's context type by value. Handlers run in parallel,
// except at chained points, where each handler sees the arguments or the text as the previous one left it.
func Run(ctx context.Context, src Source, point hookpoint.Name, in any, report Report) Outcome {
	return run(ctx, src, point, in, report, nil)
}

func run(ctx context.Context, src Source, point hookpoint.Name, in any, report Report, prepare func(in any)) Outcome {
	row, ok := hookpoint.Lookup(point)
	if !ok {
		return Outcome{}
	}
	r := runner{point: row, handlers: handlers(src, row), report: report}
	if row.Chained {
		return Fold(row, r.chain(ctx, in, prepare))
	}
	return Fold(row, r.sideBySide(ctx, in))
}

// handlers returns the handlers of a point in their order.
func handlers(src Source, point hookpoint.Point) []Handler {
	if src == nil {
		return nil
	}
	return Sorted(point.Order, src.Handlers(point.Name))
}

// runner runs a hook point once.
type runner struct {
	point    hookpoint.Point
	handlers []Handler
	report   Report
}

// answer is the return value of one handler.
type answer struct {
	result any
	err    error
}

func (r runner) sideBySide(ctx context.Context, in any) []Verdict {
	answers := make([]answer, len(r.handlers))
	if len(r.handlers) == 1 {
		answers[0] = r.call(ctx, r.handlers[0], in)
	} else {
		var wg sync.WaitGroup
		for i, h := range r.handlers {
			wg.Go(func() { answers[i] = r.call(ctx, h, in) })
		}
		wg.Wait()
	}
	verdicts := make([]Verdict, 0, len(answers))
	for i, a := range answers {
		if v, ok := r.verdict(ctx, r.handlers[i].Name(), a); ok {
			verdicts = append(verdicts, v)
		}
	}
	return verdicts
}

// call calls one handler. A panic in the handler is returned as an error.
func (r runner) call(ctx context.Context, h Handler, in any) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{err: fmt.Errorf("running %s: panic: %v", r.point.Name, p)}
		}
	}()
	a.result, a.err = h.Handle(ctx, r.point.Name, in)
	return a
}

// verdict reports a failure and returns the result, if there is one.
func (r runner) verdict(ctx context.Context, handler string, a answer) (Verdict, bool) {
	r.failed(ctx, handler, a.err)
	if a.result == nil {
		return Verdict{}, false
	}
	if v, ok := r.point.Read(handler, a.result); ok {
		bound(v)
		r.failed(ctx, handler, checkRole(v))
		return v, true
	}
	r.failed(ctx, handler, fmt.Errorf("reading the result of %s: got %T, want %s", r.point.Name, a.result, r.point.Result))
	return Verdict{}, false
}

// checkRole returns an error for a message whose role is unknown. Such a message is added as one of the assistant.
func checkRole(v Verdict) error {
	if v.Message == "" || v.Notice != "" || slices.Contains([]sdk.Role{"", sdk.RoleUser, sdk.RoleAssistant}, v.Role) {
		return nil
	}
	return fmt.Errorf("the role of its message is %q, which is neither %q nor %q; the message is added as one of the assistant", v.Role, sdk.RoleUser, sdk.RoleAssistant)
}

func (r runner) failed(ctx context.Context, handler string, err error) {
	if err != nil && ctx.Err() == nil && r.report != nil {
		r.report(handler, err)
	}
}
