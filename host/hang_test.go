package host

import "testing"

// TestHangPlaces separates the report about a hang from what the plugin printed before.
func TestHangPlaces(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ text, printed, places string }{
		"nothing":          {"", "", ""},
		"no report":        {"a\nb\n", "a\nb", ""},
		"only a report":    {"hang: p.f, main.go:3 (sleep)\n", "", "p.f, main.go:3 (sleep)"},
		"both":             {"going to bed\nhang: p.f, main.go:3 (sleep)\nhang: p.g, main.go:9 (select)\n", "going to bed", "p.f, main.go:3 (sleep); p.g, main.go:9 (select)"},
		"not the last":     {"hang: p.f, main.go:3 (sleep)\nwoke up\n", "hang: p.f, main.go:3 (sleep)\nwoke up", ""},
		"an unended line":  {"going\nhang: p.f, main.go:3 (sleep)", "going", "p.f, main.go:3 (sleep)"},
		"too many of them": {"hang: 1\nhang: 2\nhang: 3\nhang: 4\nhang: 5\nhang: 6\nhang: 7\nhang: 8\nhang: 9\nhang: 10\nhang: 11\n", "", "1; 2; 3"},
	} {
		if printed, places := hangPlaces(row.text); printed != row.printed || places != row.places {
			t.Errorf("%s: got %q and %q", name, printed, places)
		}
	}
}
