package validate_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// environment has a value for each variable that the specifications refer to.
var environment = map[string]string{"ANTHROPIC_API_KEY": "key", "NO": "1", "y": "2", "HTTPS_PROXY": "3", "null": "4", "_1e3": "5"}

// load reads a Compose file as Docker Compose does: schema, interpolation, then types.
func load(ctx context.Context, text []byte, env map[string]string) (*types.Project, error) {
	return loader.LoadWithContext(ctx, types.ConfigDetails{
		WorkingDir: "/", Environment: maps.Clone(env), ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: text}},
	})
}

func TestCompose(t *testing.T) {
	t.Parallel()
	for name, text := range specifications(t, "compose*.yaml") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := load(t.Context(), text, environment)
			if err != nil {
				t.Fatal(err)
			}
			s := p.Services["worker"]
			if time.Duration(*s.StopGracePeriod) != grace*time.Second || !s.ReadOnly || s.Privileged || s.User == "" || strings.HasPrefix(s.User, "0") {
				t.Errorf("unexpected service: %+v", s)
			}
			if !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.CapAdd) != 0 || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") ||
				slices.Contains(s.SecurityOpt, "seccomp=unconfined") == isRestricted(name) {
				t.Errorf("unexpected privileges: %v %v", s.CapDrop, s.SecurityOpt)
			}
			if *s.Deploy.Replicas < 1 || s.Deploy.Resources.Limits.MemoryBytes < 1<<30 || s.Deploy.Resources.Limits.NanoCPUs < 1 || s.Deploy.Resources.Limits.Pids < 1 {
				t.Errorf("unexpected limits: %+v", s.Deploy)
			}
			for key, value := range s.Environment {
				if want, ok := environment[key]; ok && *value != want {
					t.Errorf("%s is %q", key, *value)
				}
			}
			if strings.Contains(name, "-many") && len(s.Environment) != len(environment)+2 {
				t.Errorf("variables: %v", s.Environment)
			}
		})
	}
}

// TestComposeNeedsVariables checks that a variable without a value stops Compose.
func TestComposeNeedsVariables(t *testing.T) {
	t.Parallel()
	_, err := load(t.Context(), specifications(t, "compose-many.yaml")["compose-many.yaml"], nil)
	if err == nil || !strings.Contains(err.Error(), "set ") {
		t.Errorf("got %v", err)
	}
}

// TestComposeIsStrict checks that load finds wrong keys and types.
func TestComposeIsStrict(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"readonly: true", "read_only: [1]", "deploy: {replica: 1}"} {
		if _, err := load(t.Context(), []byte("name: x\nservices: {worker: {image: x, "+line+"}}"), nil); err == nil {
			t.Errorf("%s passes", line)
		}
	}
}
