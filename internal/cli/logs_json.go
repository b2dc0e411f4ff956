package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
)

// longestLine is the largest part of a log line that becomes one JSON object, in bytes. A longer line is split. A
// log contains at most one line of this length.
const longestLine = 1 << 20

// jsonLines writes the lines of a log as JSON objects. It buffers an incomplete line until the line ends.
type jsonLines struct {
	out  io.Writer
	rest []byte
}

// logLine is a line of a log. Time is missing if the line has no time, as in logs of earlier versions.
type logLine struct {
	Time *time.Time `json:"time,omitempty"`
	Text string     `json:"text"`
}

func (j *jsonLines) Write(p []byte) (int, error) {
	j.rest = append(j.rest, p...)
	for {
		end := bytes.IndexByte(j.rest, '\n')
		if end < 0 && len(j.rest) < longestLine {
			return len(p), nil
		}
		next := end + 1
		if end < 0 {
			end, next = len(j.rest), len(j.rest)
		}
		if err := j.write(string(j.rest[:end])); err != nil {
			return 0, err
		}
		j.rest = append(j.rest[:0], j.rest[next:]...)
	}
}

// end writes the remaining text.
func (j *jsonLines) end() error {
	if len(j.rest) == 0 {
		return nil
	}
	return j.write(string(j.rest))
}

func (j *jsonLines) write(text string) error {
	line := logLine{Text: text}
	if stamp, rest, ok := strings.Cut(text, " "); ok {
		if at, err := time.Parse(host.LogTime, stamp); err == nil {
			line = logLine{Time: &at, Text: rest}
		}
	}
	encoder := json.NewEncoder(j.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(line)
}
