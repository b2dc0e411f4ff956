package placement_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/fleet/placement"
)

var update = flag.Bool("update", false, "write the specifications below testdata anew")

// few has what a scheduler needs. many has everything that all schedulers take; some names of variables would be truth values in YAML.
func few() placement.Options {
	return placement.Options{Replicas: 1, Slots: 1, Image: "registry.example.com/aura:1.0"}
}

func many() placement.Options {
	o := few()
	o.Replicas, o.Slots, o.Server = 50, 4, "tls://one.example.com:4222,tls://two.example.com:4222"
	o.Secrets, o.Env = []string{"ANTHROPIC_API_KEY", "NO", "y"}, []string{"HTTPS_PROXY", "null", "_1e3"}
	return o
}

func with(o placement.Options, change func(*placement.Options)) placement.Options {
	change(&o)
	return o
}

func job(o *placement.Options)        { o.Job = true }
func restricted(o *placement.Options) { o.Restricted = true }
func noImage(o *placement.Options)    { o.Image = "" }
func namespace(o *placement.Options)  { o.Namespace = "batch-1" }

// files maps the files below testdata to the options that they are written with. The first word is the kind. The module in validate reads
// the same files with the types of the schedulers.
func files() map[string]placement.Options {
	return map[string]placement.Options{
		"kubernetes.yaml":            few(),
		"kubernetes-many.yaml":       with(many(), namespace),
		"kubernetes-job.yaml":        with(with(many(), job), namespace),
		"kubernetes-restricted.yaml": with(few(), restricted),
		"nomad.json":                 few(),
		"nomad-many.json":            with(many(), namespace),
		"nomad-job.json":             with(few(), job),
		"nomad-restricted.json":      with(few(), restricted),
		"compose.yaml":               few(),
		"compose-many.yaml":          many(),
		"compose-restricted.yaml":    with(few(), restricted),
		"systemd.service":            with(few(), noImage),
		"systemd-many@.service":      with(many(), noImage),
	}
}

func TestSpecifications(t *testing.T) {
	t.Parallel()
	for name, o := range files() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := write(t, kindOf(name), o)
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil || string(got) != string(want) {
				t.Errorf("%s differs from what is written now: look at it, then run go test -update (%v)\n%s", path, err, got)
			}
		})
	}
}

// TestNoOtherFiles finds specifications that nothing writes any more: validate would still accept them.
func TestNoOtherFiles(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range found {
		names = append(names, filepath.Base(path))
	}
	if want := slices.Sorted(maps.Keys(files())); !slices.Equal(names, want) {
		t.Errorf("testdata has %q, want %q", names, want)
	}
}

func kindOf(file string) string {
	kind, _, _ := strings.Cut(file, ".")
	kind, _, _ = strings.Cut(kind, "-")
	return kind
}

func write(t *testing.T, kind string, o placement.Options) []byte {
	t.Helper()
	for _, k := range placement.Kinds() {
		if k.Name == kind {
			text, err := k.Write(o)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
	}
	t.Fatalf("there is no kind %q", kind)
	return nil
}
