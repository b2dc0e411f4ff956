//go:build linux

package screen

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomKeys returns keys that would answer a question: its letters and numbers, Enter and Escape.
func randomKeys(random *rand.Rand, count int) string {
	var out strings.Builder
	for range count {
		switch random.IntN(30) {
		case 0:
			out.WriteString(escape)
		case 1, 2:
			out.WriteString(enter)
		default:
			out.WriteByte("ysanr12345"[random.IntN(10)])
		}
	}
	return out.String()
}

const (
	typedKeys = 10_000
	// bursts is how often the keys pause, for a deliberate answer.
	bursts = 10
)

// asking returns turns in each of which a tool call needs an approval.
func asking(turns int) string {
	var out strings.Builder
	for n := range turns {
		fmt.Fprintf(&out, "  - tool_calls: [{name: Bash, arguments: {command: touch made-%d}}]\n", n)
	}
	return out.String() + "  - text: That is all.\n"
}

// TestInteractiveTypedAhead types 10,000 random keys without pauses while aura asks whether tool calls may run. None of them decides a
// question. The keys after them do.
func TestInteractiveTypedAhead(t *testing.T) {
	t.Parallel()
	for _, screens := range []struct {
		name string
		args []string
		// started matches the screen when keys are read. ready matches it when a question can be answered.
		started, ready string
		no             string
		answer         string
	}{
		{"screen", []string{"Go"}, `─`, armed, "n", "→ no"},
		{"plain", []string{"--plain", "Go"}, ``, `Answer 1-5:$`, "4\n", "said no"},
	} {
		t.Run(screens.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // the keys need no secrecy
			p := newStory(t, asking(3000))
			s := interactive(p, screens.args...)
			s.shows(screens.started)
			for range bursts {
				s.send(randomKeys(random, typedKeys/bursts))
				// An interrupted turn waits for the next prompt.
				s.send("x" + enter)
				s.shows(screens.ready)
				before := bytes.Count(s.received(), []byte(screens.answer))
				s.send(screens.no)
				s.Until("the answer", func() bool { return bytes.Count(s.received(), []byte(screens.answer)) > before })
			}
			s.quit()
			for n := range 3000 {
				if p.Read(fmt.Sprintf("made-%d", n)) != nil {
					t.Fatalf("call %d ran", n)
				}
			}
			if asked := bytes.Count(s.received(), []byte("touch made-")); asked < 2*bursts {
				t.Errorf("aura asked only %d times", asked)
			}
			p.NoTrace()
		})
	}
}
