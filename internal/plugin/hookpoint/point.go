package hookpoint

// Read returns the verdict of a handler, or false if the result is not of the point's type.
func (p Point) Read(handler string, result any) (Verdict, bool) { return p.read(handler, result) }

// Copy returns the input for one handler. The handler may change it without affecting the other handlers.
func (p Point) Copy(in any) any { return p.copy(in) }

// Accept returns why a verdict cannot be used, or nil. original is the input of the first handler.
func (p Point) Accept(original any, v Verdict) error { return p.accept(original, v) }

// Next returns the input for the next handler of a chained point, and the verdict with Changed set.
func (p Point) Next(in any, v Verdict) (any, Verdict) { return p.next(in, v) }

// Fold adds the point-specific part of a verdict to the outcome.
func (p Point) Fold(out *Outcome, v Verdict) { p.fold(out, v) }

// Merge returns a waiting input with a later one added, and whether there was room for all of it.
func (p Point) Merge(waiting, later any) (any, bool) { return p.merge(waiting, later) }

// CanBlock reports whether a plugin with on_failure: closed blocks at this point when it fails.
func (p Point) CanBlock() bool { return p.block != nil }

// Blocked returns the result that blocks. The point must be able to block.
func (p Point) Blocked(reason string) any { return p.block(reason) }

// NewestResult returns the text within the input that usually equals the result of the newest call in the tool history. in is a
// pointer to the context type. NewestResult returns nil at points without such a text.
func (p Point) NewestResult(in any) *string {
	if p.newest == nil {
		return nil
	}
	return p.newest(in)
}
