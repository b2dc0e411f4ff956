//go:build linux

package process

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// compat holds what users of each released version have on their disks. docs/compatibility.md says what is promised about it.
const compat = "../testdata/compat"

// released are the checksums of the files of each version, as sumOf computes them. A line is added with a release and never changed: if a
// test of an old version fails, the code is wrong and not the files.
var released = map[string]string{
	"v0.1": "9f336ac575fe4bebd8e530107666b95fffce60641714abffa7f95167dd30fc04",
}

// TestCompatFiles checks that the files of released versions are what they were.
func TestCompatFiles(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(compat)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
		if got := sumOf(t, filepath.Join(compat, e.Name())); got != released[e.Name()] {
			t.Errorf("the files in %s/%s have the checksum %s, and not %q: files of a released version never change", compat, e.Name(), got, released[e.Name()])
		}
	}
	if want := slices.Sorted(maps.Keys(released)); !slices.Equal(found, want) {
		t.Errorf("there are files of %v, want %v", found, want)
	}
}

// TestCompatComplete checks that every minor version in the changelog has its files.
func TestCompatComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	versions := regexp.MustCompile(`(?m)^## \[(\d+\.\d+)\.\d+\]`).FindAllStringSubmatch(string(text), -1)
	if len(versions) == 0 {
		t.Fatal("the changelog has no version")
	}
	for _, m := range versions {
		if _, ok := released["v"+m[1]]; !ok {
			t.Errorf("version %s has no files in %s: CONTRIBUTING.md describes how to add them", m[1], compat)
		}
	}
}

// sumOf returns the checksum of the names and bytes of all files below a directory.
func sumOf(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		fmt.Fprintf(sum, "%x  %s\n", sha256.Sum256(data), name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// old returns a project with the files of a released version, and with its saved session.
func old(t *testing.T, version string) *harness.Project {
	t.Helper()
	p := harness.NewProject(t)
	p.Check(os.RemoveAll(filepath.Join(p.Dir, ".aura")))
	dir := filepath.Join(compat, version)
	p.Check(os.CopyFS(p.Dir, os.DirFS(filepath.Join(dir, "project"))))
	sessions := filepath.Join(p.State, "sessions")
	p.Check(os.MkdirAll(sessions, 0o700))
	p.Check(os.CopyFS(sessions, os.DirFS(filepath.Join(dir, "sessions"))))
	p.Check(filepath.WalkDir(p.State, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = os.Chmod(path, 0o600)
		}
		return err
	}))
	return p
}

// TestCompatProjects runs today's aura with the configuration, the plugins and the sessions of each released version.
func TestCompatProjects(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python")
	for version := range released {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			p := old(t, version)
			for _, row := range []struct {
				args []string
				want []string
			}{
				{[]string{"show"}, []string{`worker`, `daily`, `counting`}},
				{[]string{"show", "agents"}, []string{`(?m)^worker +default`, `(?m)^other `}},
				{[]string{"plugins", "list"}, []string{`(?m)^word-count +enabled`, `(?m)^guard +enabled`}},
				{[]string{"plugins", "check"}, []string{`checked 3 plugins: 0 errors, 0 warnings`}},
				{[]string{"plugins", "test", "word-count"}, []string{`(?m)^ok`}},
				{[]string{"sessions", "list"}, []string{`saved long ago`}},
				{[]string{"sessions", "show", "saved long ago"}, []string{`Summary of the conversation`, `## tool TodoCreate`, `Done for now\.`}},
				{[]string{"explain", "saved long ago"}, []string{`(?m)^turn 1$`, `word-count`}},
				{[]string{"plugins", "replay", "saved long ago"}, []string{`(?m)^\d+ calls: \d+ with the same result`}},
				{[]string{"tasks", "run", "daily"}, []string{`Done for now\.`}},
				{[]string{"run", "--resume", "saved long ago", "And now?", "/words please"}, []string{`Done for now\.`, `6 so far please`}},
			} {
				p.Run(row.args...)
				p.Wants(append(p.Stdout(), p.Stderr()...), row.want...)
				if strings.Contains(string(p.Stdout()), "differs") {
					t.Errorf("aura %v:\n%s", row.args, p.Stdout())
				}
			}
			p.NoProcess()
		})
	}
}

// TestCompatEvents checks that the events of each released version match today's schema, and that whoever reads today's events by that version's
// schema understands them.
func TestCompatEvents(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python")
	for version := range released {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			p := old(t, version)
			dir := filepath.Join(compat, version)
			then, err := os.ReadFile(filepath.Join(dir, "events.jsonl"))
			p.Check(err)
			matchEvents(t, "../../../../docs/events.schema.json", then)
			p.Run("run", "--json", "Count")
			matchEvents(t, filepath.Join(dir, "events.schema.json"), p.Stdout())
		})
	}
}

// matchEvents checks lines by a schema. Events and fields that the schema does not know are allowed.
func matchEvents(t *testing.T, path string, lines []byte) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(lines)) {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			t.Errorf("%s does not allow %s: %v", path, line, err)
		}
		n++
	}
	if n < 10 {
		t.Errorf("only %d events", n)
	}
}

// TestCompatExitCodes checks that the exit codes are those of each released version.
func TestCompatExitCodes(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python")
	for version := range released {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join(compat, version, "exit-codes.txt"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				code, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				p := old(t, version)
				if got := fmt.Sprint(p.Start(strings.Fields(rest)...).Wait()); got != code {
					t.Errorf("aura %s exits with %s, want %s\n%s", rest, got, code, p.Stderr())
				}
			}
		})
	}
}
