package setup

import (
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
)

type named struct {
	tool.Tool
	d tool.Definition
}

func (n named) Definition() tool.Definition { return n.d }

func TestNarrow(t *testing.T) {
	t.Parallel()
	all := []tool.Tool{
		named{d: tool.Definition{Name: "Bash"}}, named{d: tool.Definition{Name: "Ls"}}, named{d: tool.Definition{Name: "Push", OptIn: true}},
	}
	rows := []struct {
		name   string
		layers []config.ToolFilter
		want   []string
	}{
		{"opt-in tools are hidden", nil, []string{"Bash", "Ls"}},
		{"empty layers change nothing", []config.ToolFilter{{}, {}}, []string{"Bash", "Ls"}},
		{"enabled narrows", []config.ToolFilter{{Enabled: []string{"L*"}}}, []string{"Ls"}},
		{"disabled removes", []config.ToolFilter{{Disabled: []string{"Ls"}}}, []string{"Bash"}},
		{"each layer narrows the last", []config.ToolFilter{{Enabled: []string{"Bash"}}, {Enabled: []string{"Ls"}}}, nil},
		{"a wildcard does not surface an opt-in tool", []config.ToolFilter{{Enabled: []string{"*"}}}, []string{"Bash", "Ls"}},
		{"its exact name does", []config.ToolFilter{{Enabled: []string{"*", "Push"}}}, []string{"Bash", "Ls", "Push"}},
		{"in any layer", []config.ToolFilter{{}, {Enabled: []string{"Push"}}}, []string{"Push"}},
	}
	for _, row := range rows {
		var got []string
		for _, kept := range narrow(all, row.layers, nil) {
			if kept.Definition().OptIn {
				t.Errorf("%s: a surfaced tool still says that it is opt-in", row.name)
			}
			got = append(got, kept.Definition().Name)
		}
		if !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}
