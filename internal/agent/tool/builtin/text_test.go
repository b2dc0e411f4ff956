package builtin

import (
	"errors"
	"testing"
)

var errFull = errors.New("the disk is full")

// disk is a file in memory that cannot grow beyond room bytes. Like a real disk, it is filled up before a write fails.
type disk struct {
	text string
	room int
}

func (d *disk) WriteAt(content []byte, offset int64) (int, error) {
	n := min(len(content), d.room-int(offset))
	after := d.text[min(len(d.text), int(offset)+n):]
	d.text = d.text[:offset] + string(content[:n]) + after
	if n < len(content) {
		return n, errFull
	}
	return n, nil
}

func (d *disk) Truncate(size int64) error {
	d.text = d.text[:size]
	return nil
}

func TestRefill(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, old, content string
		room               int
		want               string
		err                error
	}{
		{name: "longer", old: "abc", content: "uvwxyz", room: 9, want: "uvwxyz"},
		{name: "shorter", old: "abcdef", content: "xy", room: 9, want: "xy"},
		{name: "as long", old: "abc", content: "xyz", room: 3, want: "xyz"},
		{name: "empty", old: "abc", content: "", room: 3, want: ""},
		{name: "new", old: "", content: "abc", room: 3, want: "abc"},
		{name: "no room", old: "abc", content: "uvwxyz", room: 3, want: "abc", err: errFull},
		{name: "not enough room", old: "abc", content: "uvwxyz", room: 5, want: "abc", err: errFull},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := &disk{text: test.old, room: test.room}
			if err := refill(d, int64(len(test.old)), test.content); !errors.Is(err, test.err) {
				t.Errorf("the error is %v", err)
			}
			if d.text != test.want {
				t.Errorf("the file holds %q, want %q", d.text, test.want)
			}
		})
	}
}
