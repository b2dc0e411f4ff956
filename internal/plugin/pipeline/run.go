package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Report is what one call of a handler came to.
type Report struct {
	Handler string
	// TookPart is false if the handler returned neither a result nor an error.
	TookPart bool
	// Errs are the failures of the handler, and why its result is dropped. It is empty once the conversation is cancelled, because the
	// cancellation may be their cause.
	Errs []error
}

// Observer receives one report for each call of a handler, in handler order and from the goroutine that runs the point. At a chained point
// it does so before the next handler is called. It may be nil.
type Observer func(Report)

// Has reports whether any handler takes part in a point, so that a caller can avoid creating the input.
func Has(src Source, point hookpoint.Name) bool {
	return src != nil && len(src.Handlers(point)) > 0
}

// Run calls the handlers of a point and folds their results. in is the point's context type by value. Handlers run in parallel,
// except at chained points, where each handler sees the arguments or the text as the previous one left it.
func Run(ctx context.Context, src Source, point hookpoint.Name, in any, report Observer) Outcome {
	return run(ctx, src, point, in, report, nil)
}

func run(ctx context.Context, src Source, point hookpoint.Name, in any, report Observer, prepare func(in any)) Outcome {
	row, ok := hookpoint.Find(point)
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
	report   Observer
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
		if v, ok := r.verdict(ctx, r.handlers[i].Name(), in, a); ok {
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

// verdict reads the answer of a handler, reports the call, and returns whether the verdict is used. original is the input of the first handler.
func (r runner) verdict(ctx context.Context, handler string, original any, a answer) (Verdict, bool) {
	v, used, errs := read(r.point, handler, original, a)
	if r.report != nil {
		report := Report{Handler: handler, TookPart: a.result != nil || a.err != nil}
		if ctx.Err() == nil {
			report.Errs = errs
		}
		r.report(report)
	}
	return v, used
}

// ResultError is a fault in the result of a handler. A handler usually repeats it in every call.
type ResultError struct{ Err error }

func (e *ResultError) Error() string { return e.Err.Error() }

func (e *ResultError) Unwrap() error { return e.Err }

// read returns the verdict in the answer of a handler, whether it is used, and the failures of the handler.
func read(point hookpoint.Point, handler string, original any, a answer) (v Verdict, used bool, errs []error) {
	if a.err != nil {
		errs = append(errs, a.err)
	}
	if a.result == nil {
		return v, false, errs
	}
	v, ok := point.Read(handler, a.result)
	if !ok {
		return v, false, append(errs, &ResultError{fmt.Errorf("reading the result of %s: got %T, want %s", point.Name, a.result, point.Result)})
	}
	bound(v)
	if err := checkRole(v); err != nil {
		errs = append(errs, &ResultError{err})
	}
	if err := point.Accept(original, v); err != nil {
		return v, false, append(errs, &ResultError{fmt.Errorf("dropping the result of %s: %w", point.Name, err)})
	}
	return v, true, errs
}

// checkRole returns an error for a message whose role is unknown. Such a message is added as one of the assistant.
func checkRole(v Verdict) error {
	if v.Message == "" || v.Notice != "" || slices.Contains([]sdk.Role{"", sdk.RoleUser, sdk.RoleAssistant}, v.Role) {
		return nil
	}
	return fmt.Errorf("the role of its message is %q, which is neither %q nor %q; the message is added as one of the assistant", v.Role, sdk.RoleUser, sdk.RoleAssistant)
}
