package cli

import (
	"strings"

	"github.com/idelchi/aura/internal/conversation/event"
)

const (
	// streamLines is how many lines of a tool that runs are shown.
	streamLines = 1000
	// streamWidth is how much of a line is shown, in runes.
	streamWidth = 240
	// streamRest is how many bytes of a line that has not ended are kept.
	streamRest = 4 << 10
)

// stream is what a tool that still runs has said.
type stream struct {
	shown int
	// rest is a line that has not ended.
	rest string
}

// progress shows what a tool says while it runs: its output line by line, or a remark on what it is at.
func (r *textRenderer) progress(e event.Progress) {
	if e.ID == "" {
		r.tell("  %s: %s", oneLine(e.Tool, resultLimit), oneLine(e.Text, resultLimit))
		return
	}
	if r.streams == nil {
		r.streams = map[string]*stream{}
	}
	s := r.streams[e.ID]
	if s == nil {
		s = &stream{}
		r.streams[e.ID] = s
	}
	text := s.rest + e.Text
	for {
		line, rest, ended := strings.Cut(text, "\n")
		if !ended && len(text) < streamRest {
			break
		}
		r.streamed(s, line)
		text = rest
	}
	s.rest = text
}

func (r *textRenderer) streamed(s *stream, line string) {
	s.shown++
	switch {
	case s.shown <= streamLines:
		r.tell("| %s", oneLine(line, streamWidth))
	case s.shown == streamLines+1:
		r.tell("| ... more lines are not shown")
	}
}

// endStream shows the last line of a call and reports whether anything of it was shown.
func (r *textRenderer) endStream(id string) bool {
	s := r.streams[id]
	if s == nil {
		return false
	}
	if s.rest != "" {
		r.streamed(s, s.rest)
	}
	delete(r.streams, id)
	return true
}
