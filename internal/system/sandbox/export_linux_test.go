package sandbox

// TakesConfined waits until the processes for the next calls are ready. It reports whether a call would get one that is confined, and ends it.
func (s *Spares) TakesConfined(c Command) bool {
	s.starting.Wait()
	p := s.take(c)
	if p == nil {
		return false
	}
	defer p.finish()
	return p.report != nil
}

// Settle waits until the processes for the next calls are ready.
func (s *Spares) Settle() { s.starting.Wait() }
