package cli

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/host"
)

// TestControlled checks which plugins a command line means.
func TestControlled(t *testing.T) {
	t.Parallel()
	var running []host.Status
	for _, row := range [][]string{{"01a", "/a", "pad"}, {"01a", "/a", "guard"}, {"01ab", "/a", "pad"}, {"02c", "/b", "pad"}, {"02c", "/b", "own"}, {"", "/c", "pad"}} {
		s := host.Status{Project: row[1]}
		s.Session, s.Name = row[0], row[2]
		running = append(running, s)
	}
	for name, tt := range map[string]struct {
		running               []host.Status
		plugin, session, want string
	}{
		"every session of the project": {running, "pad", "", "01a/pad 01ab/pad"},
		"one of them":                  {running, "guard", "", "01a/guard"},
		"whole id":                     {running, "pad", "01a", "01a/pad"},
		"beginning of an id":           {running, "pad", "02", "02c/pad"},
		"several sessions":             {running, "pad", "0", "--session 0: several sessions begin with it; running sessions: 01a, 01ab, 02c"},
		"no such session":              {running, "pad", "03c", `--session 03c: it is not running; running sessions: 01a, 01ab, 02c; did you mean "02c"?`},
		"elsewhere":                    {running, "own", "", "a session of this project does not run it; use --session for: 02c (/b)"},
		"not in the session":           {running, "own", "01ab", "session 01ab does not run it; use --session for: 02c (/b)"},
		"typo":                         {running, "guarde", "", `no session runs it; running plugins: guard, own, pad; did you mean "guard"?`},
		"nothing runs":                 {nil, "pad", "", noPlugins},
	} {
		chosen, err := (&controlOptions{session: tt.session}).choose(tt.running, tt.plugin, "/a")
		var got []string
		for _, s := range chosen {
			got = append(got, s.Session+"/"+s.Name)
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
