package explain

import (
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/plugin/pipeline"
)

func facts() []session.Fact {
	return []session.Fact{
		{Turn: 1, Kind: session.FactCall, Plugin: "a", Point: "BeforeChat", Took: 1500 * time.Microsecond, Changes: []session.Change{{Field: "request.append_system", After: "x\ny"}}},
		{Turn: 1, Kind: session.FactTurn},
		{Turn: 1, Kind: session.FactCall, Plugin: "b", Point: "StreamChunk", Calls: 7, Took: time.Second},
		{Turn: 2, Kind: session.FactCall, Plugin: "b", Point: "SessionEnd", Took: 5 * time.Microsecond, Waited: time.Second},
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	turns, err := Turns(facts(), Filter{})
	if err != nil {
		t.Fatal(err)
	}
	want := `turn 1
  a added to the system prompt at BeforeChat in 1.5ms
      + x
      + y
  7 calls changed nothing (b), in 1s

without a model call, after turn 1
  1 call changed nothing (b), in 5µs
`
	if got := Text(turns, false); got != want {
		t.Errorf("got\n%s", got)
	}
	if turns, err = Turns(facts(), Filter{Plugin: "b"}); err != nil {
		t.Fatal(err)
	}
	want = `turn 1
  b changed nothing at StreamChunk in 1s, in 7 calls

without a model call, after turn 1
  b changed nothing at SessionEnd in 5µs, after waiting 1s
`
	if got := Text(turns, true); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := Text(Last(turns), false); !strings.HasPrefix(got, "turn 1\n") {
		t.Errorf("got\n%s", got)
	}
	if got := Text(nil, false); !strings.Contains(got, "nothing is known") {
		t.Errorf("got %q", got)
	}
}

func TestTurnsErrors(t *testing.T) {
	t.Parallel()
	for want, filter := range map[string]Filter{
		"there is no turn 9; the turns are 1 to 2":        {Turn: 9},
		`plugin "c" was not called; called plugins: a, b`: {Plugin: "c"},
	} {
		if _, err := Turns(facts(), filter); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestEveryFieldIsExplained checks that each change that a plugin can make has words.
func TestEveryFieldIsExplained(t *testing.T) {
	t.Parallel()
	for _, field := range append(pipeline.FieldNames(), pipeline.FieldMessage, pipeline.FieldEjected, pipeline.FieldBlock, pipeline.FieldInserted,
		pipeline.FieldRemoved, pipeline.FieldRewritten, pipeline.FieldOrder) {
		if did[field] == "" && field != "messages" { // the fields of single messages replace it
			t.Errorf("%s has no words", field)
		}
	}
}
