package hookpoint_test

import (
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

func TestAlmost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule, function string
		defined, want  hookpoint.Name
	}{
		{"a letter too many", "BeforeToolExecutionn", "", hookpoint.BeforeToolExecution},
		{"wrong case", "beforeChat", "", hookpoint.BeforeChat},
		{"wrong case within", "OnAgentswitch", "", hookpoint.OnAgentSwitch},
		{"a hook", "BeforeChat", "", ""},
		{"a helper beside its hook", "beforeChat", hookpoint.BeforeChat, ""},
		{"the beginning of one", "Before", "", ""},
		{"another name", "Schema", "", ""},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			got, ok := hookpoint.Almost(tt.function, func(n hookpoint.Name) bool { return n == tt.defined })
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %t, want %q", got, ok, tt.want)
			}
		})
	}
}
