//go:build linux

package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// humanized is a plugin that uses a third-party module.
const humanized = `package %[1]s

import (
	"context"

	"github.com/dustin/go-humanize"
	"github.com/idelchi/aura/sdk"
)

func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) {
	return sdk.Result{Notice: "%[1]s counts " + humanize.Comma(1234567)}, nil
}
`

// TestThirdParty vendors a real module, in two versions for two plugins, and runs both side by side.
func TestThirdParty(t *testing.T) {
	t.Parallel()
	environ := append(harness.GoVars(t), "GOFLAGS=", "GOTOOLCHAIN=local", "GOWORK=off")
	versions := map[string]string{"older": "v1.0.0", "newer": "v1.0.1"}
	for _, version := range versions {
		reachable(t, environ, "github.com/dustin/go-humanize@"+version)
	}
	p := harness.NewProject(t)
	for name, version := range versions {
		dir := "sources/" + name + "/"
		p.Write(dir+"go.mod", fmt.Sprintf("module %s\n\ngo 1.25\n\nrequire (\n\tgithub.com/dustin/go-humanize %s\n\tgithub.com/idelchi/aura/sdk v0.0.0\n)\n", name, version))
		p.Write(dir+"plugin.yaml", "description: Counts\n")
		p.Write(dir+"main.go", fmt.Sprintf(humanized, name))
		cmd := p.Command("plugins", "add", "./sources/"+name)
		cmd.Env = append(cmd.Env, environ...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("adding %s: %v\n%s", name, err, out)
		}
		vendored := string(p.Read(".aura/plugins/" + name + "/vendor/modules.txt"))
		if !strings.Contains(vendored, "# github.com/dustin/go-humanize "+version+"\n") {
			t.Errorf("%s has vendored\n%s", name, vendored)
		}
	}
	p.Run("run", "go")
	p.Wants(p.Stderr(), "older counts 1,234,567", "newer counts 1,234,567", "witness saw call 4")
	p.NoTrace()
}

// reachable skips the test if a module is not available.
func reachable(t *testing.T, environ []string, module string) {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", module)
	cmd.Dir = t.TempDir()
	cmd.Env = append(environ, "PATH="+os.Getenv("PATH"), "HOME="+filepath.Join(cmd.Dir, "home"))
	if out, err := cmd.CombinedOutput(); err != nil {
		testneed.Missing(t, testneed.Modules, fmt.Sprintf("%s cannot be downloaded: %v\n%s", module, err, out))
	}
}
