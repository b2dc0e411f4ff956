package strictyaml_test

import (
	"reflect"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

func TestDecodeNode(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name, give, err string
		want            sample
	}{
		{"changed value", "name: x\nlimits:\n  memory: 1\n", "", sample{Name: "changed", Limits: limits{Memory: 1}}},
		{"empty", "", "", sample{Name: "before"}},
		{"line of the file", "name: x\nlimits:\n  memry: 1\n", `f.yaml:3: unknown key "memry" in "limits"; known keys: memory, share`, sample{
			Name: "before",
		}},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			var node yaml.Node
			if err := strictyaml.Decode("f.yaml", []byte(tt.give), &node); err != nil {
				t.Fatal(err)
			}

			if len(node.Content) > 0 {
				node.Content[1].Value = "changed"
			}

			got := sample{Name: "before"}

			err := strictyaml.DecodeNode("f.yaml", &node, &got)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || err.Error() != tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}

			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}
