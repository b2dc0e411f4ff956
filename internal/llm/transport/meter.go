package transport

import (
	"bytes"

	"github.com/idelchi/aura/internal/limit"
)

// meter counts the bytes of an answer as they are after decompression.
type meter struct {
	// most is how many bytes the answer may have, and event how many one event in it; 0 is an answer without events.
	most, event int

	total, sinceBlank int
	// text is set if the present line holds anything.
	text bool
}

// count takes in a piece and says which limit it exceeds, if any.
func (m *meter) count(piece []byte) string {
	m.total += len(piece)
	if m.total > m.most {
		return limit.Size(m.most)
	}
	if m.event == 0 {
		return ""
	}
	for len(piece) > 0 {
		end := bytes.IndexByte(piece, '\n')
		line := piece
		if end >= 0 {
			line = piece[:end]
		}
		m.sinceBlank += len(line)
		m.text = m.text || len(bytes.TrimSuffix(line, []byte("\r"))) > 0
		if m.sinceBlank > m.event {
			return limit.Size(m.event) + " in one event"
		}
		if end < 0 {
			return ""
		}
		if !m.text {
			m.sinceBlank = 0
		}
		m.text = false
		piece = piece[end+1:]
	}
	return ""
}
