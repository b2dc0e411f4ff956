package transport

import (
	"bytes"

	"github.com/idelchi/aura/internal/base/limit"
)

// meter counts the bytes of an answer after decompression.
type meter struct {
	// most is the limit of bytes in the answer. event is the limit of bytes in one event; it is 0 if the answer is not a
	// stream.
	most, event int

	total, sinceBlank int
	// text is set if the current line is not empty.
	text bool
}

// count adds a piece. It returns a description of the exceeded limit, or "".
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
