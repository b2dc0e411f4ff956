package tool

import "fmt"

// TakesFiles reports whether a media file that the call reads reaches anybody.
func (c Call) TakesFiles() bool { return c.File != nil || c.Attach != nil }

// Give passes a media file with its content to File or else to Attach, and returns the text of the result, which says what became of it.
func (c Call) Give(f File) string {
	what := fmt.Sprintf("%s, %d bytes", f.Type, len(f.Data))
	if c.File != nil {
		c.File(f)
		return what
	}
	shownAs, err := c.Attach(f.Name, f.Data)
	if err != nil {
		return fmt.Sprintf("[%s: not shown, because %v]", what, err)
	}
	return fmt.Sprintf("[%s: shown as %s]", what, shownAs)
}
