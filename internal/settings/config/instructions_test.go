package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestInstructions has a row for each rule about which files of instructions are used. A file contains its own name unless a row
// sets other content. A name that ends in a slash is a directory.
func TestInstructions(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		files   []string
		links   map[string]string
		workdir string
		set     func(*Options)
		// want holds the files in order. notices holds the notices about other files.
		want, notices []string
	}{
		"none":                    {files: []string{"repo/.git/"}, workdir: "repo"},
		"root down to here":       {files: []string{"repo/.git/", "repo/AGENTS.md", "repo/a/b/AGENTS.md", "repo/c/AGENTS.md"}, workdir: "repo/a/b", want: []string{"repo/AGENTS.md", "repo/a/b/AGENTS.md"}},
		"CLAUDE.md":               {files: []string{"repo/.git/", "repo/CLAUDE.md", "repo/a/CLAUDE.md", "repo/a/AGENTS.md"}, workdir: "repo/a", want: []string{"repo/CLAUDE.md", "repo/a/AGENTS.md"}},
		"outside of a repository": {files: []string{"dir/AGENTS.md", "dir/a/AGENTS.md"}, workdir: "dir/a", want: []string{"dir/a/AGENTS.md"}},
		"not beyond the root":     {files: []string{"AGENTS.md", "repo/.git/", "repo/a/"}, workdir: "repo/a"},
		"not in the user's home":  {files: []string{"home/.git/", "home/AGENTS.md", "home/a/AGENTS.md"}, workdir: "home/a", want: []string{"home/a/AGENTS.md"}},
		"user first":              {files: []string{"home/.aura/AGENTS.md", "repo/.git/", "repo/AGENTS.md"}, workdir: "repo", want: []string{"home/.aura/AGENTS.md", "repo/AGENTS.md"}},
		"safe":                    {files: []string{"home/.aura/AGENTS.md", "repo/.git/", "repo/AGENTS.md"}, workdir: "repo", set: func(o *Options) { o.Safe = true }, want: []string{"home/.aura/AGENTS.md"}},
		"turned off":              {files: []string{"home/.aura/AGENTS.md", "repo/AGENTS.md"}, workdir: "repo", set: func(o *Options) { o.WithoutInstructions = true }},
		"no user's home":          {files: []string{"home/.aura/AGENTS.md", "repo/AGENTS.md"}, workdir: "repo", set: func(o *Options) { o.Home = new(string) }, want: []string{"repo/AGENTS.md"}},
		"a directory":             {files: []string{"repo/AGENTS.md/", "repo/CLAUDE.md"}, workdir: "repo", notices: []string{"repo/AGENTS.md are left out: not a regular file"}},

		"link to the other name":     {files: []string{"repo/CLAUDE.md"}, links: map[string]string{"repo/AGENTS.md": "CLAUDE.md"}, workdir: "repo", want: []string{"repo/AGENTS.md"}},
		"link to one in the project": {files: []string{"repo/.git/", "repo/AGENTS.md", "repo/a/"}, links: map[string]string{"repo/a/AGENTS.md": "../AGENTS.md"}, workdir: "repo/a", want: []string{"repo/AGENTS.md", "repo/a/AGENTS.md"}},
		"link out of the project":    {files: []string{"AGENTS.md", "repo/"}, links: map[string]string{"repo/AGENTS.md": "../AGENTS.md"}, workdir: "repo", notices: []string{"repo/AGENTS.md are left out: path escapes"}},
		"link to another file":       {files: []string{"repo/secrets.env"}, links: map[string]string{"repo/AGENTS.md": "secrets.env"}, workdir: "repo", notices: []string{"repo/AGENTS.md are left out: it is a link to secrets.env"}},
		"link to a link":             {files: []string{"repo/secrets.env"}, links: map[string]string{"repo/AGENTS.md": "CLAUDE.md", "repo/CLAUDE.md": "secrets.env"}, workdir: "repo", notices: []string{"repo/AGENTS.md are left out: a symbolic link"}},
		"link to nothing":            {files: []string{"repo/"}, links: map[string]string{"repo/AGENTS.md": "CLAUDE.md"}, workdir: "repo"},
		"the user's own link":        {files: []string{"home/dotfiles/agents.txt", "home/.aura/", "repo/"}, links: map[string]string{"home/.aura/AGENTS.md": "../dotfiles/agents.txt"}, workdir: "repo", want: []string{"home/.aura/AGENTS.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			for _, file := range row.files {
				put(t, filepath.Join(base, file), strings.HasSuffix(file, "/"), file)
			}
			for from, to := range row.links {
				testneed.Link(t, to, filepath.Join(base, from))
			}
			o := Options{Workdir: filepath.Join(base, row.workdir), UserHome: filepath.Join(base, "home"), EnvFiles: []string{}, Environ: []string{}}
			if row.set != nil {
				row.set(&o)
			}
			c, err := Load(o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, i := range c.Instructions {
				rel, _ := filepath.Rel(base, i.Path)
				got = append(got, filepath.ToSlash(rel))
				if i.Text == "" {
					t.Errorf("%s is empty", rel)
				}
			}
			if strings.Join(got, " ") != strings.Join(row.want, " ") {
				t.Errorf("got %v, want %v", got, row.want)
			}
			if len(c.Notices) != len(row.notices) {
				t.Fatalf("notices are %q, want %q", c.Notices, row.notices)
			}
			for i, want := range row.notices {
				if !strings.Contains(c.Notices[i], want) {
					t.Errorf("notice %q does not hold %q", c.Notices[i], want)
				}
			}
		})
	}
}

func put(t *testing.T, path string, dir bool, text string) {
	t.Helper()
	made := filepath.Dir(path)
	if dir {
		made = path
	}
	if err := os.MkdirAll(made, 0o755); err != nil {
		t.Fatal(err)
	}
	if !dir {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInstructionsAreBounded(t *testing.T) {
	t.Parallel()
	most := limit.Instructions
	for name, row := range map[string]struct{ sizes, want []int }{
		"fit":       {[]int{most / 2, most / 2}, []int{most / 2, most / 2}},
		"shortened": {[]int{10, most, 10}, []int{10, most - 10 - leastInstructions/2, 10}},
		"left out":  {[]int{most, 10}, []int{most}},
	} {
		var all []Instructions
		for _, size := range row.sizes {
			all = append(all, Instructions{Path: "/x", Text: strings.Repeat("a", size)})
		}
		kept, notices := boundInstructions(all)
		total := 0
		for i, k := range kept {
			total += len(k.Text)
			if i >= len(row.want) || strings.Count(k.Text, "a") < row.want[i] {
				t.Errorf("%s: file %d has %d bytes left", name, i, len(k.Text))
			}
		}
		if len(kept) != len(row.want) || total > most || (len(notices) > 0) != (name != "fit") {
			t.Errorf("%s: %d files of %d bytes are left, with notices %q", name, len(kept), total, notices)
		}
	}
}

func TestInstructionsAreText(t *testing.T) {
	t.Parallel()
	if got := cleanInstructions("\uFEFF\r\n a\xff{{ b }} \n"); got != "a\uFFFD{{ b }}" {
		t.Errorf("got %q", got)
	}
}
