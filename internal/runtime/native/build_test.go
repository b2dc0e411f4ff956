//go:build unix

package native_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idelchi/aura/internal/runtime/guest"
	"github.com/idelchi/aura/internal/runtime/guest/conformance"
	"github.com/idelchi/aura/internal/runtime/native"
	"github.com/idelchi/aura/internal/runtime/native/gocmd"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/shared"
)

// builder returns a builder with a directory of its own. Its cache is that of the Go command that runs the test.
func builder(t *testing.T) native.Builder {
	t.Helper()
	b := native.Builder{Dir: t.TempDir(), Toolchain: find(t), SDK: install.SDKSource(), Version: "test", Run: gocmd.Unconfined}
	cache, err := exec.CommandContext(t.Context(), b.Toolchain.Go, "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(strings.TrimSpace(string(cache)), filepath.Join(b.Dir, "gocache")); err != nil {
		t.Fatal(err)
	}
	return b
}

func program(t *testing.T, b native.Builder, dir string) native.Program {
	t.Helper()
	s, err := native.Read(dir, b.Toolchain, false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.Program(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// built returns the path of a plugin's program.
func built(t *testing.T, dir string) string {
	t.Helper()
	p := program(t, builder(t), dir)
	if err := p.Build(t.Context(), func() {}); err != nil {
		t.Fatal(err)
	}
	return p.Path()
}

// TestConformance checks that a compiled plugin speaks the protocol of guests.
func TestConformance(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs("testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	conformance.Check(t, shared.Guest{Program: built(t, dir)}, nil)
}

// TestFailure checks that the errors of the compiler name the plugin's files, and that the build is not repeated.
func TestFailure(t *testing.T) {
	t.Parallel()
	b := builder(t)
	runs := 0
	b.Run = func(ctx context.Context, c gocmd.Command) (string, error) {
		runs++
		return gocmd.Unconfined(ctx, c)
	}
	dir := plugin(t, map[string]string{"a.go": "package greeter\n\nfunc SystemPrompt() string { return 1 }\n"})
	p := program(t, b, dir)
	for range 2 {
		err := p.Build(t.Context(), func() {})
		var failed *gocmd.FailedError
		if want := filepath.Join(dir, "a.go") + ":3:"; !errors.As(err, &failed) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if p.Ready() || p.Failed() == nil || runs != 1 {
		t.Errorf("ready %t, failed %v, %d runs", p.Ready(), p.Failed(), runs)
	}
}

// TestCancelled checks that a build that was cancelled leaves nothing and is tried again.
func TestCancelled(t *testing.T) {
	t.Parallel()
	b := builder(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.Run = func(ctx context.Context, _ gocmd.Command) (string, error) {
		cancel()
		return "", ctx.Err()
	}
	p := program(t, b, plugin(t, map[string]string{"a.go": plain}))
	if err := p.Build(ctx, func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	entries, err := os.ReadDir(b.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"gocache", "lock"}) || p.Failed() != nil {
		t.Errorf("%v is left, failed %v", names, p.Failed())
	}
}

// TestCommand checks what the go command is given: nothing of the user's environment, only the files that were read, and a go.mod of ours.
func TestCommand(t *testing.T) {
	t.Parallel()
	b := builder(t)
	var got gocmd.Command
	var files []string
	var mod string
	b.Run = func(_ context.Context, c gocmd.Command) (string, error) {
		got = c
		text, err := os.ReadFile(filepath.Join(c.Dir, "go.mod"))
		mod = string(text)
		return "", errors.Join(err, filepath.WalkDir(c.Dir, func(p string, d os.DirEntry, err error) error {
			if rel, _ := filepath.Rel(c.Dir, p); err == nil && !d.IsDir() && strings.HasPrefix(rel, "vendor") {
				files = append(files, rel)
			}
			return err
		}), errors.New("enough"))
	}
	p := program(t, b, plugin(t, map[string]string{
		"go.mod": "module greeter\n\ngo 1.25\n\ntoolchain go9.9.9\n\nrequire example.com/x/v2 v2.3.4\n\nreplace example.com/x/v2 => /etc\n",
		"a.go":   "package greeter\n\nimport _ \"example.com/x/v2\"\n\n//go:generate touch generated\n", "a_test.go": "package greeter\n", "secret.txt": "x",
		"vendor/example.com/x/v2/x.go": "package x\n", "vendor/example.com/unused/x.go": "package unused\n", "vendor/modules.txt": "# evil\n",
	}))
	if err := p.Build(t.Context(), func() {}); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Fatal(err)
	}
	if want := []string{"vendor/example.com/x/v2/x.go", "vendor/greeter/a.go", "vendor/modules.txt"}; !slices.Equal(files, want) {
		t.Errorf("got the files %v, want %v", files, want)
	}
	for _, bad := range []string{"replace", "toolchain", "v2.3.4"} {
		if strings.Contains(mod, bad) {
			t.Errorf("go.mod has %q:\n%s", bad, mod)
		}
	}
	for _, want := range []string{"CGO_ENABLED=0", "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=", "GOENV=off", "GOWORK=off", "PATH="} {
		if !slices.Contains(got.Env, want) {
			t.Errorf("the environment lacks %q: %v", want, got.Env)
		}
	}
	for _, want := range []string{"-mod=vendor", "-trimpath", "-buildvcs=false"} {
		if !slices.Contains(got.Args, want) {
			t.Errorf("the arguments lack %q: %v", want, got.Args)
		}
	}
}

// TestKey checks that the program changes with everything that goes into it.
func TestKey(t *testing.T) {
	t.Parallel()
	b := builder(t)
	dir := plugin(t, map[string]string{"a.go": plain, "README.md": "x"})
	key := program(t, b, dir).Key()
	if again := program(t, b, dir).Key(); again != key {
		t.Error("the same source gives two programs")
	}
	for name, change := range map[string]func(*native.Builder){
		"aura":      func(b *native.Builder) { b.Version = "other" },
		"toolchain": func(b *native.Builder) { b.Toolchain.Version = "go1.99.1" },
		"sdk":       func(b *native.Builder) { b.SDK["extra.go"] = "package sdk\n" },
	} {
		other := b
		other.SDK = install.SDKSource()
		change(&other)
		if program(t, other, dir).Key() == key {
			t.Errorf("another %s gives the same program", name)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(plain+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if program(t, b, dir).Key() == key {
		t.Error("another source gives the same program")
	}
}

var qualified = regexp.MustCompile(`\b([a-z0-9]+)\.[A-Z]`)

// TestPrograms runs the programs of the interpreter's differential test as one compiled plugin. At least 98 of 100 must print what Go
// prints.
func TestPrograms(t *testing.T) {
	t.Parallel()
	const from = "../../golang/interp/testdata/programs"
	library := map[string]string{}
	for p := range strings.FieldsSeq("bufio bytes cmp container/heap container/list context encoding/json errors fmt io io/fs iter log/slog maps " +
		"math math/bits os reflect regexp runtime slices sort strconv strings sync sync/atomic text/template time unicode unicode/utf8") {
		library[path.Base(p)] = p
	}
	archives, err := filepath.Glob(from + "/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	files := map[string]string{}
	imports, calls := "", ""
	for _, archive := range archives {
		a, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			name := strings.TrimSuffix(filepath.Base(archive), ".txtar") + "/" + strings.TrimSuffix(f.Name, ".go")
			pkg := strings.NewReplacer("/", "_", "-", "_").Replace(name)
			head := "package program\n\n"
			if !strings.HasPrefix(string(f.Data), "import ") {
				var used []string
				for _, m := range qualified.FindAllStringSubmatch(string(f.Data), -1) {
					if p := library[m[1]]; p != "" {
						used = append(used, strconv.Quote(p))
					}
				}
				slices.Sort(used)
				head += "import (\n" + strings.Join(slices.Compact(used), "\n") + "\n)\n\n"
			}
			files[pkg+"/program.go"] = head + string(f.Data)
			files[pkg+"/main.go"] = "package program\n\nfunc Main() { program() }\n"
			imports += "import " + pkg + " \"greeter/" + pkg + "\"\n"
			calls += "\tfmt.Println(\"-- " + name + " --\")\n\t" + pkg + ".Main()\n"
		}
	}
	files["main.go"] = "package greeter\n\nimport \"context\"\nimport \"fmt\"\nimport \"github.com/idelchi/aura/sdk\"\n" + imports +
		"\nfunc Command() sdk.CommandSchema { return sdk.CommandSchema{Name: \"all\"} }\n\n" +
		"func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) {\n" + calls + "\treturn sdk.CommandResult{}, nil\n}\n"
	want, err := os.ReadFile(from + "/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := sections(output(t, built(t, plugin(t, files))))
	right, all := 0, sections(string(want))
	for name, text := range all {
		if got[name] == text {
			right++
		} else {
			t.Logf("%s printed\n%s\nwant\n%s", name, got[name], text)
		}
	}
	t.Logf("%d of %d programs are right", right, len(all))
	if right*100 < len(all)*98 {
		t.Errorf("only %d of %d programs are right", right, len(all))
	}
}

// sections splits the output of the programs.
func sections(text string) map[string]string {
	out := map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if inner, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(inner, " --\n") {
			name = strings.TrimSuffix(inner, " --\n")
			continue
		}
		out[name] += line
	}
	return out
}

// output runs the command "all" of a program and returns what the program printed to its standard output.
func output(t *testing.T, program string) string {
	t.Helper()
	var out, log lines
	g, err := guest.Start(shared.Guest{Program: program}, guest.Options{Name: "greeter", Dir: t.TempDir()}, nil, &out, &log)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- g.Serve() }()
	if _, err := g.Load(t.Context()); err != nil {
		t.Fatal(err, log.String())
	}
	if _, err := g.Command(t.Context(), shared.CommandCall{Name: "all"}); err != nil {
		t.Fatal(err, log.String())
	}
	if err := g.Finish(); err != nil {
		t.Fatal(err)
	}
	<-ended
	return out.String()
}

// lines is a writer that several goroutines use.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestUnsynced checks that a program gets the name by which it is trusted only after its data is durable.
func TestUnsynced(t *testing.T) {
	lost := errors.New("the disk is gone")
	native.FailSync(t, lost)
	b := builder(t)
	p := program(t, b, plugin(t, map[string]string{"a.go": plain}))
	if err := p.Build(t.Context(), func() {}); !errors.Is(err, lost) || p.Ready() {
		t.Errorf("got %v, ready %t", err, p.Ready())
	}
}
