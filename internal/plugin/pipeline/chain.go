package pipeline

import (
	"context"
	"fmt"
)

// chain calls the handlers one after the other. Each handler receives the input as the previous one left it. A handler that
// fails leaves the input unchanged, unless the point is all or nothing; then chain returns no verdicts. prepare, if not nil, is
// called with each new input before the next handler receives it.
func (r runner) chain(ctx context.Context, in any, prepare func(in any)) []Verdict {
	original := in
	verdicts := make([]Verdict, 0, len(r.handlers))
	for _, h := range r.handlers {
		if isExtension(h) && Fold(r.point, verdicts).Block != nil {
			continue
		}
		a := r.call(ctx, h, r.point.Copy(in))
		if r.point.AllOrNothing && a.err != nil {
			a.result = nil
		}
		v, ok := r.verdict(ctx, h.Name(), a)
		if ok {
			ok = r.accepts(ctx, original, v)
		}
		if !ok {
			if r.point.AllOrNothing && (a.err != nil || a.result != nil) {
				return nil
			}
			continue
		}
		in, v = r.point.Next(in, v)
		if prepare != nil {
			prepare(in)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// accepts reports whether a verdict is used. If the verdict is dropped, accepts passes the reason to r.report.
func (r runner) accepts(ctx context.Context, original any, v Verdict) bool {
	err := r.point.Accept(original, v)
	if err == nil {
		return true
	}
	r.failed(ctx, v.Handler, fmt.Errorf("dropping the result of %s: %w", r.point.Name, err))
	return false
}
