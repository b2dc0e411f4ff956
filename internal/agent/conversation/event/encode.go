package event

import (
	"fmt"
	"time"
)

// Version is the version of the events. It increases when a field or an event is removed or changes its meaning. New fields and
// new events do not increase it.
const Version = 1

// TimeFormat is RFC 3339 with milliseconds. Times are in UTC.
const TimeFormat = "2006-01-02T15:04:05.000Z07:00"

// Stamp holds the fields that every line has in addition to its event.
type Stamp struct {
	Version int `json:"v"`
	// Seq counts the lines of a run from 1.
	Seq int `json:"seq"`
	// Time is when the line was created.
	Time time.Time `json:"time"`
}

// Encoder creates the lines of one run and numbers them without gaps. The caller must write each line before it requests the
// next.
type Encoder struct {
	seq int
}

// Next returns an event as the next line of the run, without a line ending. An event that cannot be encoded uses no number.
func (n *Encoder) Next(e Event) ([]byte, error) {
	line, err := Encode(e, Stamp{Version: Version, Seq: n.seq + 1, Time: time.Now()})
	if err == nil {
		n.seq++
	}
	return line, err
}

// Encode returns an event as a JSON object on one line, without a line ending. The first field is the type, followed by the
// stamp.
func Encode(e Event, s Stamp) ([]byte, error) {
	body, err := JSON(e)
	if err != nil {
		return nil, fmt.Errorf("encoding event %s: %w", e.Type(), err)
	}
	out := fmt.Appendf(nil, `{"type":%q,"v":%d,"seq":%d,"time":%q`, e.Type(), s.Version, s.Seq, s.Time.UTC().Format(TimeFormat))
	if len(body) > len(`{}`) {
		out = append(out, ',')
	}
	return append(out, body[1:]...), nil
}
