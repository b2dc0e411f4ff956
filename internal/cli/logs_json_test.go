package cli

import (
	"strings"
	"testing"
)

func TestJSONLines(t *testing.T) {
	t.Parallel()
	const stamp = "2026-11-15T22:41:14.120Z "
	for name, row := range map[string]struct {
		pieces []string
		want   string
	}{
		"a line":           {[]string{stamp + "hi there\n"}, `{"time":"2026-11-15T22:41:14.12Z","text":"hi there"}` + "\n"},
		"in pieces":        {[]string{stamp[:9], stamp[9:] + "h", "i\n"}, `{"time":"2026-11-15T22:41:14.12Z","text":"hi"}` + "\n"},
		"an empty line":    {[]string{stamp + "\n"}, `{"time":"2026-11-15T22:41:14.12Z","text":""}` + "\n"},
		"without a time":   {[]string{"old line\n\n"}, `{"text":"old line"}` + "\n" + `{"text":""}` + "\n"},
		"without an end":   {[]string{stamp + "a\n", "b"}, `{"time":"2026-11-15T22:41:14.12Z","text":"a"}` + "\n" + `{"text":"b"}` + "\n"},
		"without a limit":  {[]string{strings.Repeat("x", longestLine), "y"}, `{"text":"` + strings.Repeat("x", longestLine) + `"}` + "\n" + `{"text":"y"}` + "\n"},
		"nothing whatever": {nil, ""},
	} {
		var out strings.Builder
		lines := &jsonLines{out: &out}
		for _, piece := range row.pieces {
			if _, err := lines.Write([]byte(piece)); err != nil {
				t.Fatal(err)
			}
		}
		if err := lines.end(); err != nil || out.String() != row.want {
			t.Errorf("%s: got %.200q, %v", name, out.String(), err)
		}
	}
}
