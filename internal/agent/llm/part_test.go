package llm_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
)

func TestPartTokens(t *testing.T) {
	t.Parallel()
	const page = "<< /Type /Page /Parent 1 0 R >>\n"
	for name, row := range map[string]struct {
		part llm.Part
		want int
	}{
		"an image":         {llm.Part{Type: "image/png", Data: make([]byte, 1<<20)}, 1600},
		"two pages":        {pdf("<< /Type /Pages /Count 2 >>" + page + "<</Type/Page>>"), 6000},
		"at the end":       {pdf("/Type/Page"), 3000},
		"cut off":          {pdf("/Type"), 3000},
		"compressed":       {pdf(strings.Repeat("x", 10*64<<10)), 30_000},
		"nothing":          {pdf(""), 3000},
		"too many to read": {pdf(strings.Repeat(page, 5000)), 3_000_000},
		"compressed audio": {llm.Part{Type: files.MP3, Data: make([]byte, 59*8000)}, 60 * 32},
		"no audio":         {llm.Part{Type: files.OGG}, 32},
		"WAV of a CD":      {wav(176_400, 59*176_400), 60 * 32},
		"WAV that lies":    {wav(1, 59*8000), 60 * 32},
		"WAV without rate": {llm.Part{Type: files.WAV, Data: []byte("RIFF\x00\x00\x00\x00WAVEfmt ")}, 32},
	} {
		if got := row.part.Tokens(); got != row.want {
			t.Errorf("%s: got %d, want %d", name, got, row.want)
		}
	}
}

// wav returns a WAV file of size bytes that states a rate.
func wav(rate uint32, size int) llm.Part {
	data := make([]byte, size)
	copy(data, "RIFF\x00\x00\x00\x00WAVEfmt ")
	binary.LittleEndian.PutUint32(data[28:], rate)
	return llm.Part{Type: files.WAV, Data: data}
}

func pdf(content string) llm.Part {
	return llm.Part{Type: "application/pdf", Data: []byte(content)}
}

func FuzzPartTokens(f *testing.F) {
	f.Add([]byte("/Type /Page /Type\n/Pages"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n := (llm.Part{Type: "application/pdf", Data: data}).Tokens(); n < 1 || n > 3_000_000 {
			t.Errorf("%d tokens", n)
		}
	})
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		capabilities, carried []string
		refused               string
	}{
		"nothing is known":   {nil, []string{files.WAV}, files.MP3},
		"no audio":           {nil, nil, files.WAV + " " + files.MP3},
		"none":               {[]string{"tools"}, []string{files.WAV}, "image/png application/pdf audio/wav audio/mpeg"},
		"images":             {[]string{"tools", "vision"}, nil, "application/pdf audio/wav audio/mpeg"},
		"two":                {[]string{"files", "vision"}, []string{files.WAV}, "audio/wav audio/mpeg"},
		"all":                {[]string{"files", "vision", "audio"}, []string{files.MP3, files.WAV}, ""},
		"not by the service": {[]string{"audio"}, nil, "image/png application/pdf audio/wav audio/mpeg"},
	} {
		m := llm.Model{Capabilities: row.capabilities, Audio: row.carried}
		var refused []string
		for _, mediaType := range []string{"image/png", files.PDF, files.WAV, files.MP3} {
			if m.Refuses(mediaType) {
				refused = append(refused, mediaType)
			}
		}
		if got := strings.Join(refused, " "); got != row.refused {
			t.Errorf("%s: refused are %q, want %q", name, got, row.refused)
		}
	}
}
