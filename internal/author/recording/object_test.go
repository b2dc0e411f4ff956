package recording

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/idelchi/aura/host"
)

// TestObject writes records whose fields are all set, and reads them back. A field that the encoder does not know is missing then.
func TestObject(t *testing.T) {
	t.Parallel()
	const odd = "a\"\\\n<\x00\x7f\u2028é"
	call := Call{
		N: 1, At: time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC), Turn: 2, Plugin: odd, Version: odd, Child: 3, Point: odd, Name: odd, Context: json.RawMessage(`{"a":1}`),
		Lists: map[string]ranges{listTurns: {{0, 2}, {5, 6}}, listTools: {}}, Args: json.RawMessage(`[1]`), Sender: odd, Env: map[string]string{"A": odd}, Out: json.RawMessage(`"x"`),
		Failure: odd, Kind: KindCancelled, Asked: []host.Ask{{}}, Mixed: true, Redacted: true, Waited: 4, Took: 5,
	}
	answer := Answer{Text: odd, Thinking: odd, Calls: []AnswerCall{{Name: odd, Arguments: odd}}, TokensIn: 1, TokensOut: 2, Error: odd, ErrorType: odd}
	prompt, empty := odd, ""
	for name, r := range map[string]record{
		"call": {Call: &call}, "answer": {Answer: &answer}, "prompt": {Prompt: &prompt}, "no prompt": {Prompt: &empty}, "entries": {Entries: []json.RawMessage{[]byte(`1`), []byte(`{}`)}},
		"nothing set": {Call: &Call{}}, "empty answer": {Answer: &Answer{}},
	} {
		for _, value := range []any{r.Call, r.Answer} {
			if v := reflect.ValueOf(value); !v.IsNil() && name != "nothing set" && name != "empty answer" {
				for field, at := range v.Elem().Fields() {
					if field.IsExported() && at.IsZero() {
						t.Errorf("%s: the test does not set %s", name, field.Name)
					}
				}
			}
		}
		line, _, err := sum{}.encode(nil, r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, _, err := sum{}.decode(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%s: got %+v, %v, want %+v\n%s", name, got, err, r, line)
		}
	}
}
