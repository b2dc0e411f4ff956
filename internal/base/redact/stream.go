package redact

import "sync/atomic"

// Stream redacts text that arrives in pieces, where a secret may begin in one piece and end in another. Only one goroutine may
// use it.
type Stream struct {
	// from is called for each piece, because secrets may become known while a text arrives.
	from func() *Redactor
	rest string
}

// Stream returns a Stream for a new text.
func (r *Redactor) Stream() *Stream { return &Stream{from: func() *Redactor { return r }} }

// Current holds the current Redactor, which a reload replaces. Goroutines may share it. A nil Current has no Redactor.
type Current struct{ now atomic.Pointer[Redactor] }

// Set replaces the current Redactor. r may be nil.
func (c *Current) Set(r *Redactor) { c.now.Store(r) }

// Get returns the current Redactor.
func (c *Current) Get() *Redactor {
	if c == nil {
		return nil
	}
	return c.now.Load()
}

// Error redacts an error with the Redactor that is current when Error is called, so after the work that failed.
func (c *Current) Error(err error) error { return c.Get().Error(err) }

// JSON redacts a document with the current Redactor. As a function value, it stays valid when the Redactor is replaced.
func (c *Current) JSON(document []byte) []byte { return c.Get().JSON(document) }

// Stream returns a Stream for a new text, which uses the Redactor that is current at each piece.
func (c *Current) Stream() *Stream { return &Stream{from: c.Get} }

// Next adds a piece and returns the redacted text so far. It holds back text that may be the beginning of a secret.
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

// End returns the text that was held back. The Stream can then be used for another text.
func (s *Stream) End() string {
	rest := s.rest
	s.rest = ""
	return s.from().String(rest)
}
