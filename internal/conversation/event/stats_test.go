package event_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/sdk"
)

// TestSaved checks that a session finds its counts again as they were, those of tools included.
func TestSaved(t *testing.T) {
	t.Parallel()
	for name, counted := range map[string]sdk.Stats{
		"nothing": {},
		"counts":  {Interactions: 1, Turns: 2, Iterations: 3, ToolCalls: 4, ToolErrors: 1, ParseRetries: 5, Compactions: 6, TokensIn: 7, TokensOut: 8},
		"tools":   {ToolCalls: 2, TopTools: []sdk.ToolCount{{Name: "Lös", Count: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := json.Marshal(event.Saved(counted))
			if err != nil {
				t.Fatal(err)
			}
			var kept any
			if err := json.Unmarshal(raw, &kept); err != nil {
				t.Fatal(err)
			}
			got, err := event.Recalled(kept)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*got, counted) {
				t.Errorf("got %+v, want %+v", *got, counted)
			}
		})
	}
}
