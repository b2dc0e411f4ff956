//go:build !race

package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/settings/config"
)

// TestFanOut reads folders in which few links stand for 10 to the power of 19 folders.
func TestFanOut(t *testing.T) {
	t.Parallel()
	o := files{project + "agents/f00/a.md": "---\nname: a\n---\n", project + "agents/f19/b.md": "---\nname: b\n---\n"}.options(t)
	root := filepath.Dir(o.Workdir)
	agents := filepath.Join(root, project, "agents")
	for level := range 19 {
		dir := filepath.Join(agents, fmt.Sprintf("f%02d", level))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for link := range 10 {
			testneed.Link(t, fmt.Sprintf("../f%02d", level+1), filepath.Join(dir, fmt.Sprint(link)))
		}
	}
	if c := load(t, o); len(c.Agents) != 2 {
		t.Errorf("got %d agents", len(c.Agents))
	}
}

// TestManyFiles exceeds the limit of a folder.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	o := files{}.options(t)
	dir := filepath.Join(filepath.Dir(o.Workdir), project, "agents/many")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range limit.ConfigFiles {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := config.Load(o)
	checkError(t, err, "reading "+filepath.Dir(dir)+": it contains more than 10000 files and folders, links included: remove what is not configuration")
}

// TestInheritManyWays checks that families in which every member has two parents with the same two parents do not take longer
// than others.
func TestInheritManyWays(t *testing.T) {
	t.Parallel()
	all, text := files{}, "a0: {vars: {K: v}}\nb0: {}\n"
	for i := range 60 {
		text += fmt.Sprintf("a%d: {inherit: [a%d, b%d]}\nb%d: {inherit: [b%d, a%d]}\n", i+1, i, i, i+1, i, i)
	}
	all[project+"tasks/t.yaml"] = text
	if got := all.load(t).Tasks["b60"].Vars["K"]; got != "v" {
		t.Errorf("got %q", got)
	}
}
