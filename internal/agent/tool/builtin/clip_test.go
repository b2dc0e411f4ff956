package builtin

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/limit"
)

// TestClipIsFlat writes much more than the limits, in pieces of several sizes.
func TestClipIsFlat(t *testing.T) {
	t.Parallel()
	for _, size := range []int{7, 100, 1 << 10, 100 << 10} {
		dir := t.TempDir()
		c := newClip(Truncation{MaxOutputBytes: 4 << 10, MaxLines: 50, HeadLines: 20, TailLines: 10}, dir)
		const total = 2 << 20
		text := bytes.Repeat([]byte("0123456\n"), total/8)
		for rest := text; len(rest) > 0; {
			n := min(size, len(rest))
			_, _ = c.Write(rest[:n])
			rest = rest[n:]
			if kept := cap(c.head) + cap(c.tail); kept > 16<<10 {
				t.Fatalf("%d bytes are kept after writes of %d", kept, size)
			}
		}
		got := c.String()
		if want := strings.Repeat("0123456\n", 20) + "[... 262114 lines (2096912 bytes) left out; "; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " ...]\n"+strings.Repeat("0123456\n", 10)) {
			t.Errorf("writes of %d: got %q", size, got)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(files) != 1 {
			t.Fatalf("files: %q", files)
		}
		if full, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(full, text) {
			t.Errorf("writes of %d: the file has %d bytes, %v", size, len(full), err)
		}
	}
}

func TestStreamTearsNothingApart(t *testing.T) {
	t.Parallel()
	const text = "aé€😀z\xff\xf0\x9f"
	for size := 1; size <= len(text); size++ {
		var shown, kept strings.Builder
		s := &stream{to: &kept, show: func(part string) {
			if strings.ToValidUTF8(part, "") != part {
				t.Errorf("pieces of %d: %q was shown", size, part)
			}
			shown.WriteString(part)
		}}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			_, _ = s.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		s.flush()
		if !strings.HasPrefix(shown.String(), "aé€😀z\uFFFD") || kept.String() != text {
			t.Errorf("pieces of %d: %q was shown of %q", size, shown.String(), kept.String())
		}
	}
}

func TestTruncationWithin(t *testing.T) {
	t.Parallel()
	tests := []struct{ bytes, tokens, want int }{
		{bytes: 1 << 20, tokens: 0, want: 1 << 20},
		{bytes: 1 << 20, tokens: 20_000, want: 29_850},
		{bytes: 0, tokens: 20_000, want: 29_850},
		{bytes: 500, tokens: 20_000, want: 500},
		{bytes: 1 << 20, tokens: 100, want: 100},
		{bytes: 0, tokens: 0, want: 0},
	}
	for _, tt := range tests {
		bounds := Truncation{MaxOutputBytes: tt.bytes, MaxLines: 7, HeadLines: 3, TailLines: 2}
		want := bounds
		want.MaxOutputBytes = tt.want
		if got := bounds.Within(tt.tokens); got != want {
			t.Errorf("%d bytes within %d tokens: got %+v", tt.bytes, tt.tokens, got)
		}
	}
}

// TestSpillIsBounded writes more than the limit of the file.
func TestSpillIsBounded(t *testing.T) {
	t.Parallel()
	s := spill{dir: t.TempDir()}
	piece := bytes.Repeat([]byte("x"), 10<<20)
	for range limit.Spill/len(piece) + 2 {
		s.write(piece)
	}
	info, err := os.Stat(s.file.Name())
	if err != nil || info.Size() != limit.Spill {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	if got, want := s.close(), "the first 64 MiB of it are in "+s.file.Name()+", and no more is kept"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
