//go:build unix

package scripts

import (
	"net/http/httptest"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

func init() {
	preparations["mcp"] = preparation{begin: beginMCP}
}

// beginMCP gives scripts a model server, so that they see the exact requests to the model. It also starts an MCP server at
// $MCP whose tool "save" takes the name of a file.
func beginMCP(t *testing.T, _ string) testscript.Params {
	t.Helper()
	service := httptest.NewServer(harness.Saver())
	// Scripts continue after this function has returned.
	t.Cleanup(service.Close)
	return testscript.Params{Setup: func(env *testscript.Env) error {
		env.Vars = append(env.Vars, "MCP="+service.URL)
		return setupRule(env, "openai")
	}}
}
