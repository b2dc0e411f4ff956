//go:build unix

package scripts

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/agent/llm/llmtest"
	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// protocols holds the protocols with which each rule is tested.
var protocols = map[string]func(testing.TB, ...llmtest.Reply) *llmtest.Server{
	"openai": llmtest.NewOpenAI, "anthropic": llmtest.NewAnthropic, "google": llmtest.NewGoogle,
}

func init() {
	preparations["protocols"] = preparation{variants: []string{"openai", "anthropic"}, begin: beginServer}
	// These protocols can carry audio.
	preparations["audio"] = preparation{variants: []string{"openai", "google"}, begin: beginServer}
	preparations["search"] = preparation{variants: []string{"openai", "anthropic", "google"}, begin: beginServer}
	preparations["server"] = preparation{begin: beginServer}
}

// beginServer gives each script a server that rejects what the real service rejects: a rejected request fails the script. The
// server's replies are in the script's replies.yaml, or in a file for one protocol, such as replies-openai.yaml. Steps may
// depend on the protocol, as with [anthropic]. A script starts with a copy of testdata/rulesbase: an agent, and a plugin whose
// tool Echo repeats a text. The script's own plugins need only a main.go. The rules of hooks run with both protocols; rules
// that are the same for all protocols run with one.
func beginServer(_ *testing.T, protocol string) testscript.Params {
	return testscript.Params{Setup: func(env *testscript.Env) error { return setupRule(env, cmp.Or(protocol, "openai")) }}
}

// setupRule starts the script's server and completes its project.
func setupRule(env *testscript.Env, protocol string) error {
	replies, err := readReplies(env.WorkDir, protocol)
	if err != nil {
		return err
	}
	tb, ok := env.T().(testing.TB)
	if !ok {
		return fmt.Errorf("a script runs in %T, which is no test", env.T())
	}
	server := protocols[protocol](tb, replies...)
	env.Values[serverKey{}] = server
	env.Vars = append(env.Vars, "SPEAKS="+protocol, "SERVER="+server.URL, "TOKEN="+llmtest.Token)
	if err := harness.Overlay("../testdata/rulesbase", env.WorkDir); err != nil {
		return err
	}
	if err := completePlugins(filepath.Join(env.WorkDir, ".aura/plugins")); err != nil {
		return err
	}
	return harness.Setup(env)
}

// completePlugins adds the files that every plugin needs to the plugins below dir.
func completePlugins(dir string) error {
	sources, err := filepath.Glob(filepath.Join(dir, "*", "main.go"))
	if err != nil {
		return err
	}
	for _, source := range sources {
		home := filepath.Dir(source)
		name := filepath.Base(home)
		for file, content := range map[string]string{
			"go.mod": "module " + name + "\n\ngo 1.25\n", "plugin.yaml": "description: " + name + "\n",
		} {
			path := filepath.Join(home, file)
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}
