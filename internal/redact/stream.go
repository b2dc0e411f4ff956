package redact

import "sync/atomic"

// Stream redacts text that comes in pieces, where a secret may begin in one piece and end in another. It belongs to one
// goroutine.
type Stream struct {
	// from is asked at each piece, since secrets may become known while a text streams in.
	from func() *Redactor
	rest string
}

// Stream begins a text.
func (r *Redactor) Stream() *Stream { return &Stream{from: func() *Redactor { return r }} }

// Current is the Redactor in force, which is another one after a reload. Goroutines may share it. A nil Current has none.
type Current struct{ now atomic.Pointer[Redactor] }

// Set puts a Redactor, which may be nil, in force.
func (c *Current) Set(r *Redactor) { c.now.Store(r) }

// Get returns the Redactor in force.
func (c *Current) Get() *Redactor {
	if c == nil {
		return nil
	}
	return c.now.Load()
}

// Stream begins a text.
func (c *Current) Stream() *Stream { return &Stream{from: c.Get} }

// Next returns what is certain of the text so far. What may be the beginning of a secret is held back.
func (s *Stream) Next(piece string) string {
	r := s.from()
	if r == nil {
		piece, s.rest = s.rest+piece, ""
		return piece
	}
	out, rest := r.scan(s.rest+piece, false)
	s.rest = rest
	return out
}

// End returns what was held back. The Stream can be used for another text.
func (s *Stream) End() string {
	rest := s.rest
	s.rest = ""
	return s.from().String(rest)
}
