package donetool_test

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/tool"
)

func TestDone(t *testing.T) {
	t.Parallel()
	registry, err := tool.NewRegistry(donetool.Tool())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args  map[string]any
		valid bool
		want  string
	}{
		{map[string]any{}, true, "Done."},
		{map[string]any{"summary": "all tests pass"}, true, "all tests pass"},
		{map[string]any{"summary": 1}, false, ""},
		{map[string]any{"other": "x"}, false, ""},
	} {
		if err := registry.Validate(donetool.Name, tt.args); (err == nil) != tt.valid {
			t.Errorf("%v: %v", tt.args, err)
		}
		if !tt.valid {
			continue
		}
		if got, err := donetool.Tool().Execute(t.Context(), tool.Call{Args: tt.args}); got != tt.want || err != nil {
			t.Errorf("%v: got %q, %v", tt.args, got, err)
		}
	}
	if donetool.Tool().Definition().Parallel {
		t.Error("the end of the work runs beside other tools")
	}
}
