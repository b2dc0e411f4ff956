package guest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/idelchi/aura/shared"
	"github.com/idelchi/aura/shared/frame"
)

func TestFrames(t *testing.T) {
	t.Parallel()
	var stream bytes.Buffer
	long := strings.Repeat("0123456789", 100_000)
	frames := [][]string{{"{}"}, {""}, {long}, {"a", "b"}, {"a", long, "b"}, {long, "a", "b", long}, {}}
	for _, parts := range frames {
		var all [][]byte
		for _, part := range parts {
			all = append(all, []byte(part))
		}
		if err := frame.Write(&stream, all...); err != nil {
			t.Fatal(err)
		}
	}
	for i, parts := range frames {
		// The frames arrive in pieces.
		if text, err := readFrame(iotest.HalfReader(&stream)); err != nil || string(text) != strings.Join(parts, "") {
			t.Errorf("frame %d: got %d bytes, %v", i, len(text), err)
		}
	}
	if _, err := readFrame(&stream); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	for name, tt := range map[string]struct {
		text string
		want error
	}{
		"cut in the length": {"\x00\x00", io.ErrUnexpectedEOF},
		"cut in the frame":  {"\x00\x00\x00\x05{}", io.ErrUnexpectedEOF},
		"too large":         {"\x04\x00\x00\x01", errTooLarge},
	} {
		if _, err := readFrame(strings.NewReader(tt.text)); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
	}
	if err := writeFrame(io.Discard, make([]byte, shared.MaxMessage+1)); !errors.Is(err, errTooLarge) {
		t.Errorf("writing too much: %v", err)
	}
}

// FuzzRun checks that nothing that a guest sends makes the host panic.
func FuzzRun(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"result":null}`, `{"id":1,"failure":{"kind":"x","message":"y"}}`, `{"id":1,"ask":"emit","event":"a:b","payload":{"$data":"AQ=="}}`,
		`{"id":2,"ask":"state","op":"set","scope":"session","key":"k","value":"v"}`, `{"ask":"listen"}`, `[]`, `{"id":-1}`,
	} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, alone bool) {
		var stream bytes.Buffer
		if writeFrame(&stream, text) != nil {
			return
		}
		stream.Write(text)
		o := Options{Services: newServices()}
		if alone {
			o.Services = nil
		}
		if err := New(io.Discard, o).Run(&stream); err == nil {
			t.Error("the stream has no end")
		}
	})
}

// FuzzExports checks that no result of load makes the host panic.
func FuzzExports(f *testing.F) {
	f.Add([]byte(`{"hooks":["SessionStart"],"tools":[{"name":"t","parameters":{"type":"object"},"timeout_s":1e300}],"commands":[{"name":"c"}]}`))
	f.Fuzz(func(_ *testing.T, text []byte) { _, _, _ = readExports("x", text) })
}
