//go:build unix

package scripts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

func init() {
	preparations["newpoint"] = preparation{begin: beginNewPoint}
}

// beginNewPoint adds a tenth hook point to a build of both binaries. The build differs from aura only in the three places that
// a new point needs, and in the files that "make generate" derives from the SDK. Everything else must work from the table row.
func beginNewPoint(*testing.T, string) testscript.Params {
	return testscript.Params{Setup: func(env *testscript.Env) error {
		// The build takes long, so it runs only if the script is selected.
		dir := buildWithNewPoint(env.T().(testing.TB))
		err := harness.Setup(env)
		env.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		return err
	}}
}

// buildWithNewPoint returns the directory of the two binaries.
func buildWithNewPoint(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	o := sourceOverlay{t: tb, dir: dir, files: map[string]string{}}
	types := o.read("internal/lab/e2e/testdata/newpoint/source/sdk.txt")

	o.write("sdk/newpoint.go", types)
	o.insert("internal/plugin/hookpoint/table.go", "var table = []Point{\n", o.read("internal/lab/e2e/testdata/newpoint/source/row.txt"))
	o.write("internal/agent/conversation/newpoint.go", o.read("internal/lab/e2e/testdata/newpoint/source/moment.txt"))
	o.insert("internal/agent/conversation/loop.go", "\tc.withhold(ctx)\n", "\tc.beforeTurn(ctx)\n")

	// These two are generated from the SDK.
	for _, m := range regexp.MustCompile(`(?m)^type (\w+) `).FindAllStringSubmatch(types, -1) {
		o.insert("internal/golang/interp/symbols_sdk.go", "// type definitions\n", `"`+m[1]+`": reflect.ValueOf((*sdk.`+m[1]+")(nil)),\n")
	}
	_, declarations, _ := strings.Cut(types, "package sdk\n")
	o.insert("internal/golang/library/stdlib.txt", "# github.com/idelchi/aura/sdk\npackage sdk\nimport p_context \"context\"\nimport p_io \"io\"\nimport p_time \"time\"\n", declarations)

	for _, program := range []string{"aura", "aura-plugin-host"} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-w", "-overlay", o.list(), "-o", filepath.Join(dir, program), "../../../../cmd/"+program)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			tb.Fatalf("building %s with a new hook point: %v\n%s", program, err, out)
		}
	}
	return dir
}

// sourceOverlay collects source files that replace those of the repository in a build. Names are relative to the repository.
type sourceOverlay struct {
	t     testing.TB
	dir   string
	files map[string]string
}

// read returns the text of a file, replaced or not.
func (o sourceOverlay) read(name string) string {
	o.t.Helper()
	path := filepath.Join(harness.Repo(), filepath.FromSlash(name))
	if replaced, ok := o.files[path]; ok {
		path = replaced
	}
	text, err := os.ReadFile(path)
	if err != nil {
		o.t.Fatal(err)
	}
	return string(text)
}

func (o sourceOverlay) write(name, text string) {
	o.t.Helper()
	file := filepath.Join(o.dir, strings.ReplaceAll(name, "/", "_"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
	o.files[filepath.Join(harness.Repo(), filepath.FromSlash(name))] = file
}

// insert inserts a text after the first occurrence of another text in a file.
func (o sourceOverlay) insert(name, after, text string) {
	o.t.Helper()
	head, tail, ok := strings.Cut(o.read(name), after)
	if !ok {
		o.t.Fatalf("%s has no %q, behind which the new hook point belongs", name, after)
	}
	o.write(name, head+after+text+tail)
}

// list writes the overlay file for go build.
func (o sourceOverlay) list() string {
	o.t.Helper()
	text, err := json.Marshal(map[string]any{"Replace": o.files})
	if err != nil {
		o.t.Fatal(err)
	}
	file := filepath.Join(o.dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		o.t.Fatal(err)
	}
	return file
}
