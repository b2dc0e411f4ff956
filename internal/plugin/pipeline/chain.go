package pipeline

import "context"

// chain calls the handlers one after the other. Each handler receives the input as the previous one left it. A handler that
// fails leaves the input unchanged, unless the point is all or nothing; then chain returns no verdicts. prepare, if not nil, is
// called with each new input before the next handler receives it.
func (r runner) chain(ctx context.Context, in any, prepare func(in any)) []Verdict {
	original := in
	verdicts := make([]Verdict, 0, len(r.handlers))
	for _, h := range r.handlers {
		if (r.point.UntilBlocked || isExtension(h)) && Fold(r.point, verdicts).Block != nil {
			continue
		}
		a := r.call(ctx, h, r.point.Copy(in))
		if r.point.AllOrNothing && a.err != nil {
			a.result = nil
		}
		v, used := r.verdict(ctx, h.Name(), original, a)
		if !used {
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
