package hookpoint

// Read returns the verdict of a handler. It is false if the result is not of the point's type.
func (p Point) Read(handler string, result any) (Verdict, bool) { return p.read(handler, result) }

// Copy returns the input for one handler, which may change it without the others seeing it.
func (p Point) Copy(in any) any { return p.copy(in) }

// Accept returns why a verdict cannot be used, or nil. The input is that of the first handler.
func (p Point) Accept(original any, v Verdict) error { return p.accept(original, v) }

// Next returns the input for the next handler of a chained point, and the verdict with whether that differs from the last one.
func (p Point) Next(in any, v Verdict) (any, Verdict) { return p.next(in, v) }

// Fold adds what is special about a verdict at this point to the outcome.
func (p Point) Fold(out *Outcome, v Verdict) { p.fold(out, v) }

// CanBlock reports whether a plugin with on_failure: closed blocks at this point when it fails.
func (p Point) CanBlock() bool { return p.block != nil }

// Blocked returns the result that blocks at a point that can.
func (p Point) Blocked(reason string) any { return p.block(reason) }

// NewestResult returns the text within the input, given as a pointer to the context type, that the newest call of the tool history
// usually has as its result. It returns nil at points that have no such text.
func (p Point) NewestResult(in any) *string {
	if p.newest == nil {
		return nil
	}
	return p.newest(in)
}
