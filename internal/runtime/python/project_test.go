package python_test

import (
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/runtime/python"
)

// TestDependencies has a row for each kind of requirement.
func TestDependencies(t *testing.T) {
	t.Parallel()
	for give, want := range map[string][]string{
		`[]`:                                   nil,
		`["aar"]`:                              nil,
		`["AAR>=1.0", "aar_agent [x] ; os"]`:   nil,
		`["aar-ext-x", " httpx ~= 0.27 "]`:     {"aar-ext-x", "httpx ~= 0.27"},
		`["pkg @ https://example.com/x.whl"]`:  {"pkg @ https://example.com/x.whl"},
		`["aar.agent", "rich; python<'3.12'"]`: {"rich; python<'3.12'"},
	} {
		p, err := python.ParseProject([]byte("[project]\ndependencies = " + give))
		if err != nil || !slices.Equal(p.Dependencies, want) {
			t.Errorf("%s: got %q, %v", give, p.Dependencies, err)
		}
	}
}

// TestIsPlainRequirement has a row for each kind of requirement.
func TestIsPlainRequirement(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]bool{
		"httpx": true, "httpx>=0.27,<1": true, "a.b_c-d[x, y] ~= 1.0": true, "rich; python_version < '3.12'": true, "x==1.*": true, "x!=2": true,
		"": false, "-r": false, "--index-url=x": false, "./local": false, "pkg @ https://example.com/x.whl": false, "git+https://x/y": false,
		"a\n-r b": false, "file:x": false, `..\x`: false,
	} {
		if got := python.IsPlainRequirement(give); got != want {
			t.Errorf("%q: got %t", give, got)
		}
	}
}

func FuzzProject(f *testing.F) {
	for _, seed := range []string{"", declares + "x = 'a:b'\n", "[project]\ndependencies = ['a', 'aar']\n", "[project]\nentry-points = 3", "\x00", "[[project]]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := python.ParseProject(text)
		if err == nil && !slices.IsSortedFunc(p.Extensions, func(a, b python.Declared) int {
			if a.Name < b.Name {
				return -1
			}
			return 1
		}) {
			t.Errorf("not sorted: %+v", p.Extensions)
		}
	})
}
