package keymap

import "testing"

// TestKeys checks the actions of keys, without and with changes of the user.
func TestKeys(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		changes map[string][]string
		key     string
		want    Action
	}{
		"usual":                   {nil, "enter", Send},
		"unknown":                 {nil, "f12", ""},
		"added":                   {map[string][]string{"send": {"enter", "f5"}}, "f5", Send},
		"replaced":                {map[string][]string{"editor": {"f4"}}, "ctrl+g", ""},
		"taken from another":      {map[string][]string{"editor": {"ctrl+o"}}, "ctrl+o", Editor},
		"the other keeps its own": {map[string][]string{"quit": {"ctrl+c"}}, "esc", Interrupt},
	} {
		if got := New(tt.changes)[tt.key]; got != tt.want {
			t.Errorf("%s: %s is %q, want %q", name, tt.key, got, tt.want)
		}
	}
}

// TestBindings checks that no key has two usual actions, and that each action is listed once.
func TestBindings(t *testing.T) {
	t.Parallel()
	keys, actions := map[string]Action{}, map[Action]bool{}
	for _, b := range Bindings() {
		if actions[b.Action] || b.About == "" || len(b.Keys) == 0 {
			t.Errorf("%s is listed twice, or without keys or description", b.Action)
		}
		actions[b.Action] = true
		for _, key := range b.Keys {
			if other, taken := keys[key]; taken {
				t.Errorf("%s belongs to %s and %s", key, other, b.Action)
			}
			keys[key] = b.Action
		}
	}
}
