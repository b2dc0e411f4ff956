package plugintest

import (
	"testing"

	"github.com/idelchi/aura/host"
)

// TestDifferences checks which outcomes of two runtimes differ.
func TestDifferences(t *testing.T) {
	t.Parallel()
	result := func(text string) outcome { return outcome{what: "call", out: []byte(text)} }
	failed := func(kind host.ErrorKind, text string) outcome {
		return outcome{what: "call", kind: kind, failure: text}
	}
	same := result(`{"Message":"a"}`)
	for name, row := range map[string]struct {
		a, b outcome
		want string
	}{
		"the same result":         {same, same, ""},
		"one field":               {same, result(`{"Message":"b"}`), `call: the runtimes differ: Message: interpreted "a", compiled "b"`},
		"a field more":            {same, result(`{"Message":"a","Role":"x"}`), `call: the runtimes differ: Role: interpreted none, compiled "x"`},
		"another text":            {result(`"a"`), result(`"b"`), `call: the runtimes differ: result: interpreted "a", compiled "b"`},
		"an error in one":         {same, failed(host.KindPlugin, "no"), `call: the runtimes differ: error: interpreted the result {"Message":"a"}, compiled "no"`},
		"another error":           {failed(host.KindPlugin, "a"), failed(host.KindPlugin, "b"), `call: the runtimes differ: error: interpreted "a", compiled "b"`},
		"two deaths":              {failed(host.KindCrash, "exit status 2"), failed(host.KindCrash, "panic: x"), ""},
		"a death of one":          {failed(host.KindCrash, "x"), failed(host.KindPlugin, "x"), `call: the runtimes differ: error: interpreted "x", compiled "x"`},
		"a slow interpreter":      {failed(host.KindTimeout, "no answer"), same, ""},
		"another call":            {same, outcome{what: "other"}, `call: the runtimes differ: error: interpreted the result {"Message":"a"}, compiled the result `},
		"what proves nothing":     {outcome{what: "call", unfair: true}, same, ""},
		"what does not interpret": {outcome{what: loading, kind: host.KindLoad, failure: "x"}, same, ""},
	} {
		got := ""
		for _, d := range differencesOf([]outcome{row.a}, []outcome{row.b}) {
			got += d.String()
		}
		if got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
